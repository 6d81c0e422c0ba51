import { fromBytes, type HostArray } from '../../../knowledge/numerics/array.ts';
import type { CaseContext } from '../../steps/context.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { probe } from '../probe.ts';
import { same, violated } from '../support/checks.ts';
import { EXCHANGE, exchange, exchangeOf } from './dlpack-process.ts';

const POINTER = 'PJRT_Buffer_OpaqueDeviceMemoryDataPointer';
const ALIGNMENT = 64;

/** Contents that a process saw, as an array like another one. */
export const seen = (like: HostArray, contents: string): HostArray =>
  fromBytes(like.dtype, like.shape, new Uint8Array(Buffer.from(contents, 'base64')));

interface Exported {
  /** The address of the buffer in the capsule, and while the library held it. */
  exported: number;
  held: number;
  array: { pointer: number };
  contents: string;
  /** What the plugin read after the library had dropped it. */
  after: string;
}

/** A library gets a buffer by reference and address: the array is right, it is the buffer's memory, and the buffer outlives it. */
export const dlpackExport = probe('dlpack-export', EXCHANGE, async (context, options) => {
  const about = exchangeOf(options);
  const { data, library } = about;
  const saw = await exchange<Exported>(context, 'export', options, about);
  if (saw.held !== saw.exported)
    violated('the address of a buffer changes while a reference is held', POINTER, 'BUF-REF-003');
  if (saw.array.pointer !== saw.exported) {
    if (saw.exported % ALIGNMENT === 0)
      throw new NotSupported(`this version of ${library} copies what it could use in place`);
    misaligned(context, library);
  }
  same(`the array in ${library}`, data, seen(data, saw.contents), POINTER, 'BUF-REF-003');
  same(
    'the buffer after its array was dropped',
    data,
    seen(data, saw.after),
    'PJRT_Buffer_ToHostBuffer',
    'BUF-REF-001',
  );
});

function misaligned(context: CaseContext, library: string): void {
  context.report({
    type: 'pjrt.AssertionFailed',
    level: 'should',
    message: `the memory of a buffer is not aligned to ${ALIGNMENT} bytes: ${library} copies it`,
    call: POINTER,
  });
}

/** A buffer is deleted while a library uses its memory, which stays what it was. */
export const dlpackExportDeleted = probe('dlpack-export-deleted', EXCHANGE, async (context, options) => {
  const about = exchangeOf(options);
  const { contents } = await exchange<{ contents: string }>(context, 'export-deleted', options, about);
  const what = `the array in ${about.library} after the buffer was deleted`;
  same(what, about.data, seen(about.data, contents), 'PJRT_Buffer_Delete', 'BUF-REF-004');
});

/** Two arrays share the memory of a buffer; one is dropped and the buffer deleted, and the other one stays what it was. */
export const dlpackExportTwice = probe('dlpack-export-twice', EXCHANGE, async (context, options) => {
  const about = exchangeOf(options);
  const { data, library } = about;
  const saw = await exchange<{ pointers: [number, number]; contents: string }>(context, 'export-twice', options, about);
  const [one, two] = saw.pointers;
  if (one !== two) violated('the address of a buffer changes while a reference is held', POINTER, 'BUF-REF-003');
  const what = `an array in ${library} after another one was dropped and the buffer deleted`;
  same(what, data, seen(data, saw.contents), 'PJRT_Buffer_DecreaseExternalReferenceCount', 'BUF-REF-004');
});
