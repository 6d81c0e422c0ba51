import type { HostArray } from '../../../knowledge/numerics/array.ts';
import { Buffer as PjrtBuffer } from '../../pjrt/buffer.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import type { CaseContext } from '../../steps/context.ts';
import { ifOffered, isHostLike, rawContents } from '../../steps/device-format.ts';
import { checkError } from '../../steps/expected-error.ts';
import { causeOf, NotSupported } from '../../steps/outcome.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { elementType, list, number, optional, probe } from '../probe.ts';
import { hashed, same, violated } from '../support/checks.ts';
import { send } from '../support/sending.ts';

const CALL = 'PJRT_Buffer_Bitcast';

/**
 * A bitcast keeps the bytes that lie on the device, and is an error between arrays that take different numbers of bytes
 * there: a padded device may find others equal than the host does. On the CPU the bytes are those of the
 * array; elsewhere raw copies are compared.
 */
export const bitcast = probe(
  'bitcast',
  {
    dtype: optional(elementType, 'f32'),
    shape: optional(list(number), [4]),
    to: optional(elementType, 's32'),
    dims: optional(list(number), [4]),
  },
  (context, { dtype, shape, to, dims }) => {
    const data = hashed(dtype, shape);
    const like = hashed(to, dims);
    const [source, other] = [send(context, data, 'during-call').buffer, send(context, like, 'during-call').buffer];
    source.awaitReady();
    other.awaitReady();
    const [has, takes] = [source.onDeviceSize(), other.onDeviceSize()];
    const before = isHostLike(source, data.bytes.length) ? undefined : ifOffered(() => rawContents(context, source));
    const hostLike = before === undefined && isHostLike(source, data.bytes.length);
    const equal = has === takes && data.bytes.length === like.bytes.length;
    const cast = attempt(context, source, like, equal);
    if (!cast) {
      same('the source of a refused bitcast', data, fetchArray(context, source), CALL, 'BUF-BIT-001');
      return;
    }
    if (has !== takes) violated(`${has} bytes on the device became ${takes}`, CALL, 'BUF-BIT-001');
    if (cast.dimensions().join() !== like.shape.join())
      violated(`the bitcast has the dimensions ${cast.dimensions()}, expected ${like.shape}`, 'PJRT_Buffer_Dimensions');
    if (!ifOffered(() => source.isDeleted())) {
      context.report({
        type: 'pjrt.AssertionFailed',
        level: 'should',
        message: 'the source is not deleted',
        call: CALL,
      });
    }
    if (hostLike) same('the bitcast', { ...like, bytes: data.bytes }, fetchArray(context, cast), CALL, 'BUF-BIT-004');
    else if (!before)
      throw new NotSupported(
        'device memory does not hold the bytes of the host array, and the plugin offers no way to read them',
      );
    else if (Buffer.compare(before, rawContents(context, cast)) !== 0)
      violated('the bytes on the device change with the bitcast', CALL, 'BUF-BIT-004');
  },
);

/** @param must whether the sizes agree, on the device and on the host, so that there is no reason to refuse it with another error than UNIMPLEMENTED */
function attempt(context: CaseContext, source: PjrtBuffer, like: HostArray, must: boolean): PjrtBuffer | undefined {
  const { api, arena, scope } = context;
  try {
    const cast = api.invoke(
      CALL,
      (call) => {
        call.setWord('buffer', source.pointer);
        call.setInt('element_type', like.dtype.enumValue);
        call.setWord('dims', arena.int64s(like.shape).address);
        call.setSize('num_dims', like.shape.length);
      },
      (call) => scope.own(new PjrtBuffer(api, call.word('out_buffer'))),
    );
    cast.awaitReady();
    return cast;
  } catch (error) {
    if (!(error instanceof PjrtError) || must) throw error;
    if (error.codeName === 'UNIMPLEMENTED') throw new NotSupported(error.message, causeOf(error));
    checkError(context, { must: 'any', should: 'INVALID_ARGUMENT' }, error);
    return undefined;
  }
}
