import { expect, test } from 'vitest';
import { readSample, sampleCase } from '../../suite/sample-suite.test-helper.ts';
import { PjrtError } from '../pjrt/errors.ts';
import { Instrument } from '../pjrt/instrument.ts';
import { damage } from './call-arguments.ts';
import { CaseContext, type Subject } from './context.ts';
import { isRefusal, NotSupported } from './outcome.ts';
import { type Probe, runStep } from './steps.ts';

/** Runs the first step of a case that needs no plugin, and returns how it failed. */
async function failure(body: string): Promise<unknown> {
  const { cases, errors } = readSample(sampleCase(body));
  expect(errors).toBe('');
  const subject = { plugin: { api: { live: new Set() } } } as unknown as Subject;
  const context = new CaseContext(cases[0]!, [subject], new Instrument());
  return runStep(context, cases[0]!.steps[0]!, async () => undefined).then(
    () => undefined,
    (error: unknown) => error,
  );
}

const failing = (codeName: string): Probe => {
  return () => {
    throw new PjrtError('PJRT_Client_Create', 3, codeName, 'no', []);
  };
};

test('a case whose precondition does not hold is unsupported, whether a check or a call says so', async () => {
  const check = await failure(`steps:
  - for-each: {n: [1, 2]}
    steps: [{expect: {actual: $n, atMost: 1}}]
    precondition: numbers are small`);
  expect(check).toBeInstanceOf(NotSupported);
  expect((check as Error).message).toMatch(/^needs that numbers are small: n is 2/);

  const { cases } = readSample(sampleCase('steps: [{destroy: $memory, precondition: it works}]'));
  const step = { ...cases[0]!.steps[0]!, verb: 'probe' as const, name: 'failing' };
  const context = { instrument: new Instrument() } as unknown as CaseContext;
  const call = (code: string) => runStep(context, step as never, async () => failing(code) as never);
  await expect(call('INTERNAL')).rejects.toThrow('needs that it works: PJRT_Client_Create returns INTERNAL: no');
  // A function that is not offered is reported as such.
  await expect(call('UNIMPLEMENTED')).rejects.toBeInstanceOf(PjrtError);
});

test('one that holds changes nothing', async () => {
  expect(
    await failure(`steps:
  - for-each: {n: [1]}
    steps: [{expect: {actual: $n, atMost: 1}}]
    precondition: numbers are small`),
  ).toBeUndefined();
});

const runOf = (step: object, code: string) => {
  const { cases } = readSample(sampleCase('steps: [{destroy: $memory}]'));
  const within = (run: () => Promise<void>) => run();
  const context = { instrument: new Instrument(), within } as unknown as CaseContext;
  return runStep(context, { ...cases[0]!.steps[0]!, ...step } as never, async () => failing(code));
};
const call = { verb: 'probe', name: 'failing' };

test('a program that a compiler diagnoses without a code is refused, and no other call with that code is', () => {
  const failed = (by: string, code: string): PjrtError => new PjrtError(by, 2, code, 'no', []);
  expect(isRefusal(failed('PJRT_Client_Compile', 'UNKNOWN'))).toBe(true);
  expect(isRefusal(failed('PJRT_Compile', 'UNKNOWN'))).toBe(true);
  expect(isRefusal(failed('PJRT_LoadedExecutable_Execute', 'UNKNOWN'))).toBe(false);
  expect(isRefusal(failed('PJRT_Client_Compile', 'INTERNAL'))).toBe(false);
});

test('what a plugin may refuse is unsupported if it refuses, and only then', async () => {
  const step = { ...call, refusable: 'a layout' };
  await expect(runOf(step, 'INVALID_ARGUMENT')).rejects.toThrow('the plugin refuses a layout: PJRT_Client_Create');
  await expect(runOf(step, 'UNIMPLEMENTED')).rejects.toBeInstanceOf(NotSupported);
  await expect(runOf(step, 'INTERNAL')).rejects.toBeInstanceOf(PjrtError);
});

test('what is not offered ends the steps of if-offered, and what fails ends the case', async () => {
  const steps = (code: string) => runOf({ verb: 'if-offered', steps: [{ ...call, line: 1 }] }, code);
  await expect(steps('UNIMPLEMENTED')).resolves.toBeUndefined();
  await expect(steps('INTERNAL')).rejects.toBeInstanceOf(PjrtError);
});

test('damaged bytes are others', () => {
  const bytes = Uint8Array.of(1, 2, 3);
  expect([...damage(bytes, 'zeros')]).toEqual([0, 0, 0]);
  expect([...damage(bytes, 'truncated')]).toEqual([1]);
  expect([...damage(bytes, 'all-but-one')]).toEqual([1, 2]);
  expect([...damage(bytes, 1)]).toEqual([1]);
  expect(damage(bytes, 'junk')).toHaveLength(64);
  expect(() => damage(bytes, 'rust')).toThrow(/not by rust/);
  expect(() => damage('text', 'junk')).toThrow(/only bytes/);
});
