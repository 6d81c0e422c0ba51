import { expect, test } from 'vitest';
import { decodeCompileOptions, encodeCompileOptions } from './compile-options.ts';
import { withoutDeviceAssignment } from './unplaced-options.ts';

test('the device assignment goes, all else stays', () => {
  const given = { overrides: { x: { kind: 'bool', value: true } as const }, portable: true };
  const placed = encodeCompileOptions({ ...given, deviceAssignment: [[3]] });
  expect(decodeCompileOptions(placed).deviceAssignment).toEqual([[3]]);
  expect(Buffer.from(withoutDeviceAssignment(placed)).equals(Buffer.from(encodeCompileOptions(given)))).toBe(true);
});

test('what is no message is an error', () => {
  expect(() => withoutDeviceAssignment(Buffer.from([0x1a, 0x7f, 0]))).toThrow('not a CompileOptionsProto (3 bytes)');
});
