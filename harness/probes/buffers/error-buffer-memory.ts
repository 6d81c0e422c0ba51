import { Buffer } from '../../pjrt/buffer.ts';
import type { Probe } from '../../steps/steps.ts';
import { broken, codeNumber, defaultMemory, statusOf } from './support.ts';

const CALL = 'PJRT_Client_CreateErrorBuffer';
const MESSAGE = 'kept by the buffer';

/** The message and dimensions of an error buffer only have to live during the call: both are overwritten after it. */
export const errorBufferMemory: Probe = async (context) => {
  const { api, arena, scope, client } = context;
  const message = arena.text(MESSAGE);
  const dims = arena.int64s([2, 3]);
  const buffer = scope.own(
    api.invoke(
      CALL,
      (call) => {
        call.setWord('client', client.pointer);
        call.setInt('error_code', codeNumber(context, 'DATA_LOSS'));
        call.setWord('error_message', message.address);
        call.setSize('error_message_size', message.length);
        call.setWord('shape_dims', dims.address);
        call.setSize('shape_num_dims', 2);
        call.setInt('shape_element_type', 11);
        call.setWord('memory', defaultMemory(context).pointer);
      },
      (call) => new Buffer(api, call.word('buffer')),
    ),
  );
  message.bytes.fill(0x23);
  dims.bytes.fill(0x7f);
  const status = await statusOf(scope.own(buffer.readyEvent()));
  if (status?.codeName !== 'DATA_LOSS' || !status.text.includes(MESSAGE))
    broken("the buffer's error follows the memory that the caller passed", CALL, 'BUF-ERRB-005');
  if (buffer.dimensions().join() !== '2,3')
    broken("the buffer's dimensions follow the memory that the caller passed", CALL, 'BUF-ERRB-005');
};
