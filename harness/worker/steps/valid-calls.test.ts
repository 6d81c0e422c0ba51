import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { packagePath } from '../../base/paths.ts';
import { Abi, NEWEST_MINOR } from '../../knowledge/abi/index.ts';
import { isMessage } from '../probes/extensions/shardings.ts';
import { PROVOCATIONS } from './provoke-error.ts';
import { resizedLayout } from './resized-layout.ts';
import { UNSOUND, VALID_CALLS } from './valid-calls.ts';

const abi = Abi.at(NEWEST_MINOR);

test('every function has a valid call, or a reason why not', () => {
  const known = [...Object.keys(VALID_CALLS), ...Object.keys(UNSOUND)];
  expect(known.sort(), 'write a call, or the reason, into harness/worker/steps/valid-calls.ts').toEqual(
    [...abi.functions].sort(),
  );
});

test('arguments name fields that exist and are inputs', () => {
  for (const [name, call] of [
    ...Object.entries(VALID_CALLS),
    ...Object.values(PROVOCATIONS).map((p) => [p.function, p] as const),
  ]) {
    for (const field of Object.keys(call.with)) {
      const args = abi.argsOf(name);
      expect(args.outputs, `${name} ${field}`).not.toContain(args.field(field));
    }
  }
});

test('the suites call every function that has a valid call', () => {
  const { sets } = parse(readFileSync(packagePath('suites', 'abi', 'arguments.yaml'), 'utf8')) as {
    sets: Record<string, string[]>;
  };
  const named = new Set([...sets.functions!, ...sets.lifecycle!, ...sets.topological!]);
  expect(
    Object.keys(VALID_CALLS).filter((name) => !named.has(name)),
    'add these to a set of suites/abi/arguments.yaml: functions, lifecycle or topological',
  ).toEqual([]);
});

test('layouts of another size', () => {
  const layout = abi.struct('PJRT_Device_MemoryStats_Args');
  expect(resizedLayout(layout, 185)).toMatchObject({ size: 192, structSize: 185 });
  expect(resizedLayout(layout, 185).has('peak_allocated_bytes')).toBe(false);
  expect(resizedLayout(layout, 272)).toMatchObject({ size: 272, structSize: 272 });
  expect(resizedLayout(layout, 16).fields.map((f) => f.name)).toEqual(['struct_size', 'extension_start']);
});

test('bytes that are fields of a protocol buffer, and bytes that are not', () => {
  const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
  expect(isMessage(bytes(''))).toBe(true);
  expect(isMessage(bytes('08011203616263'))).toBe(true);
  expect(isMessage(bytes('120361'))).toBe(false);
  expect(isMessage(bytes('ffff'))).toBe(false);
  expect(isMessage(bytes('00'))).toBe(false);
});
