import {
  XLA_FFI,
  XLA_FFI_ATTRIBUTES,
  XLA_FFI_DATA_TYPES,
  XLA_FFI_STAGES,
  xlaFfiStruct,
} from '../../../../knowledge/abi/index.ts';
import { elementCount, fromBytes, type HostArray } from '../../../../knowledge/numerics/array.ts';
import { dtype } from '../../../../knowledge/numerics/dtypes.ts';
import { functionAt } from '../../../ffi/function.ts';
import { type Arena, readBytesIfMapped, writeBytes } from '../../../ffi/memory.ts';
import { StructView } from '../../../pjrt/struct-view.ts';
import { NotSupported } from '../../../steps/outcome.ts';
import { violated } from '../../support/checks.ts';

/** Where handlers run. */
export const EXECUTE = 'PJRT_LoadedExecutable_Execute';
/** A handler runs as often as it is called, in its stage, with a frame that it can read. */
export const RUNS = 'EXT-FFI-002';
/** Operands and results are in the call frame. */
const OPERANDS = 'EXT-FFI-003';
/** Attributes are in the call frame. */
const ATTRIBUTES = 'EXT-FFI-004';

/** An operand or result of a call. The address may be one of a device. */
interface FfiBuffer {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly address: bigint;
}

/** An attribute: a number, a flag, a text or a list of numbers. */
interface FfiAttribute {
  readonly name: string;
  readonly type: string;
  readonly value: unknown;
}

/**
 * A call frame of XLA's typed FFI, as a handler sees it. What it points to is copied; a pointer to nothing readable is the
 * plugin's fault.
 */
export class CallFrame {
  readonly #address: bigint;
  readonly #view: StructView;
  readonly #arena: Arena;

  constructor(address: bigint, arena: Arena) {
    this.#address = address;
    this.#arena = arena;
    this.#view = read('XLA_FFI_CallFrame', address, 'a handler is called with no call frame');
  }

  /** The first extension of a type; 0n if there is none. */
  extension(type: number): bigint {
    let at = this.#view.word('extension_start');
    for (let i = 0; at !== 0n && i < 64; i++) {
      const base = read('XLA_FFI_InternalExtension', at, 'the extensions of a call frame cannot be read');
      if (base.int('type') === type) return at;
      at = base.word('next');
    }
    return 0n;
  }

  /** Version of the FFI that the plugin implements; undefined if the frame has no API. */
  get version(): { major: number; minor: number } | undefined {
    if (this.#view.word('api') === 0n) return undefined;
    const version = this.#api.nested('api_version', xlaFfiStruct('XLA_FFI_Api_Version'));
    return { major: version.int('major_version'), minor: version.int('minor_version') };
  }

  get stage(): string {
    const stage = this.#view.int('stage');
    return XLA_FFI_STAGES[stage] ?? String(stage);
  }

  /** Parts of the frame whose struct_size is less than every version's: handlers in C++ refuse such a frame. */
  tooSmall(): string[] {
    const parts = [this.#part('args', 'Args'), this.#part('rets', 'Rets'), this.#part('attrs', 'Attrs')];
    return [this.#view, ...parts].flatMap((part) => {
      const { name, declaredSize } = part.layout;
      const size = part.size('struct_size');
      return size < (declaredSize ?? 0) ? [`${name} (${size} bytes, expected ${declaredSize})`] : [];
    });
  }

  operands = (): FfiBuffer[] => this.#buffers(this.#part('args', 'Args'), 'args', 'operand');
  results = (): FfiBuffer[] => this.#buffers(this.#part('rets', 'Rets'), 'rets', 'result');

  /** In the order of the frame. */
  attributes(): FfiAttribute[] {
    const attributes = this.#part('attrs', 'Attrs');
    const count = countOf(attributes, ATTRIBUTES);
    const types = new DataView(
      bytes(attributes.word('types'), count * 4, 'the kinds of attributes', ATTRIBUTES).buffer,
    );
    const names = words(attributes.word('names'), count, 'the names of attributes', ATTRIBUTES);
    const values = words(attributes.word('attrs'), count, 'the attributes', ATTRIBUTES);
    return names.map((name, i) => ({ name: text(name), ...attribute(types.getInt32(i * 4, true), values[i]!) }));
  }

  /** Makes an error with the plugin's own function; the message is overwritten when it is made. */
  error(code: number, message: string): bigint {
    const { address, bytes: copy } = this.#arena.copy(Buffer.from(`${message}\0`, 'utf8'));
    const { result } = this.#invoke('XLA_FFI_Error_Create', (args) => {
      args.setWord('message', address);
      args.setInt('errc', code);
    });
    copy.fill(0x3f, 0, copy.length - 1);
    return result;
  }

  /** The data of a type in the execute context; undefined if the plugin says with an error that there is none. */
  userData(type: bigint): bigint | undefined {
    const id = this.#arena.int64s([type]);
    const { args, result } = this.#invoke('XLA_FFI_InvokeContext_Get', (given) => {
      given.setWord('ctx', this.#view.word('ctx'));
      given.setWord('type_id', id.address);
    });
    if (result === 0n) return args.word('data');
    this.#invoke('XLA_FFI_Error_Destroy', (given) => given.setWord('error', result));
    return undefined;
  }

  /** Makes a future and leaves it in the frame: the call ends when the future does. */
  leaveFuture(): bigint {
    const { args, result } = this.#invoke('XLA_FFI_Future_Create', () => {});
    const future = args.word('future');
    if (result !== 0n || future === 0n) violated('a handler cannot make a future', EXECUTE, 'EXT-FFI-008');
    const field = this.#view.layout.field('future');
    const word = new Uint8Array(8);
    new DataView(word.buffer).setBigUint64(0, future, true);
    writeBytes(this.#address + BigInt(field.offset), word);
    return future;
  }

  /** Ends a future, with an error or without. */
  endFuture(future: bigint, error?: bigint): void {
    this.#invoke(error === undefined ? 'XLA_FFI_Future_SetAvailable' : 'XLA_FFI_Future_SetError', (args) => {
      args.setWord('future', future);
      if (error !== undefined) args.setWord('error', error);
    });
  }

  get #api(): StructView {
    const missing = 'the API of a call frame cannot be read';
    const address = this.#view.word('api');
    const size = Number(new DataView(bytes(address, 8, missing, RUNS).buffer).getBigUint64(0, true));
    const layout = xlaFfiStruct('XLA_FFI_Api');
    const copy = new Uint8Array(layout.size);
    copy.set(bytes(address, Math.min(size, layout.size), missing, RUNS));
    return new StructView(layout, new DataView(copy.buffer));
  }

  #invoke(name: string, fill: (args: StructView) => void): { args: StructView; result: bigint } {
    const api = this.#api;
    const { offset } = api.layout.field(name);
    const address = api.word(name);
    if (offset + 8 > api.size('struct_size') || address === 0n) {
      const version = this.version;
      throw new NotSupported(`version ${version?.major}.${version?.minor} of the plugin's FFI has no ${name}`);
    }
    const layout = xlaFfiStruct(`${name}_Args`);
    const block = this.#arena.alloc(layout.size, 16);
    const args = new StructView(layout, block.view);
    args.reset(layout.declaredSize ?? undefined);
    fill(args);
    const result = functionAt(address, 'void* XlaFfiFunction(void* args)')(block.address) as bigint | null;
    return { args, result: result ?? 0n };
  }

  #part = (field: string, name: string): StructView => this.#view.nested(field, xlaFfiStruct(`XLA_FFI_${name}`));

  #buffers(list: StructView, field: string, what: string): FfiBuffer[] {
    const count = countOf(list, OPERANDS);
    return words(list.word(field), count, `the ${what}s`, OPERANDS).map((address) => {
      const buffer = read('XLA_FFI_Buffer', address, `an ${what} cannot be read`, OPERANDS);
      const rank = Number(buffer.int64('rank'));
      if (rank < 0 || rank > 64) violated(`a handler gets an ${what} with ${rank} dimensions`, EXECUTE, OPERANDS);
      return {
        dtype: typeName(buffer.int('dtype')),
        shape: words(buffer.word('dims'), rank, `the dimensions of an ${what}`, OPERANDS).map(Number),
        address: buffer.word('data'),
      };
    });
  }
}

/** The version that a handler reports to a plugin: the plugin's own, if that is one of those that are alike. */
export const versionFor = (frame: CallFrame): { major: number; minor: number } => {
  const { version } = frame;
  if (version === undefined) return XLA_FFI;
  return { major: XLA_FFI.major, minor: Math.min(version.minor, XLA_FFI.minor) };
};

/** `f32[2,3]` */
export const typeOf = ({ dtype: type, shape }: Pick<FfiBuffer, 'dtype' | 'shape'>): string => `${type}[${shape}]`;

/** Contents of an operand that the host can address. */
export function contentsOf(buffer: FfiBuffer): HostArray {
  const type = dtype(buffer.dtype);
  const size = elementCount(buffer.shape) * type.hostBytes;
  return fromBytes(type, buffer.shape, bytes(buffer.address, size, 'the contents of an operand', OPERANDS));
}

/** Writes a result that the host can address. */
export function writeResult(buffer: FfiBuffer, contents: HostArray): void {
  bytes(buffer.address, contents.bytes.length, 'the memory of a result', OPERANDS);
  writeBytes(buffer.address, contents.bytes);
}

function attribute(kind: number, address: bigint): { type: string; value: unknown } {
  const name = XLA_FFI_ATTRIBUTES[kind];
  if (name === 'string') return { type: 'text', value: text(address) };
  if (name === 'scalar') {
    const scalar = read('XLA_FFI_Scalar', address, 'an attribute cannot be read', ATTRIBUTES);
    const type = typeName(scalar.int('dtype'));
    return { type, value: numbers(type, scalar.word('value'), 1)[0] };
  }
  if (name === 'array') {
    const array = read('XLA_FFI_Array', address, 'an attribute cannot be read', ATTRIBUTES);
    const type = typeName(array.int('dtype'));
    return { type: `${type} list`, value: numbers(type, array.word('data'), array.size('size')) };
  }
  return { type: name ?? `kind ${kind}`, value: undefined };
}

function numbers(type: string, address: bigint, count: number): number[] {
  if (count > 64) violated(`an attribute of a call has ${count} elements`, EXECUTE, ATTRIBUTES);
  const { hostBytes } = dtype(type);
  const { buffer } = bytes(address, count * hostBytes, 'the value of an attribute', ATTRIBUTES);
  const view = new DataView(buffer);
  return Array.from({ length: count }, (_, i) => {
    if (type === 's64') return Number(view.getBigInt64(i * 8, true));
    if (type === 'f32') return view.getFloat32(i * 4, true);
    return type === 'pred' ? view.getUint8(i) : Number.NaN;
  });
}

/** An element type by its number, as the harness spells it. */
const typeName = (number: number): string => XLA_FFI_DATA_TYPES[number] ?? `type ${number}`;

function text(span: bigint): string {
  const view = read('XLA_FFI_ByteSpan', span, 'a text of an attribute cannot be read', ATTRIBUTES);
  const size = view.size('len');
  if (size > 4096) violated(`a text of an attribute has ${size} bytes`, EXECUTE, ATTRIBUTES);
  return Buffer.from(bytes(view.word('ptr'), size, 'a text of an attribute', ATTRIBUTES)).toString('latin1');
}

function countOf(list: StructView, requirement: string): number {
  const count = Number(list.int64('size'));
  if (count < 0 || count > 64) violated(`a handler gets a list of ${count} elements`, EXECUTE, requirement);
  return count;
}

function words(address: bigint, count: number, what: string, requirement: string): bigint[] {
  const view = new DataView(bytes(address, count * 8, what, requirement).buffer);
  return Array.from({ length: count }, (_, i) => view.getBigUint64(i * 8, true));
}

function read(name: string, address: bigint, otherwise: string, requirement = RUNS): StructView {
  const layout = xlaFfiStruct(name);
  const copy = readBytesIfMapped(address, layout.size);
  if (copy === undefined) violated(otherwise, EXECUTE, requirement);
  return new StructView(layout, new DataView(copy!.buffer));
}

function bytes(address: bigint, size: number, what: string, requirement: string): Uint8Array {
  if (size === 0) return new Uint8Array(0);
  const copy = address === 0n ? undefined : readBytesIfMapped(address, size);
  if (copy === undefined) violated(`${what} in a call frame cannot be read`, EXECUTE, requirement);
  return copy!;
}
