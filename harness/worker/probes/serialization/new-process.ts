import type { HostArray } from '../../../knowledge/numerics/array.ts';
import type { Case } from '../../../suite/types.ts';
import { Arena } from '../../ffi/memory.ts';
import { startPython } from '../../ffi/start-python.ts';
import { Client } from '../../pjrt/client.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import { Instrument } from '../../pjrt/instrument.ts';
import { Plugin } from '../../pjrt/plugin.ts';
import { CaseContext, type Subject } from '../../steps/context.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { runOnce, sampleInputs } from '../support/sample-run.ts';
import { loadSerialized } from './load-serialized.ts';

/** What `executable-in-new-process` sends to this process. */
export interface Errand {
  setup: Subject['setup'];
  case: Case;
  program: string;
  bytes: Uint8Array;
}

/** What it gets back: the bytes of each output, or how far this process came and what the plugin answered there. */
export type Errands =
  | { outputs: Uint8Array[] }
  | {
      stage: 'client' | 'load' | 'run';
      problem: string;
      refused?: Pick<PjrtError, 'call' | 'code' | 'codeName' | 'text'>;
    };

/** Loads a serialized executable with a plugin and a client of this process's own, and runs it. */
function answer(errand: Errand): Errands {
  const instrument = new Instrument();
  let stage: 'client' | 'load' | 'run' = 'client';
  try {
    const { name, library, python } = errand.setup;
    if (python) startPython(python);
    const plugin = Plugin.load(name, library, 'now', instrument);
    plugin.initialize();
    const client = Client.create(plugin.api, new Arena(), errand.setup.options);
    const context = new CaseContext(errand.case, [{ plugin, setup: errand.setup, client }], instrument);
    stage = 'load';
    const executable = loadSerialized(context, errand.bytes);
    stage = 'run';
    const outputs = runOnce(context, executable, sampleInputs(errand.program));
    const arrays: HostArray[] = outputs.map((output) => fetchArray(context, output));
    return { outputs: arrays.map((array) => array.bytes) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    if (!(error instanceof PjrtError)) return { stage, problem };
    const { call, code, codeName, text } = error;
    return { stage, problem, refused: { call, code, codeName, text } };
  }
}

// The worker that asked is gone: nobody waits for the answer.
process.once('disconnect', () => process.exit(1));
process.once('message', (errand: Errand) => {
  process.send!(answer(errand), () => process.exit(0));
});
