import { AbiError } from './abi-error.ts';
import { builtinSize, type TypeSize } from './c-type.ts';
import { layOut, type StructLayout } from './struct-layout.ts';

/**
 * Version of XLA's typed FFI (xla/ffi/api/c_api.h) that these structs are from. They are alike in 0.1 to 0.5: what a newer
 * version has more is at the end of XLA_FFI_Api and of XLA_FFI_Metadata.
 */
export const XLA_FFI = { major: 0, minor: 5 } as const;

/** Stages in which a plugin calls a handler. */
export const XLA_FFI_STAGES: readonly string[] = ['INSTANTIATE', 'PREPARE', 'INITIALIZE', 'EXECUTE', 'RECORD'];

/** The extension of a call frame that asks a handler for its version; the handler does nothing else then. */
export const XLA_FFI_METADATA = 1;

/** Kinds of attributes by their numbers. */
export const XLA_FFI_ATTRIBUTES: Readonly<Record<number, 'array' | 'dictionary' | 'scalar' | 'string'>> = {
  1: 'array',
  2: 'dictionary',
  3: 'scalar',
  4: 'string',
};

/** Element types of the first twelve numbers, which are those of xla::PrimitiveType. */
export const XLA_FFI_DATA_TYPES: readonly string[] = [
  'invalid',
  'pred',
  's8',
  's16',
  's32',
  's64',
  'u8',
  'u16',
  'u32',
  'u64',
  'f16',
  'f32',
  'f64',
];

/** Enums are ints. */
const ENUM = 'int';
const HEAD = ['size_t struct_size', 'XLA_FFI_InternalExtension* extension_start'];

/** What handlers of custom calls and a plugin pass each other: fields in order, as C declares them. */
const STRUCTS: Readonly<Record<string, readonly string[]>> = {
  XLA_FFI_InternalExtension: ['size_t struct_size', `${ENUM} type`, 'XLA_FFI_InternalExtension* next'],
  XLA_FFI_Api_Version: [...HEAD, 'int major_version', 'int minor_version'],
  XLA_FFI_Metadata: ['size_t struct_size', 'XLA_FFI_Api_Version api_version', 'uint32_t traits'],
  XLA_FFI_Metadata_Extension: ['XLA_FFI_InternalExtension extension_base', 'XLA_FFI_Metadata* metadata'],
  XLA_FFI_CallFrame: [
    ...HEAD,
    'const XLA_FFI_Api* api',
    'XLA_FFI_InvokeContext* ctx',
    `${ENUM} stage`,
    'XLA_FFI_Args args',
    'XLA_FFI_Rets rets',
    'XLA_FFI_Attrs attrs',
    'XLA_FFI_Future* future',
  ],
  XLA_FFI_Args: [...HEAD, 'int64_t size', `${ENUM}* types`, 'void** args'],
  XLA_FFI_Rets: [...HEAD, 'int64_t size', `${ENUM}* types`, 'void** rets'],
  XLA_FFI_Attrs: [...HEAD, 'int64_t size', `${ENUM}* types`, 'XLA_FFI_ByteSpan** names', 'void** attrs'],
  XLA_FFI_Buffer: [...HEAD, `${ENUM} dtype`, 'void* data', 'int64_t rank', 'int64_t* dims'],
  XLA_FFI_ByteSpan: ['const char* ptr', 'size_t len'],
  XLA_FFI_Scalar: [`${ENUM} dtype`, 'void* value'],
  XLA_FFI_Array: [`${ENUM} dtype`, 'size_t size', 'void* data'],
  XLA_FFI_Error_Create_Args: [...HEAD, 'const char* message', `${ENUM} errc`],
  XLA_FFI_Error_Destroy_Args: [...HEAD, 'XLA_FFI_Error* error'],
  XLA_FFI_InvokeContext_Get_Args: [...HEAD, 'XLA_FFI_InvokeContext* ctx', 'XLA_FFI_TypeId* type_id', 'void* data'],
  XLA_FFI_Future_Create_Args: [...HEAD, 'XLA_FFI_Future* future'],
  XLA_FFI_Future_SetAvailable_Args: [...HEAD, 'XLA_FFI_Future* future'],
  XLA_FFI_Future_SetError_Args: [...HEAD, 'XLA_FFI_Future* future', 'XLA_FFI_Error* error'],
  XLA_FFI_Api: [
    ...HEAD,
    'XLA_FFI_Api_Version api_version',
    'const XLA_FFI_InternalApi* internal_api',
    ...[
      'XLA_FFI_Error_Create',
      'XLA_FFI_Error_GetDetails',
      'XLA_FFI_Error_Destroy',
      'XLA_FFI_Handler_Register',
      'XLA_FFI_Stream_Get',
      'XLA_FFI_Type_Register',
      'XLA_FFI_InvokeContext_Get',
      'XLA_FFI_State_Set',
      'XLA_FFI_State_Get',
      'XLA_FFI_DeviceMemory_Allocate',
      'XLA_FFI_DeviceMemory_Free',
      'XLA_FFI_ThreadPool_Schedule',
      'XLA_FFI_ThreadPool_NumThreads',
      'XLA_FFI_Future_Create',
      'XLA_FFI_Future_SetAvailable',
      'XLA_FFI_Future_SetError',
    ].map((name) => `${name}* ${name}`),
  ],
};

/** What the header declares as the size where that is not the end of the last field. */
const DECLARED: Readonly<Record<string, number>> = { XLA_FFI_CallFrame: 168, XLA_FFI_Future_Create_Args: 16 };

const layouts = new Map<string, StructLayout>();

/** Layout of a struct of XLA's typed FFI. */
export function xlaFfiStruct(name: string): StructLayout {
  let layout = layouts.get(name);
  if (!layout) {
    const fields = STRUCTS[name];
    if (!fields) throw new AbiError(`XLA's FFI has no struct ${name}`);
    const rows = fields.map((declared) => {
      const space = declared.lastIndexOf(' ');
      return { name: declared.slice(space + 1), type: declared.slice(0, space) };
    });
    layout = layOut(name, rows, sizeOf, DECLARED[name]);
    layouts.set(name, layout);
  }
  return layout;
}

const sizeOf = (type: string): TypeSize => builtinSize(type) ?? xlaFfiStruct(type);
