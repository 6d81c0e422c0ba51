import { dtype } from '../../numerics/dtypes.ts';
import { Buffer } from '../../pjrt/buffer.ts';
import type { CaseContext } from '../../steps/context.ts';
import type { Probe } from '../../steps/steps.ts';
import { compileText } from '../compute/compile-text.ts';
import { broken, choice, doWork, errorOf, firstDevice, hashed, option, upload } from './support.ts';

/** Asks for memory that no machine has, at creation or as the output of a program: an error, and the client works on. */
export const impossibleAllocation: Probe = (context, options) => {
  const via = choice(options, 'via', ['uninitialized', 'program']);
  const shape = option<readonly number[]>(options, 'shape', [option(options, 'elements', 2 ** 48)]);
  doWork(context, context.client);
  const error = errorOf(() => (via === 'program' ? runProgram(context, shape) : createBuffer(context, shape)));
  if (!error) {
    broken(`an array of f32[${shape}] was made, which does not fit any memory`, CALLS[via], 'RES-003', {
      type: 'pjrt.MissingError',
    });
  }
  if (error.codeName === 'UNIMPLEMENTED') throw error;
  if (error.codeName !== 'RESOURCE_EXHAUSTED') {
    context.report({
      type: 'pjrt.WrongError',
      level: 'should',
      message: `${error.call} answered ${error.codeName}, RESOURCE_EXHAUSTED is what frameworks expect`,
      detail: `message: ${error.text}`,
      call: error.call,
    });
  }
  doWork(context, context.client, 5);
};

const CALLS = { uninitialized: 'PJRT_Client_CreateUninitializedBuffer', program: 'PJRT_LoadedExecutable_Execute' };

function createBuffer(context: CaseContext, shape: readonly number[]): void {
  const { api, arena, client } = context;
  const dims = arena.int64s(shape);
  const pointer = api.invoke(
    CALLS.uninitialized,
    (call) => {
      call.setWord('client', client.pointer);
      call.setWord('shape_dims', dims.address);
      call.setSize('shape_num_dims', shape.length);
      call.setInt('shape_element_type', dtype('f32').enumValue);
      call.setWord('device', firstDevice(client));
    },
    (call) => call.word('buffer'),
  );
  context.scope.own(new Buffer(api, pointer)).awaitReady();
}

/** A scalar spread over the whole shape; the error may come from the compiler, the call, or the output. */
function runProgram(context: CaseContext, shape: readonly number[]): void {
  const type = `tensor<${shape.join('x')}xf32>`;
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
  const run = executable.execute(arena, [[x]], { events: true });
  for (const handle of [...run.outputs.flat(), ...run.events]) scope.own(handle);
  for (const event of run.events) event.await();
  for (const output of run.outputs.flat()) output.awaitReady();
}
