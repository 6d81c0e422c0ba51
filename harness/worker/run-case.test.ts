import { expect, test } from 'vitest';
import { Instrument } from '../pjrt/instrument.ts';
import type { Seat } from '../steps/context.ts';
import type { Case } from '../suite/types.ts';
import { runCase } from './run-case.ts';

/** A case that leaks a live handle. */
function leaking(requires: object) {
  let iterations = 0;
  const handle = { kind: 'PJRT_Buffer', destroy: () => {}, disown: () => {} };
  const live = { [Symbol.iterator]: () => (iterations++ === 0 ? [] : [handle])[Symbol.iterator]() };
  const seat = { plugin: { api: { live } } } as unknown as Seat;
  const testCase = {
    id: 'a:leaks',
    level: 'must',
    levels: {},
    covers: [],
    client: 'none',
    requires,
    steps: [],
  } as unknown as Case;
  return runCase(testCase, [seat], new Instrument());
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
