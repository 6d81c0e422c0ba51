import { deleterOf } from '../../pjrt/deleter.ts';
import { readData } from '../../pjrt/strings.ts';
import { compileProgram } from '../../steps/compile.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { loadSerialized } from './load-serialized.ts';
import { runOnce, sampleInputs } from './sample-run.ts';

const CALL = 'PJRT_Executable_Serialize';

interface Serialized {
  bytes: bigint;
  size: number;
  object: bigint;
  free: (() => void) | undefined;
}

/** Two serializations live side by side: the deleter of the first leaves the bytes of the second alone. */
export const serializedTwice: Probe = (context, options) => {
  const { api, instrument } = context;
  const program = String(options.program);
  const executable = context.scope.own(compileProgram(context, program).getExecutable());
  const serialize = (): Serialized =>
    api.invoke(
      CALL,
      (call) => call.setWord('executable', executable.pointer),
      (call) => ({
        bytes: call.word('serialized_bytes'),
        size: call.size('serialized_bytes_size'),
        object: call.word('serialized_executable'),
        free: deleterOf(instrument, call, 'serialized_executable'),
      }),
    );
  const [first, second] = [serialize(), serialize()];
  const fail = (message: string) => {
    throw new CheckFailure({ type: 'pjrt.BadData', message: `${CALL} ${message}`, call: CALL });
  };
  for (const s of [first, second]) {
    if (!s.free) fail('gave no deleter');
    if (s.size === 0 || s.bytes === 0n) fail('gave no bytes');
  }
  if (first.object === second.object && first.object !== 0n) fail('gave one object twice: its deleter would run twice');
  const before = readData(second.bytes, second.size);
  first.free!();
  const after = readData(second.bytes, second.size);
  if (Buffer.compare(before, after) !== 0) fail('loses the bytes of one serialization with the deleter of another');
  second.free!();
  runOnce(context, loadSerialized(context, after), sampleInputs(program));
};
