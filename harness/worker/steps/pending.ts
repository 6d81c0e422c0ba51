import type { HostArray } from '../../knowledge/numerics/array.ts';
import type { PendingVia, SelfEnding, StepBody } from '../../suite/types.ts';
import { functionAt } from '../ffi/function.ts';
import type { Block } from '../ffi/memory.ts';
import { Buffer } from '../pjrt/buffer.ts';
import { Device } from '../pjrt/device.ts';
import { PjrtError } from '../pjrt/errors.ts';
import { Event } from '../pjrt/event.ts';
import { NativeObject } from '../pjrt/handle.ts';
import type { Memory } from '../pjrt/memory.ts';
import type { Fields } from '../pjrt/struct-view.ts';
import { createAlias, fulfillAlias, TransferManager } from '../pjrt/transfer-manager.ts';
import type { CaseContext } from './context.ts';
import { deviceBytes, pieceOf } from './device-bytes.ts';
import { ownLayout } from './device-format.ts';
import { startInFlight } from './in-flight.ts';
import { CheckFailure, lacksHelper, refusal, SuiteFault } from './outcome.ts';
import { startPut } from './transfer.ts';

/** The end of something that is pending, in the hands of the harness unless it ends by itself. */
interface Completion {
  /** Waits for it if it ends by itself. @param piece only that piece of the contents */
  complete(piece?: number): Promise<void>;
  /** Ends it in an error. The message's memory is overwritten as soon as the call has returned. */
  fail(code: string, message: string): Promise<void>;
  /** Destroys what would complete it, without completing it; it must then end in an error. */
  abandon(): Promise<void>;
}

/** An event that is not ready yet, with the buffer that it belongs to, if it is a buffer's. */
interface Pending extends Completion {
  event: Event;
  buffer: Buffer | undefined;
  /** Contents of the buffer after `complete`. */
  data: HostArray;
  /** The buffer whose contents it takes over, if there is one. */
  source: Buffer | undefined;
  endsByItself?: true;
}

/** `pending`: something that is not ready before the step `complete`. */
export function pending(context: CaseContext, step: Extract<StepBody, { verb: 'pending' }>): void {
  const { contents, pieces, of, on } = step;
  const made = makePending(context, step.via, {
    ...(contents === undefined ? {} : { data: context.data(contents) }),
    ...(pieces === undefined ? {} : { pieces }),
    ...(of === undefined ? {} : { source: context.resolveAs(of, Buffer, 'a buffer') }),
    ...(on === undefined ? {} : { on }),
  });
  const { event } = made;
  const complete = (piece?: number): Promise<void> => {
    if (piece === undefined) context.withheld.delete(complete);
    return made.complete(piece);
  };
  if (!made.endsByItself) context.withheld.add(complete);
  const completion: Completion = {
    ...made,
    complete,
    fail: (code, message) => {
      context.withheld.delete(complete);
      // An event that is ready can no longer end in an error: it must not be looked for later.
      context.readyEarly ||= !event.destroyed && event.isReady();
      return made.fail(code, message);
    },
  };
  const facts = {
    buffer: made.buffer,
    event: made.event,
    contents: made.data,
    source: made.source,
    completion,
  };
  for (const [name, fact] of Object.entries(step.as)) context.bind(name, facts[fact]);
}

/** `complete`: something pending gets its contents, or an error. */
export async function complete(context: CaseContext, step: Extract<StepBody, { verb: 'complete' }>): Promise<void> {
  const completion = context.resolve(step.of) as Partial<Completion> | undefined;
  if (!completion?.complete || !completion.fail) throw new SuiteFault(`${step.of} is not the completion of anything`);
  if (step.error) await completion.fail(step.error.code, step.error.message);
  else await completion.complete(step.piece);
}

/**
 * Makes a pending event. The case owns everything.
 * @throws AbsentError, NotSupported when the plugin lacks what `via` needs, or fails at it and the case is not about that, or makes
 * nothing of the source
 */
export function makePending(context: CaseContext, via: PendingVia, wanted: Wanted = {}): Pending {
  const way = WAYS[via];
  try {
    return way.make(context, wanted);
  } catch (error) {
    const { area } = way;
    const isAbout = area !== undefined && context.case.covers.some((id) => id.startsWith(area));
    throw error instanceof PjrtError && (!isAbout || wanted.source) ? lacksHelper(error) : error;
  }
}

/** What a buffer must be that is filled later; default: 4 f32 on the first device, in one piece. */
interface Wanted {
  data?: HostArray;
  /** What an alias, or a donation with a dependency, is made of; default: a buffer with `data`. */
  source?: Buffer;
  pieces?: number;
  on?: string;
}

/** An error in native memory. */
interface NativeError {
  code: number;
  message: Block & { length: number };
}

/** Does something with an error, whose message is overwritten afterwards. @param code its name without the prefix */
async function withError(
  { api, arena }: CaseContext,
  code: string,
  text: string,
  give: (error: NativeError) => unknown,
): Promise<void> {
  const message = arena.text(text);
  await give({ code: api.abi.enumValue('PJRT_Error_Code', `PJRT_Error_Code_${code}`)!, message });
  message.bytes.fill(0x23);
}

/** The fields of an error in a struct. */
const errorFields = ({ code, message }: NativeError): Fields => ({
  error_code: code,
  error_message: message.address,
  error_message_size: message.length,
});

const impossible = (why: string) => (): never => {
  throw new SuiteFault(why);
};

/** Data of 4 elements, other ones for each seed. */
const sample = (context: CaseContext, seed: number): HostArray =>
  context.data({ hash: { dtype: 'f32', shape: [4], seed } });

function fromCreatedEvent(context: CaseContext): Pending {
  const { api, scope } = context;
  api.demand('PJRT_Event_Set');
  const event = scope.own(Event.create(api));
  const set = async (error: Fields): Promise<void> => {
    if (event.destroyed) throw new SuiteFault('the event is destroyed: nobody can set it any more');
    await api.invokeAsync('PJRT_Event_Set', { event: event.pointer, ...error });
  };
  return {
    event,
    buffer: undefined,
    source: undefined,
    data: context.data({ hash: { dtype: 'f32', shape: [0] } }),
    complete: () => set({}),
    fail: (code, message) => withError(context, code, message, (error) => set(errorFields(error))),
    abandon: async () => {
      event.disown();
      await api.invokeAsync('PJRT_Event_Destroy', { event: event.pointer });
    },
  };
}

/** The memory that is asked for, or that of a device of which nothing else is said. */
function homeOf(context: CaseContext, { on }: Wanted): Memory {
  const place = context.resolveAs(on ?? '$memory', NativeObject, 'a device or a memory');
  return place instanceof Device ? place.defaultMemory() : context.resolveMemory(on ?? '$memory');
}

/** Bytes of a page. */
const PAGE = 4096;

const onOf = ({ on }: Wanted): Pick<Wanted, 'on'> => (on === undefined ? {} : { on });

function fromManager(context: CaseContext, wanted: Wanted): Pending {
  const { scope, arena } = context;
  const { data = sample(context, 5), pieces = 1 } = wanted;
  const bytes = deviceBytes(context, data);
  const manager = scope.own(
    TransferManager.create(
      context.client,
      arena,
      [{ type: data.dtype.enumValue, dims: data.shape }],
      homeOf(context, wanted),
    ),
  );
  const buffer = scope.own(manager.retrieve(0));
  const missing = new Set(Array.from({ length: pieces }, (_, i) => i));
  const send = async (piece: number): Promise<void> => {
    if (!missing.delete(piece)) throw new SuiteFault(`piece ${piece} of ${pieces} is not missing`);
    const { from, part } = pieceOf(data, bytes, { piece, pieces });
    const { length } = part;
    try {
      const sent = await manager.transfer(0, arena.input(part).address, length, from, missing.size === 0);
      const done = scope.own(sent);
      await done.awaitAsync();
    } catch (error) {
      // Only the whole array, or whole pages, have every alignment that a device may want.
      const isPlain = pieces === 1 || (from % PAGE === 0 && length % PAGE === 0);
      throw isPlain ? error : refusal(error, 'the plugin refuses a piece of an array, maybe for its alignment');
    }
  };
  return {
    event: scope.own(buffer.readyEvent()),
    buffer,
    source: undefined,
    data,
    complete: async (piece) => {
      for (const one of piece === undefined ? [...missing] : [piece]) await send(one);
    },
    fail: (code, text) => withError(context, code, text, (error) => manager.setError(0, error.code, error.message)),
    abandon: async () => {
      manager.disown();
      const fields = { transfer_manager: manager.pointer };
      await context.api.invokeAsync('PJRT_AsyncHostToDeviceTransferManager_Destroy', fields);
    },
  };
}

function fromAlias(context: CaseContext, wanted: Wanted): Pending {
  const { scope, arena, api } = context;
  const { data = sample(context, 6) } = wanted;
  const source = wanted.source ?? startPut(context, data, { semantics: 'during-call', ...onOf(wanted) });
  const spec = { type: data.dtype.enumValue, dims: data.shape };
  const memory = homeOf(context, wanted);
  const alias = createAlias(context.client, arena, spec, memory, ownLayout(context, source));
  const buffer = scope.own(alias.buffer);
  const give = async (given: NativeError | { buffer: bigint }): Promise<void> => {
    try {
      await fulfillAlias(api, alias.fulfill, given);
    } catch (error) {
      // XLA hands the alias's own error back from the call that sets it.
      if (error instanceof PjrtError && 'code' in given && error.code === given.code) return;
      throw error instanceof PjrtError && wanted.source ? lacksHelper(error) : error;
    }
  };
  return {
    event: scope.own(buffer.readyEvent()),
    buffer,
    source,
    data,
    complete: () => give({ buffer: source.pointer }),
    fail: (code, message) => withError(context, code, message, give),
    abandon: impossible('an alias cannot be abandoned: its handle has no destroy function'),
  };
}

const DONATE = 'PJRT_Buffer_DonateWithControlDependency';

/** Donates a buffer; the result has its contents when the dependency is ready. The case owns the result. */
export function donateWithDependency(
  context: CaseContext,
  source: Buffer,
): { buffer: Buffer; ready: (error: Fields) => void } {
  const { api, arena, scope, instrument } = context;
  const made = api.invoke(DONATE, { buffer: source.pointer }, (call) => ({
    buffer: scope.own(new Buffer(api, call.word('out_buffer'))),
    data: call.word('callback_data'),
    run: call.word('dependency_ready_callback'),
  }));
  if (made.run === 0n)
    throw new CheckFailure({
      type: 'pjrt.NullFunction',
      message: `${DONATE} gives no callback that completes the dependency`,
      call: DONATE,
    });
  const ready = (error: Fields): void => {
    const args = api.make(arena, `${DONATE}_Callback_Args`);
    args.at(0).set({ callback_data: made.data, ...error });
    instrument.native(`${DONATE}.dependency_ready_callback`, () =>
      functionAt(made.run, 'void PjrtDependencyReady(void* args)')(args.address),
    );
  };
  return { buffer: made.buffer, ready };
}

/** The contents of a donated buffer, which come with its dependency. */
function fromDependency(context: CaseContext, wanted: Wanted): Pending {
  const { data = sample(context, 7) } = wanted;
  const source = wanted.source ?? startPut(context, data, { semantics: 'during-call', ...onOf(wanted) });
  const { buffer, ready } = donateWithDependency(context, source);
  return {
    event: context.scope.own(buffer.readyEvent()),
    buffer,
    source,
    data,
    complete: async () => ready({}),
    fail: (code, message) => withError(context, code, message, (error) => ready(errorFields(error))),
    abandon: impossible('a dependency cannot be abandoned: its callback has no destroy function'),
  };
}

/** What is in progress and ends by itself: its end can be waited for. */
const fromProgress =
  (kind: SelfEnding) =>
  (context: CaseContext): Pending => {
    const { buffer, event, data, source } = startInFlight(context, kind);
    const noEnd = impossible('this ends by itself: neither can an error be given to it, nor can it be abandoned');
    // Not by its event, which may have been destroyed.
    const complete = async (): Promise<void> => buffer.awaitReady();
    return { buffer, event, data, source, complete, fail: noEnd, abandon: noEnd, endsByItself: true };
  };

/** How each way makes one, and the area of requirements that is about that, if there is one. */
const WAYS: Readonly<Record<PendingVia, { make: (context: CaseContext, wanted: Wanted) => Pending; area?: string }>> = {
  created: { make: fromCreatedEvent, area: 'EVT-CRE' },
  manager: { make: fromManager, area: 'H2D-' },
  alias: { make: fromAlias, area: 'BUF-ALI-' },
  dependency: { make: fromDependency, area: 'BUF-DWC-' },
  execution: { make: fromProgress('execution') },
  transfer: { make: fromProgress('transfer') },
  copy: { make: fromProgress('copy') },
  anything: { make: fromProgress('anything') },
};

/** Everything that can make an event pending. */
export const PENDING_VIAS = Object.keys(WAYS) as PendingVia[];
