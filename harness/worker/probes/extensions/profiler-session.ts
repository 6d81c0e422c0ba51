import { extensionStruct } from '../../../knowledge/abi/index.ts';
import { messageType } from '../../../knowledge/programs/message-type.ts';
import { readBytesIfMapped, readWord } from '../../ffi/memory.ts';
import { Call } from '../../pjrt/call.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import { readText } from '../../pjrt/strings.ts';
import { compileTool } from '../../steps/compile.ts';
import type { CaseContext } from '../../steps/context.ts';
import { startPut } from '../../steps/transfer.ts';
import { number, optional, probe } from '../probe.ts';
import { hashed, violated } from '../support/checks.ts';
import { extensionOf } from './support.ts';

const RUNS = 'EXT-PRF-002';
const DATA = 'EXT-PRF-003';
const COLLECT = 'Profiler.collect_data';
/** What no plugin writes by chance, in and behind the memory that it may write. */
const POISON = 0xc9;
const MARGIN = 64;

/** The part of tsl's XSpace that says whether bytes are one. */
const xspace = messageType('XSpace', {
  nested: { XSpace: { fields: { planes: { rule: 'repeated', type: 'bytes', id: 1 } } } },
});

/** A profiler is created, started, stopped and read as XLA's client does, and then a second one. */
export const profilerSession = probe(
  'extension-profiler-session',
  { structSize: optional(number, -1) },
  (context, { structSize }) => {
    const profiler = new Profiler(context, structSize);
    for (const round of [1, 2]) {
      const handle = profiler.create();
      profiler.call('start', handle);
      work(context);
      profiler.call('stop', handle);
      readData(context, profiler, handle, round);
      profiler.call('destroy', handle);
    }
  },
);

function work(context: CaseContext): void {
  const executable = compileTool(context, 'misc/add_one');
  const run = executable.execute(context.arena, [[startPut(context, hashed('f32', [4]))]], { events: true });
  for (const output of run.outputs.flat()) context.scope.own(output);
  for (const event of run.events) context.scope.own(event).await();
}

/**
 * The header has data collected by two calls: the second one writes them into the caller's memory. XLA's client makes only
 * the first one, and reads from the memory that it finds in `buffer`; the second one of XLA's own profiler writes nothing.
 */
function readData(context: CaseContext, profiler: Profiler, handle: bigint, round: number): void {
  const first = profiler.collect(handle, 0n);
  if (first.size === 0) return;
  if (first.buffer === 0n) {
    context.report({
      type: 'pjrt.ExtensionContract',
      message: `${COLLECT} without a buffer returns a size of ${first.size}, and NULL as the buffer, from which XLA's client reads`,
      call: COLLECT,
      requirements: [DATA],
    });
  }
  const given = first.buffer === 0n ? undefined : readBytesIfMapped(first.buffer, first.size);
  if (first.buffer !== 0n && given === undefined)
    violated(`the ${first.size} bytes of the profiler's own buffer cannot be read`, COLLECT, RUNS);
  const room = context.arena.alloc(first.size + MARGIN);
  room.bytes.fill(POISON);
  profiler.collect(handle, room.address);
  if (room.bytes.subarray(first.size).some((byte) => byte !== POISON))
    violated(`${COLLECT} writes more than the ${first.size} bytes that it asked for`, COLLECT, RUNS);
  const copied = room.bytes.subarray(0, first.size);
  const data = copied.some((byte) => byte !== POISON) ? copied : given;
  if (data === undefined)
    violated(`the profiler has ${first.size} bytes of data, but gives them in neither of two calls`, COLLECT, RUNS);
  if (isXSpace(data!)) return;
  context.report({
    type: 'pjrt.ExtensionContract',
    message: `the data of session ${round} of a profiler are no XSpace`,
    call: COLLECT,
    requirements: [DATA],
  });
}

/** XLA's own profiler counts a NUL behind the message. */
const isXSpace = (data: Uint8Array): boolean =>
  [data, ...(data.at(-1) === 0 ? [data.subarray(0, -1)] : [])].some((bytes) => {
    try {
      xspace().decode(bytes);
      return true;
    } catch {
      return false;
    }
  });

/** The functions of a plugin's profiler, whose errors are of a kind of their own. */
class Profiler {
  readonly #context: CaseContext;
  readonly #table: bigint;
  readonly #calls = new Map<string, Call>();
  readonly #structSize: number | undefined;

  /** @param structSize what arguments declare as their size, if not the right one */
  constructor(context: CaseContext, structSize: number) {
    this.#context = context;
    this.#structSize = structSize < 0 ? undefined : structSize;
    this.#table = extensionOf(context, 'Profiler').word('profiler_api') ?? 0n;
    if (this.#table === 0n) violated('profiler_api is NULL on the API table', 'Profiler.create', RUNS);
  }

  create(): bigint {
    const call = this.#begin('create', 'Create');
    // Options are a serialized ProfileOptions; all have defaults.
    call.setWord('options', this.#context.arena.text('').address);
    const handle = this.#run(call, () => call.word('profiler'));
    if (handle === 0n) violated('a profiler was created, but is NULL', call.name, RUNS);
    return handle;
  }

  call(name: 'start' | 'stop' | 'destroy', profiler: bigint): void {
    const call = this.#begin(name, `${name[0]!.toUpperCase()}${name.slice(1)}`);
    call.setWord('profiler', profiler);
    this.#run(call, () => {});
  }

  collect(profiler: bigint, buffer: bigint): { buffer: bigint; size: number } {
    const call = this.#begin('collect_data', 'CollectData');
    call.setWord('profiler', profiler);
    call.setWord('buffer', buffer);
    return this.#run(call, () => ({ buffer: call.word('buffer'), size: call.size('buffer_size_in_bytes') }));
  }

  #begin(slot: string, struct: string): Call {
    let call = this.#calls.get(slot);
    if (!call) {
      const layout = extensionStruct(`PLUGIN_Profiler_${struct}_Args`);
      call = new Call(`Profiler.${slot}`, layout, this.#slot(slot), this.#context.instrument, {
        takeError: this.#takeError,
      });
      this.#calls.set(slot, call);
    }
    call.reset(this.#structSize);
    return call;
  }

  #run<T>(call: Call, read: () => T): T {
    try {
      call.run();
      return read();
    } finally {
      this.#context.instrument.breadcrumb?.idle();
    }
  }

  #slot(name: string): bigint {
    const { offset } = extensionStruct('PLUGIN_Profiler_Api').field(name);
    const address = offset + 8 > Number(readWord(this.#table)) ? 0n : readWord(this.#table + BigInt(offset));
    if (address === 0n) violated(`${name} of the profiler's table is NULL`, `Profiler.${name}`, RUNS);
    return address;
  }

  /** Reads and destroys an error of the profiler. */
  #takeError = (error: bigint, from: string): PjrtError => {
    const ask = (slot: string, struct: string): Call => {
      const layout = extensionStruct(`PLUGIN_Profiler_${struct}_Args`);
      const call = new Call(`Profiler.${slot}`, layout, this.#slot(slot), this.#context.instrument, {
        takeError: slot === 'error_get_code' ? () => new Error(`Profiler.${slot} failed`) : undefined,
      });
      call.reset();
      call.setWord('error', error);
      call.run();
      return call;
    };
    const message = ask('error_message', 'Error_Message');
    const text = readText(message.word('message'), message.size('message_size'));
    const code = ask('error_get_code', 'Error_GetCode').int('code');
    ask('error_destroy', 'Error_Destroy');
    const name = this.#context.api.abi.enumNames('PJRT_Error_Code').get(code)?.replace('PJRT_Error_Code_', '');
    return new PjrtError(from, code, name ?? `code ${code}`, text, []);
  };
}
