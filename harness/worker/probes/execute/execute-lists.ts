import { compileProgram } from '../../steps/compile.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import { startPut } from '../../steps/transfer.ts';
import { flag, number, optional, probe, program } from '../probe.ts';
import { sampleInputs } from '../support/sample-run.ts';
import { RawExecution, SENTINEL } from './raw-execution.ts';

const CALL = 'PJRT_LoadedExecutable_Execute';

/**
 * Every slot of the lists is filled with a handle of its own, and nothing around them is written. Without `events` the
 * list for completion events is null, and a plugin that fills it all the same dies.
 */
export const executeLists = probe(
  'execute-lists',
  { program, events: optional(flag, false), replicas: optional(number, 1) },
  (context, { program, events, replicas }) => {
    const executable = compileProgram(context, program, { num_replicas: replicas });
    const devices = context.client.addressableDevices();
    const lists = Array.from({ length: replicas }, (_, i) => {
      context.bind(`place${i}`, devices[i]);
      return sampleInputs(program).map((input) => startPut(context, input, { on: `place${i}` }));
    });
    const run = new RawExecution(context, executable, lists, { events });
    run.run();
    const fail = (message: string, requirement: string) => {
      throw new CheckFailure({ type: 'pjrt.OutputTouched', message, call: CALL, requirements: [requirement] });
    };
    const overrun = run.overrun();
    if (overrun.length > 0) fail(`${CALL} wrote outside of ${overrun.join(' and ')}`, 'RUN-OUT-001');
    const outputs = run.outputWords().flat();
    const empty = (word: bigint) => word === SENTINEL || word === 0n;
    const missing = outputs.findIndex(empty);
    if (missing >= 0) fail(`${CALL} left slot ${missing} of ${outputs.length} outputs without a buffer`, 'RUN-OUT-001');
    if (new Set(outputs).size !== outputs.length) fail(`${CALL} gave one buffer for two outputs`, 'RUN-OUT-002');
    if (outputs.some((word) => lists.flat().some((arg) => arg.pointer === word)))
      fail(`${CALL} gave an argument back as an output instead of a buffer of its own`, 'RUN-OUT-002');
    const made = run.eventWords();
    if (events && made.some(empty)) fail(`${CALL} made no completion event`, 'RUN-EVT-001');
    if (events && new Set(made).size !== made.length)
      fail(`${CALL} gave one completion event for two devices`, 'RUN-EVT-001');
    for (const completion of run.completions()) completion.await();
    for (const output of run.outputs().flat()) output.awaitReady();
  },
);
