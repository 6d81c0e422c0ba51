import { closeSync, openSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runSample } from './run-sample.test-helper.ts';

const soak = (collect = '') => `steps:
  - soak: 20
    blames: PJRT_Client_Devices
    mayNotGrow: [descriptors]
    steps: [{probe: event-on-ready}]${collect}`;

test('what a round leaves open in every phase is a leak, and a warning', async () => {
  const left: number[] = [];
  const failure = runSample(soak(), { 'event-on-ready': () => void left.push(openSync('/dev/null', 'r')) });
  await expect(failure).rejects.toMatchObject({
    finding: {
      level: 'should',
      message: 'the number of descriptors grew in each of 3 phases of 20 rounds with PJRT_Client_Devices',
      detail: 'growth of the phases: 20, 20, 20; allowed: 0',
      call: 'PJRT_Client_Devices',
    },
  });
  for (const fd of left) closeSync(fd);
});

test('what a round creates ends with it, and its memory does', async () => {
  const arenas = new Set<object>();
  let open = 0;
  await runSample(soak(), {
    'event-on-ready': ({ scope, arena }) => {
      arenas.add(arena);
      const fd = openSync('/dev/null', 'r');
      scope.defer(() => closeSync(fd));
      open++;
    },
  });
  // After the first phase without growth nothing is left to prove.
  expect([open, arenas.size]).toEqual([40, 40]);
});
