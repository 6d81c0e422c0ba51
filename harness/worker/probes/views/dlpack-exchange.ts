import { callback } from '../../ffi/function.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { elementType, list, number, optional, probe } from '../probe.ts';
import { hashed, same, violated } from '../support/checks.ts';
import { destroyAsync, send } from '../support/sending.ts';
import { makeView } from './make-view.ts';

const ALIGNMENT = 64n;

/**
 * The whole of a DLPack exchange inside one plugin. The exporter takes a reference and the address; the importer makes a
 * view whose delete callback gives the reference back; the exporter's buffer is deleted while the view is in use.
 */
export const dlpackExchange = probe(
  'dlpack-exchange',
  { dtype: optional(elementType, 'f32'), shape: optional(list(number), [7, 33]) },
  async (context, { dtype, shape }) => {
    const { api, scope } = context;
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
    let released!: (argument: bigint) => void;
    let count = 0;
    const done = new Promise<bigint>((resolve) => {
      released = resolve;
    });
    const registered = callback(
      'void PjrtOnDelete(void* data, void* user)',
      (_data: bigint | null, user: bigint | null) => {
        count++;
        released(user ?? 0n);
      },
    );
    scope.defer(() => {
      if (count > 0) registered.release();
    });
    const view = makeView(context, pointer, data, { address: registered.address, argument: source.pointer });
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
    if ((await done) !== source.pointer)
      violated('the delete callback got another argument', 'PJRT_Client_CreateViewOfDeviceBuffer', 'BUF-VIEW-002');
    source.dropReference();
    await context.yieldToCalls();
    if (count !== 1)
      violated(`the delete callback was called ${count} times`, 'PJRT_Client_CreateViewOfDeviceBuffer', 'BUF-VIEW-002');
  },
);
