import { errorOf } from '../../pjrt/errors.ts';
import type { CaseContext } from '../../steps/context.ts';
import { compileText } from '../compile/compile-text.ts';
import { number, optional, probe } from '../probe.ts';
import { hashed, violated } from '../support/checks.ts';
import { doWork, upload } from '../support/client-work.ts';
import { start } from '../support/sample-run.ts';

const EXECUTE = 'PJRT_LoadedExecutable_Execute';

/** Runs a program whose output no machine has memory for: an error, and the client works on. */
export const impossibleOutput = probe(
  'impossible-output',
  { elements: optional(number, 2 ** 48) },
  (context, { elements }) => {
    doWork(context, context.client);
    const error = errorOf(() => runProgram(context, elements));
    if (!error) {
      violated(`an array of f32[${elements}] was made, which does not fit any memory`, EXECUTE, 'RES-003', {
        type: 'pjrt.MissingError',
      });
    }
    if (error.codeName === 'UNIMPLEMENTED') throw error;
    if (error.codeName !== 'RESOURCE_EXHAUSTED') {
      context.report({
        type: 'pjrt.WrongError',
        level: 'should',
        message: `${error.call} returned ${error.codeName}, RESOURCE_EXHAUSTED is expected`,
        detail: `message: ${error.text}`,
        call: error.call,
      });
    }
    doWork(context, context.client, 5);
  },
);

/** A scalar spread over the whole shape; the error may come from the compiler, the call, or the output. */
function runProgram(context: CaseContext, elements: number): void {
  const type = `tensor<${elements}xf32>`;
  const text = `module @huge {
  func.func public @main(%x: tensor<f32>) -> ${type} {
    %y = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> ${type}
    return %y : ${type}
  }
}
`;
  const { arena, client, scope } = context;
  const executable = compileText(context, new TextEncoder().encode(text));
  const x = scope.own(upload(arena, client, hashed('f32', [])));
  const run = start(context, executable, [[x]]);
  for (const event of run.events) event.await();
  for (const output of run.outputs.flat()) output.awaitReady();
}
