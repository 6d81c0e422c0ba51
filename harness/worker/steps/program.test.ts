import { expect, test } from 'vitest';
import { readSample, sampleCase } from '../../suite/sample-suite.test-helper.ts';
import { Arena } from '../ffi/memory.ts';
import { here, noCalls } from '../pjrt/calls.ts';
import { Instrument } from '../pjrt/instrument.ts';
import { CaseContext, type Subject } from './context.ts';
import { CheckFailure, NotSupported } from './outcome.ts';
import { overwriting } from './overwritten.ts';
import { runStep } from './steps.ts';

/** Runs the steps of a case that needs no plugin. */
async function run(body: string) {
  const { cases, errors } = readSample(sampleCase(body), {});
  expect(errors).toBe('');
  const subject = { plugin: { api: { live: new Set() } }, setup: {} } as unknown as Subject;
  const context = new CaseContext(cases[0]!, [subject], new Instrument());
  for (const step of cases[0]!.steps) await runStep(context, step, async () => undefined);
  return context;
}

test('what is known of a program, and sizes of data', async () => {
  await run(`steps:
  - program: outputs/mixed_types
    as: {inputs: inputs, many: num_inputs, types: output_types, dims: output_dims}
  - expect: {actual: $inputs, length: $many}
  - expect: {actual: $inputs, equals: $inputs}
  - expect: {actual: $types, length: {lengthOf: $dims}}
  - expect: {actual: $dims, equals: [[4], [2, 3], [5]]}
  - data: {as: nibbles, data: {iota: {dtype: s4, shape: [5]}}}
  - for-each: {size: [5]}
    steps:
      - expect: {actual: $size, equals: {bytesOf: $nibbles}}
      - expect: {actual: $size, atLeast: {packedBytesOf: $nibbles}, atMost: {bytesOf: $nibbles}}
  - for-each: {size: [3]}
    steps:
      - expect: {actual: $size, equals: {packedBytesOf: $nibbles}}`);
});

test('lists of arrays are compared pair by pair, and elements of an array may have to be distinct', async () => {
  const differ = run(`steps:
  - program: args/two
    as: {inputs: inputs}
  - for-each: {input: $inputs}
    steps:
      - data: {as: zeros, data: {fill: {dtype: f32, shape: [4], value: 0}}}
    collect: {all: $zeros}
  - expect: {actual: $all, equals: $inputs}`);
  await expect(differ).rejects.toThrow(CheckFailure);
  await run('steps: [{data: {as: a, data: {iota: {dtype: u32, shape: [4]}}}}, {expect: {actual: $a, unique: true}}]');
  const same = run(
    'steps: [{data: {as: a, data: {fill: {dtype: u32, shape: [2], value: 1}}}}, {expect: {actual: $a, unique: true}}]',
  );
  await expect(same).rejects.toThrow(/duplicate/);
});

test('what a call was given is overwritten when it has returned, and nothing else', () => {
  const arena = new Arena();
  const kept = arena.text('kept');
  const over = <T>(flag: boolean | undefined, make: () => T): T => here(overwriting(arena, flag, noCalls(make)));
  const given = over(true, () => [arena.text('given'), arena.int64s([1])]);
  expect(given.every(({ bytes }) => bytes.every((byte) => byte === 0xee))).toBe(true);
  expect(Buffer.from(kept.bytes.subarray(0, 4)).toString()).toBe('kept');
  expect(Buffer.from(over(undefined, () => arena.text('x')).bytes).toString()).toBe('x\0');
});

test('an error in a precondition makes the case unsupported', async () => {
  const { PjrtError } = await import('../pjrt/errors.ts');
  const { cases } = readSample(
    sampleCase('steps: [{compile: {program: misc/add_one}, precondition: it compiles}]'),
    {},
  );
  const error = Object.assign(Object.create(PjrtError.prototype), {
    call: 'PJRT_Client_Compile',
    codeName: 'INTERNAL',
    text: '',
  });
  const context = {
    instrument: {},
    make: here,
    programOf: (name: string) => name,
    resolveClient: () => {
      throw error;
    },
  } as unknown as CaseContext;
  await expect(runStep(context, cases[0]!.steps[0]!, async () => undefined)).rejects.toThrow(NotSupported);
});
