import { expect, test, vi } from 'vitest';
import type { Case } from '../suite/types.ts';
import { AbsentError } from './pjrt/errors.ts';
import { Instrument } from './pjrt/instrument.ts';
import { runCase } from './run-case.ts';
import type { Subject } from './steps/context.ts';

vi.mock('./probes/load-probe.ts', () => ({
  loadProbe: async () => () => {
    Promise.reject(new AbsentError('PJRT_Buffer_Delete', 'NULL', 'PJRT_Buffer_Delete is NULL'));
  },
}));

/** A case after which a handle lives that it did not give back. */
function leaking(requires: object) {
  let iterations = 0;
  const handle = { kind: 'PJRT_Buffer', destroy: () => {}, disown: () => {} };
  const live = { [Symbol.iterator]: () => (iterations++ === 0 ? [] : [handle])[Symbol.iterator]() };
  const subject = { plugin: { api: { live } }, setup: {} } as unknown as Subject;
  const testCase = {
    id: 'a:leaks',
    level: 'must',
    levels: {},
    covers: [],
    client: 'none',
    requires,
    steps: [],
  } as unknown as Case;
  return runCase(testCase, [subject], new Instrument());
}

const message = 'the case leaks 1 handles: PJRT_Buffer';

test('a case that leaks is an internal error, not a failure of the plugin', async () => {
  expect(await leaking({})).toMatchObject({ status: 'error', findings: [{ level: 'must', message }] });
});

test('the error that ended a case takes precedence over leaks', async () => {
  expect(await leaking({ plugins: 2 })).toMatchObject({
    status: 'unsupported',
    findings: [{ level: 'info', message }],
  });
});

test('an error that nobody waited for ends the case, and neither the process nor the next case', async () => {
  const live = new Set<never>();
  const subject = { plugin: { api: { live } } } as unknown as Subject;
  const run = (steps: object[]) =>
    runCase(
      { id: 'a:late', level: 'must', levels: {}, covers: [], client: 'none', requires: {}, steps } as unknown as Case,
      [subject],
      new Instrument(),
    );
  const late = { verb: 'probe', name: 'late', line: 1 };
  expect(await run([late])).toMatchObject({
    status: 'unsupported',
    cause: { kind: 'null', call: 'PJRT_Buffer_Delete' },
  });
  expect(await run([])).toMatchObject({ status: 'pass', findings: [] });
});
