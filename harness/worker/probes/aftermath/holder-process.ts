import type { Case } from '../../../suite/types.ts';
import { Arena } from '../../ffi/memory.ts';
import { startPython } from '../../ffi/start-python.ts';
import { Client } from '../../pjrt/client.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import { Instrument } from '../../pjrt/instrument.ts';
import { Plugin } from '../../pjrt/plugin.ts';
import { CaseContext, type Subject } from '../../steps/context.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import { Spread } from '../support/every-device.ts';

/** What `second-holder` asks of this process, in this order. */
export type Demand = { hold: { setup: Subject['setup']; case: Case } } | { work: number } | { end: 'crash' | 'exit' };

/** No problem: what was demanded is done. */
export type Reply = { problem?: string; code?: string; devices?: number };

let client: Client | undefined;
let context: CaseContext | undefined;
let kept: Spread | undefined;

function hold({ setup, case: of }: { setup: Subject['setup']; case: Case }): void {
  const instrument = new Instrument();
  if (setup.python) startPython(setup.python);
  const plugin = Plugin.load(setup.name, setup.library, 'now', instrument);
  plugin.initialize();
  client = Client.create(plugin.api, new Arena(), setup.options);
  context = new CaseContext(of, [{ plugin, setup, client }], instrument);
  kept = new Spread(context, client, 500);
}

function work(rounds: number): void {
  for (let round = 0; round < rounds; round++) kept!.work(600 + round, 'HYG-TWO-001');
  kept!.check('of the other process');
}

function end(how: 'crash' | 'exit'): void {
  if (how === 'crash') process.kill(process.pid, 'SIGKILL');
  context!.scope.dispose(() => {});
  client!.destroy();
  process.exit(0);
}

function answer(demand: Demand): Reply {
  try {
    if ('hold' in demand) hold(demand.hold);
    else if ('work' in demand) work(demand.work);
    else end(demand.end);
    return { devices: client!.addressableDevices().length };
  } catch (error) {
    const problem = error instanceof CheckFailure ? error.finding.message : (error as Error).message;
    return { problem, ...(error instanceof PjrtError ? { code: error.codeName } : {}) };
  }
}

// The worker that asked is gone.
process.once('disconnect', () => process.exit(1));
process.on('message', (demand: Demand) => process.send!(answer(demand)));
