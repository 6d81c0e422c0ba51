import { expect, test } from 'vitest';
import { AbiError } from './abi-error.ts';
import { xlaFfiStruct } from './xla-ffi.ts';

/** What a C compiler says of the header of versions 0.1, 0.3 and 0.5. */
const MEASURED: Readonly<Record<string, readonly [size: number, declared: number, offsets: Record<string, number>]>> = {
  XLA_FFI_CallFrame: [176, 168, { api: 16, ctx: 24, stage: 32, args: 40, rets: 80, attrs: 120, future: 168 }],
  XLA_FFI_Metadata: [40, 36, { api_version: 8, traits: 32 }],
  XLA_FFI_Metadata_Extension: [32, 32, { extension_base: 0, metadata: 24 }],
  XLA_FFI_Api_Version: [24, 24, { major_version: 16, minor_version: 20 }],
  XLA_FFI_Args: [40, 40, { size: 16, types: 24, args: 32 }],
  XLA_FFI_Attrs: [48, 48, { size: 16, types: 24, names: 32, attrs: 40 }],
  XLA_FFI_Buffer: [48, 48, { dtype: 16, data: 24, rank: 32, dims: 40 }],
  XLA_FFI_Scalar: [16, 16, { dtype: 0, value: 8 }],
  XLA_FFI_Array: [24, 24, { dtype: 0, size: 8, data: 16 }],
  XLA_FFI_Error_Create_Args: [32, 28, { message: 16, errc: 24 }],
  XLA_FFI_Future_Create_Args: [24, 16, { future: 16 }],
  XLA_FFI_Future_SetAvailable_Args: [24, 24, { future: 16 }],
  XLA_FFI_Future_SetError_Args: [32, 32, { future: 16, error: 24 }],
  XLA_FFI_InvokeContext_Get_Args: [40, 40, { ctx: 16, type_id: 24, data: 32 }],
  XLA_FFI_Api: [
    176,
    176,
    { api_version: 16, XLA_FFI_Error_Create: 48, XLA_FFI_InvokeContext_Get: 96, XLA_FFI_Future_SetError: 168 },
  ],
};

test.each(Object.entries(MEASURED))('%s is laid out as a compiler says', (name, [size, declared, offsets]) => {
  const layout = xlaFfiStruct(name);
  expect([layout.size, layout.declaredSize]).toEqual([size, declared]);
  expect(Object.fromEntries(Object.keys(offsets).map((f) => [f, layout.field(f).offset]))).toEqual(offsets);
});

test('there is no struct of another name', () => {
  expect(() => xlaFfiStruct('XLA_FFI_Nothing')).toThrow(AbiError);
});
