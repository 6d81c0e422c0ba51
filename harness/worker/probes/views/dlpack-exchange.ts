import { RecordedCallback } from '../../steps/recorded-callback.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { elementType, list, number, optional, probe } from '../probe.ts';
import { hashed, same, violated } from '../support/checks.ts';
import { destroyAsync, send } from '../support/sending.ts';
import { makeView } from './make-view.ts';

const VIEW = 'PJRT_Client_CreateViewOfDeviceBuffer';
const ALIGNMENT = 64n;

/**
 * The whole of a DLPack exchange inside one plugin. The exporter takes a reference and the address; the importer makes a
 * view whose delete callback gives the reference back; the exporter's buffer is deleted while the view is in use.
 */
export const dlpackExchange = probe(
  'dlpack-exchange',
  { dtype: optional(elementType, 'f32'), shape: optional(list(number), [7, 33]) },
  async (context, { dtype, shape }) => {
    const { api } = context;
    const data = hashed(dtype, shape);
    const source = send(context, data, 'during-call').buffer;
    source.awaitReady();
    source.addReference();
    const pointer = source.opaquePointer();
    if (pointer === 0n)
      violated(
        'the address of a buffer with contents is NULL',
        'PJRT_Buffer_OpaqueDeviceMemoryDataPointer',
        'BUF-REF-003',
      );
    if (pointer % ALIGNMENT !== 0n) {
      context.report({
        type: 'pjrt.AssertionFailed',
        level: 'should',
        message: `the memory of a buffer is not aligned to ${ALIGNMENT} bytes: importers have to copy it`,
        call: 'PJRT_Buffer_OpaqueDeviceMemoryDataPointer',
      });
    }
    const recorder = new RecordedCallback(context, VIEW);
    const view = makeView(context, pointer, data, { address: recorder.address, argument: source.pointer });
    await api.invokeAsync('PJRT_Buffer_Delete', (call) => call.setWord('buffer', source.pointer));
    if (!source.isDeleted())
      violated('an exported buffer is not deleted after Delete', 'PJRT_Buffer_IsDeleted', 'BUF-DEL-005');
    same(
      'the view after its exporter was deleted',
      data,
      fetchArray(context, view),
      'PJRT_Buffer_Delete',
      'BUF-REF-004',
    );
    await destroyAsync(view, 'PJRT_Buffer_Destroy', 'buffer');
    await recorder.fired();
    if (recorder.firings()[0]!.arguments[1] !== source.pointer)
      violated('the delete callback got another argument', VIEW, 'BUF-VIEW-002');
    source.dropReference();
    await context.yieldToCalls();
    if (recorder.count() !== 1)
      violated(`the delete callback was called ${recorder.count()} times`, VIEW, 'BUF-VIEW-002');
  },
);
