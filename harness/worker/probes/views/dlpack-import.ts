import { NotSupported } from '../../steps/outcome.ts';
import { probe } from '../probe.ts';
import { same, violated } from '../support/checks.ts';
import { seen } from './dlpack-export.ts';
import { EXCHANGE, exchange, exchangeOf } from './dlpack-process.ts';

const VIEW = 'PJRT_Client_CreateViewOfDeviceBuffer';

/** How the callback of a view ran. */
interface Released {
  /** Calls before the view ended, and in all. */
  early: number;
  calls: number;
  /** Whether it got the address of the memory, and its own argument. */
  pointerRight: boolean;
  argumentRight: boolean;
}

interface Imported extends Released {
  array: { pointer: number };
  dimensions: number[];
  /** The address that the view has. */
  pointer: number;
  /** What the plugin read: at first, after the library overwrote its array, and after it forgot the array. */
  contents: string;
  overwritten: string;
  forgotten: string;
}

function expectReleasedOnce({ early, calls, pointerRight, argumentRight }: Released): void {
  if (early > 0) violated('the delete callback was called while the view existed', VIEW, 'BUF-VIEW-002');
  if (calls !== 1) violated(`the delete callback was called ${calls} times`, VIEW, 'BUF-VIEW-002');
  if (!pointerRight) violated('the delete callback got another pointer', VIEW, 'BUF-VIEW-002');
  if (!argumentRight) violated('the delete callback got another argument', VIEW, 'BUF-VIEW-002');
}

/** A view of a library's array is that memory, which the library gets back once, when the view ends. */
export const dlpackImport = probe('dlpack-import', EXCHANGE, async (context, options) => {
  const about = exchangeOf(options);
  const { data, other, library } = about;
  const saw = await exchange<Imported>(context, 'import', options, about);
  if (saw.dimensions.join() !== data.shape.join())
    violated(`the dimensions of the view are [${saw.dimensions}]`, VIEW, 'BUF-VIEW-001');
  same(`a view of an array of ${library}`, data, seen(data, saw.contents), VIEW, 'BUF-VIEW-001');
  if (saw.pointer !== saw.array.pointer)
    violated('the address of the view is not that of the array', VIEW, 'BUF-VIEW-001');
  same('the view after its array was overwritten', other, seen(data, saw.overwritten), VIEW, 'BUF-VIEW-001');
  same(`the view after ${library} forgot the array`, other, seen(data, saw.forgotten), VIEW, 'BUF-VIEW-002');
  expectReleasedOnce(saw);
});

interface Transposed extends Released {
  /** The array, and the one that the library got back through the view. */
  array: { pointer: number; strides: number[] };
  back: { pointer: number; strides: number[] };
  contents: string;
}

/** A view of a transposed array has its layout: exported again, it is the same array. */
export const dlpackImportTransposed = probe('dlpack-import-transposed', EXCHANGE, async (context, options) => {
  const about = exchangeOf(options);
  const { data, library } = about;
  const { array, back, contents, ...released } = await exchange<Transposed>(
    context,
    'import-transposed',
    options,
    about,
  );
  if (back.strides.join() !== array.strides.join()) {
    violated(
      `an array with strides [${array.strides}] came back from its view with strides [${back.strides}]`,
      VIEW,
      'BUF-VIEW-008',
    );
  }
  if (back.pointer !== array.pointer)
    violated('the address of the view is not that of the array', VIEW, 'BUF-VIEW-001');
  same(`an array of ${library} that became a view`, data, seen(data, contents), VIEW, 'BUF-VIEW-008');
  expectReleasedOnce(released);
});

/** Memory with an odd alignment is used, or refused as JAX expects, and then a copy of it can be made. */
export const dlpackImportUnaligned = probe('dlpack-import-unaligned', EXCHANGE, async (context, options) => {
  const about = exchangeOf(options);
  const { data, library } = about;
  const saw = await exchange<{ refused?: number; contents: string } & Released>(
    context,
    'import-unaligned',
    options,
    about,
  );
  if (saw.refused === undefined) {
    same(`a view of an array of ${library}`, data, seen(data, saw.contents), VIEW, 'BUF-VIEW-001');
    return expectReleasedOnce({ ...saw, early: 0 });
  }
  const code = context.api.pluginAbi.enumNames('PJRT_Error_Code').get(saw.refused) ?? `code ${saw.refused}`;
  if (code.endsWith('_UNIMPLEMENTED')) throw new NotSupported(`${VIEW} returns UNIMPLEMENTED`);
  if (!code.endsWith('_INVALID_ARGUMENT'))
    violated(
      `a view of unaligned memory was refused with ${code.replace('PJRT_Error_Code_', '')}`,
      VIEW,
      'BUF-VIEW-006',
    );
  if (saw.early > 0) violated('a view that was refused has called its delete callback', VIEW, 'BUF-VIEW-007');
  same(
    `a copy of an array of ${library}`,
    data,
    seen(data, saw.contents),
    'PJRT_Client_BufferFromHostBuffer',
    'BUF-HOST-017',
  );
});

/** A buffer becomes an array, and this a view: the same memory, which stays until the view ends. */
export const dlpackRoundTrip = probe('dlpack-round-trip', EXCHANGE, async (context, options) => {
  const about = exchangeOf(options);
  const { data } = about;
  const saw = await exchange<{ exported: number; pointer: number; contents: string } & Released>(
    context,
    'round-trip',
    options,
    about,
  );
  if (saw.pointer !== saw.exported) violated('the address of the view is not that of the buffer', VIEW, 'BUF-VIEW-001');
  same('the view after its buffer was deleted', data, seen(data, saw.contents), 'PJRT_Buffer_Delete', 'BUF-REF-004');
  expectReleasedOnce(saw);
});
