import { functionAt } from '../../ffi/function.ts';
import { Buffer } from '../../pjrt/buffer.ts';
import type { Probe } from '../../steps/steps.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { broken, codeNumber, hashed, option, same, send, statusOf } from './support.ts';

const CALL = 'PJRT_Buffer_DonateWithControlDependency';
const MESSAGE = 'the dependency failed';

/** A buffer that takes over another's contents, but is ready only after its callback ran. Option: `fail` (error code). */
export const controlDependency: Probe = async (context, options) => {
  const { api, arena, scope } = context;
  const fail = option<string | undefined>(options, 'fail', undefined);
  const data = hashed('f32', [64]);
  const source = send(context, data, 'during-call').buffer;
  source.awaitReady();
  const made = api.invoke(
    CALL,
    (call) => call.setWord('buffer', source.pointer),
    (call) => ({
      buffer: scope.own(new Buffer(api, call.word('out_buffer'))),
      data: call.word('callback_data'),
      run: call.word('dependency_ready_callback'),
    }),
  );
  if (made.run === 0n) broken('the callback that completes the dependency is NULL', CALL);
  const ready = scope.own(made.buffer.readyEvent());
  if (ready.isReady()) broken('the buffer is ready before its dependency is', CALL, 'BUF-DWC-001');
  if (!source.isDeleted()) {
    // Whether IsDeleted is true after a donation is not settled (it is in XLA): a warning at most.
    context.report({
      type: 'pjrt.AssertionFailed',
      level: 'should',
      message: 'a donated buffer is not deleted',
      call: CALL,
    });
  }
  const args = api.make(arena, 'PJRT_Buffer_DonateWithControlDependency_Callback_Args');
  const view = args.at(0);
  view.setWord('callback_data', made.data);
  if (fail !== undefined) {
    const text = arena.text(MESSAGE);
    view.setInt('error_code', codeNumber(context, fail));
    view.setWord('error_message', text.address);
    view.setSize('error_message_size', text.length);
  }
  context.instrument.native(`${CALL}.dependency_ready_callback`, () =>
    functionAt(made.run, 'void PjrtDependencyReady(void* args)')(args.address),
  );
  const status = await statusOf(ready);
  if (status?.codeName !== fail)
    broken(`the buffer's event ended in ${status?.codeName ?? 'OK'}, expected ${fail ?? 'OK'}`, CALL, 'BUF-DWC-002');
  if (fail !== undefined) {
    if (!status!.text.includes(MESSAGE)) broken('the error has lost its message', CALL, 'BUF-DWC-002');
    return;
  }
  same('the buffer', data, fetchArray(context, made.buffer), CALL, 'BUF-DWC-003');
};
