import { writeSync } from 'node:fs';
import { dieWithParent } from '../../ffi/libc.ts';
import { Arena } from '../../ffi/memory.ts';
import { AbsentError, BadDataError, PjrtError } from '../../pjrt/errors.ts';
import { Instrument } from '../../pjrt/instrument.ts';
import { CheckFailure, NotSupported } from '../../steps/outcome.ts';
import { NodeClient } from './node-client.ts';
import type { NodeAnswer, NodeMessage } from './node-tasks.ts';

/**
 * Entry of a node: a process of a job, with the plugin and one client. Descriptor 3 takes a line before and after each
 * native call, which is there even if the call never returns; descriptor 4 is the store.
 */
const CALLS = 3;
const STORE = 4;

const instrument = new Instrument();
instrument.trace = (name, after) => {
  writeSync(CALLS, after ? `<\t${name}\t${after.ms}\t${after.answer}\n` : `>\t${name}\n`);
};

const node = new NodeClient(instrument, new Arena(), STORE);

async function answer({ task, about }: NodeMessage): Promise<NodeAnswer<unknown>> {
  try {
    return { value: await node.do(task, about) };
  } catch (error) {
    if (error instanceof PjrtError) {
      const { call, code, codeName, text } = error;
      return { refused: { call, code, codeName, text } };
    }
    if (error instanceof AbsentError || error instanceof NotSupported) return { lacks: error.message };
    if (error instanceof BadDataError) {
      const call = error.call ?? instrument.returned;
      return { wrong: `${call ?? 'the plugin'} ${error.what}`, ...(call === undefined ? {} : { call }) };
    }
    if (error instanceof CheckFailure) {
      const { message, call } = error.finding;
      return { wrong: message, ...(call === undefined ? {} : { call }) };
    }
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

dieWithParent();
// The harness is gone: nobody waits for an answer.
process.once('disconnect', () => process.exit(1));
process.on('message', (message: NodeMessage) => {
  void answer(message).then((said) => {
    process.send!(said, () => {
      if (message.task === 'leave') process.exit(0);
    });
  });
});
