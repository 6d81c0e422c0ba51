import { StdoutCapture } from '../../ffi/stdout-capture.ts';
import { AbsentError } from '../../pjrt/errors.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { runValidCall } from '../../steps/run-valid-call.ts';
import { probe } from '../probe.ts';

/** What programs do all the time. */
const WORK = [
  'PJRT_Client_BufferFromHostBuffer',
  'PJRT_Client_Compile',
  'PJRT_LoadedExecutable_Execute',
  'PJRT_Buffer_ToHostBuffer',
  'PJRT_Buffer_Destroy',
  'PJRT_LoadedExecutable_Destroy',
];

/** Transfers, compilations and executions write nothing to standard output. */
export const silentWork = probe('silent-work', {}, (context) => {
  const capture = new StdoutCapture();
  const loud: string[] = [];
  let text = '';
  try {
    let seen = 0;
    for (const name of WORK) {
      attempt(() => runValidCall(context, name));
      const now = capture.bytes;
      if (now > seen) loud.push(name);
      seen = now;
    }
  } finally {
    text = capture.end();
  }
  if (loud.length === 0) return;
  context.report({
    type: 'pjrt.ProcessChanged',
    message: `${loud[0]} wrote to standard output`,
    detail: `${loud.length > 1 ? `so did ${loud.slice(1).join(', ')}\n` : ''}text: ${text.trim().slice(0, 200)}`,
    call: loud[0]!,
    requirements: ['HYG-OUT-001'],
  });
});

/** What the plugin cannot do prints nothing either; whether it should be able to does not matter here. */
function attempt(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof NotSupported || error instanceof AbsentError)) throw error;
  }
}
