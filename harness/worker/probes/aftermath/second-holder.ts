import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { programPath } from '../../../base/paths.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { oneOf, probe } from '../probe.ts';
import { violated } from '../support/checks.ts';
import { Spread } from '../support/every-device.ts';
import { killedOutside } from '../support/killed-outside.ts';
import type { Demand, Reply } from './holder-process.ts';

const ROUNDS = 8;
const HOLDS = 'HYG-TWO-001';
const CREATE = 'PJRT_Client_Create';

const entry = programPath('worker/probes/aftermath/holder-process');

/**
 * Another process has a client at the same time, and both use every device at once. Then the other process crashes or exits,
 * and what this one has must be as it was.
 */
export const secondHolder = probe('second-holder', { end: oneOf('crash', 'exit') }, async (context, { end }) => {
  const { setup } = context.subjects[0]!;
  if (setup.serial) throw new NotSupported("the plugin's manifest says that only one process at a time can have it");
  const mine = new Spread(context, context.client, 700);
  const child = fork(entry, [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], serialization: 'advanced' });
  try {
    const held = await ask(child, { hold: { setup, case: context.case } });
    // Devices that only one process can have are no fault.
    if (!held || held.problem !== undefined)
      throw new NotSupported(`a second process gets no client: ${held?.problem ?? 'it died'}`);
    const [here, there] = [context.client.addressableDevices().length, held.devices];
    if (there !== here)
      context.report({
        type: 'pjrt.AssertionFailed',
        level: 'should',
        message: `a second process whose client has the same options has ${there} addressable devices, the first one ${here}`,
        call: 'PJRT_Client_AddressableDevices',
        requirements: [HOLDS],
      });
    const others = ask(child, { work: ROUNDS });
    for (let round = 0; round < ROUNDS; round++) mine.work(800 + round, HOLDS);
    const worked = await others;
    const outside = worked ? undefined : killedOutside(child);
    if (outside) throw new NotSupported(outside);
    if (!worked) violated('a second process that has a client died at work', CREATE, HOLDS, 'pjrt.UncleanProcess');
    if (worked.problem !== undefined)
      violated(`in a second process that has a client: ${worked.problem}`, CREATE, HOLDS);
    mine.check('while another process has a client');
    const gone = once(child, 'exit');
    child.send({ end } satisfies Demand);
    await gone;
  } finally {
    child.kill('SIGKILL');
  }
  const how = end === 'crash' ? 'was killed' : 'has ended';
  mine.check(`after another process that had a client ${how}`);
  mine.work(900, HOLDS);
});

/** Undefined when the process ends without an answer. */
function ask(child: ChildProcess, demand: Demand): Promise<Reply | undefined> {
  return new Promise((resolve) => {
    child.once('message', (reply) => resolve(reply as Reply));
    child.once('exit', () => resolve(undefined));
    child.once('error', () => resolve(undefined));
    child.send(demand, () => {});
  });
}
