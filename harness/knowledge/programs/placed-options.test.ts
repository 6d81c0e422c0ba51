import { expect, test } from 'vitest';
import { decodeCompileOptions, encodeCompileOptions } from './compile-options.ts';
import { onDevices } from './placed-options.ts';

test('the device assignment goes, all else stays', () => {
  const given = { overrides: { x: { kind: 'bool', value: true } as const }, portable: true };
  const placed = encodeCompileOptions({ ...given, deviceAssignment: [[3]] });
  expect(decodeCompileOptions(placed).deviceAssignment).toEqual([[3]]);
  expect(Buffer.from(onDevices(placed, undefined)).equals(Buffer.from(encodeCompileOptions(given)))).toBe(true);
});

test('another assignment takes its place', () => {
  const placed = encodeCompileOptions({
    numReplicas: 2,
    numPartitions: 2,
    deviceAssignment: [
      [3, 1],
      [2, 0],
    ],
  });
  const again = onDevices(placed, [
    [4, 5],
    [6, 7],
  ]);
  expect(decodeCompileOptions(again).deviceAssignment).toEqual([
    [4, 5],
    [6, 7],
  ]);
  expect(onDevices(again, undefined)).toEqual(onDevices(placed, undefined));
});

test('what is no message is an error', () => {
  expect(() => onDevices(Buffer.from([0x1a, 0x7f, 0]), undefined)).toThrow('not a CompileOptionsProto (3 bytes)');
});
