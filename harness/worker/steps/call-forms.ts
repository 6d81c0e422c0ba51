import { NEWEST_MINOR } from '../../knowledge/abi/index.ts';
import type { StepBody } from '../../suite/types.ts';
import { type GuardedBlock, guardedBlock, readBytes } from '../ffi/memory.ts';
import type { Call } from '../pjrt/call.ts';
import type { CaseContext } from './context.ts';
import { CheckFailure, NotSupported } from './outcome.ts';
import { resizedLayout } from './resized-layout.ts';
import type { Variation } from './run-valid-call.ts';
import { moveStrings } from './unterminated-strings.ts';

type ValidCall = Extract<StepBody, { verb: 'valid-call' }>;

/** Another form of a valid call, which means the same. */
interface Form extends Variation {
  /** When the call was refused, in words. */
  what: string;
  /** Whether the form could be given to the call. @throws NotSupported */
  check?(): void;
}

/** Bytes that a newer caller has more than anybody here knows. */
const GROWTH = 64;
/** struct_size and extension_start. */
const TWO_WORDS = 16;

/** The form that a step describes; undefined for the usual one. @throws NotSupported where the function has no such form */
export function formOf(context: CaseContext, step: ValidCall): Form | undefined {
  const { function: name, struct, extensions, larger, strings } = step;
  if (struct !== undefined && struct !== 'older') return STRUCTS[struct](context, name);
  if (extensions !== undefined) return withExtensions(context, name, extensions);
  if (larger !== undefined) return withLarger(context, name, larger);
  return strings === undefined ? undefined : withoutTerminators(context, name);
}

const STRUCTS: Readonly<
  Record<Exclude<NonNullable<ValidCall['struct']>, 'older'>, (context: CaseContext, name: string) => Form>
> = {
  larger: ({ api }, name) => {
    const { abi, pluginAbi, version } = api;
    const known = [abi.argsOf(name), pluginAbi.argsOf(name)].reduce((a, b) => (b.size > a.size ? b : a));
    const structSize = known.size + GROWTH;
    return {
      what: `to struct_size ${structSize}, as a newer caller declares`,
      layout: resizedLayout(known, structSize),
      structSize,
      after: (call) => {
        // What a plugin beyond the tables knows of its own structs, nobody here does.
        if (version.minor <= NEWEST_MINOR) expectZeros(call, known.size, structSize);
      },
    };
  },
  padded: ({ api }, name) => {
    const { size, structSize } = api.abi.argsOf(name);
    if (size === structSize) throw new NotSupported(`in this version ${name}_Args has no padding at its end`);
    return { what: `to struct_size ${size}, which is sizeof`, structSize: size };
  },
  'two-words': (context, name) => twoWords(context, name),
  // The memory really ends where the caller says so: reading on is a crash.
  'cut-off': (context, name) => ({
    ...twoWords(context, name),
    layout: resizedLayout(context.api.abi.argsOf(name), TWO_WORDS),
  }),
};

function twoWords({ api }: CaseContext, name: string): Form {
  if (api.abi.argsOf(name).structSize <= TWO_WORDS)
    throw new NotSupported(`${name}_Args is not larger than ${TWO_WORDS} bytes`);
  return { what: `to struct_size ${TWO_WORDS}`, structSize: TWO_WORDS };
}

function expectZeros(call: Call, from: number, to: number): void {
  if (call.bytes.subarray(from, to).every((b) => b === 0)) return;
  throw new CheckFailure({
    type: 'pjrt.MemoryOverrun',
    message: `${call.name} wrote into fields that it does not know, behind its own ${from} bytes`,
    call: call.name,
    requirements: ['ABI-ARGS-002'],
  });
}

/** Bytes of the base of an extension, and of a whole profiler extension. */
const BASE_BYTES = 24;
const PROFILER = { type: 1, bytes: 40 };

/**
 * A chain of extensions, hung on the arguments, each of which ends at a guard page: whoever looks behind it crashes. Either
 * of types that nobody knows, or what frameworks send: a profiler extension without a profiler, but with a trace id.
 */
function withExtensions({ api }: CaseContext, name: string, extensions: 'profiler' | readonly number[]): Form {
  if (!api.abi.argsOf(name).has('extension_start'))
    throw new NotSupported(`the arguments of ${name} take no extensions in 0.${api.abi.minor}`);
  const types = extensions === 'profiler' ? [PROFILER.type] : extensions;
  const bytes = extensions === 'profiler' ? PROFILER.bytes : BASE_BYTES;
  let next = 0n;
  for (const [i, type] of types.entries()) {
    const node = kept(`${types.join()} ${i}`, bytes, 'PJRT_Extension_Base');
    node.view.setBigUint64(0, BigInt(bytes), true);
    node.view.setInt32(8, type, true);
    node.view.setBigUint64(16, next, true);
    if (extensions === 'profiler') node.view.setBigInt64(32, 424242n, true);
    next = node.address;
  }
  return {
    what:
      extensions === 'profiler'
        ? 'when a profiler extension without a profiler is attached to its arguments'
        : `when extensions of unknown types ${types.join(', ')} are attached to its arguments`,
    before: (call) => call.setWord('extension_start', next),
  };
}

const blocks = new Map<string, GuardedBlock>();

/** A guarded block for a purpose, which is never given back, and used again the next time. */
function kept(purpose: string, bytes: number, struct: string): GuardedBlock {
  const block = blocks.get(purpose) ?? guardedBlock(bytes, struct);
  blocks.set(purpose, block);
  return block;
}

/** A struct behind a pointer in the arguments, larger than the plugin's own, as newer callers have it. */
function withLarger({ api }: CaseContext, name: string, field: string): Form {
  const struct = api.abi.argsOf(name).field(field).base;
  const { size } = api.abi.struct(struct);
  const bytes = Math.max(size, api.pluginAbi.struct(struct).size) + GROWTH;
  const block = kept(`${struct} ${bytes}`, Math.ceil(bytes / 8) * 8, struct);
  return {
    what: `to a ${struct} of ${bytes} bytes, as a newer caller sends it`,
    before: (call) => {
      block.bytes.fill(0);
      block.bytes.set(readBytes(call.word(field), size));
      block.view.setBigUint64(0, BigInt(bytes), true);
      call.setWord(field, block.address);
    },
  };
}

/** Every string among the arguments ends right before an inaccessible page: whoever looks for a NUL crashes. */
function withoutTerminators({ api }: CaseContext, name: string): Form {
  let moved = 0;
  return {
    what: 'when its strings do not end in a NUL',
    before: (call) => {
      moved = moveStrings(api, call);
    },
    check: () => {
      if (moved === 0) throw new NotSupported(`${name} gets no strings from this run`);
    },
  };
}
