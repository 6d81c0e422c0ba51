import type { HostArray } from '../../numerics/array.ts';
import type { Buffer } from '../../pjrt/buffer.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import { Event } from '../../pjrt/event.ts';
import { createAlias, fulfillAlias, TransferManager } from '../../pjrt/transfer-manager.ts';
import type { CaseContext } from '../../steps/context.ts';
import { deviceFormat, ownLayout } from '../../steps/device-format.ts';
import { lacksHelper, SuiteFault } from '../../steps/outcome.ts';
import { codeNumber, defaultMemory, hashed, send } from './support.ts';

/** Ways to an event that is not ready until the harness says so. */
export type Via = 'created' | 'manager' | 'alias';

/** An event whose completion is in the harness's hands, with the buffer that it belongs to, if it is a buffer's. */
interface Pending {
  event: Event;
  buffer: Buffer | undefined;
  /** Contents of the buffer after `complete`. */
  data: HostArray;
  complete(): Promise<void>;
  /** Ends in an error. The message's memory is overwritten as soon as the call has returned. */
  fail(code: string, message: string): Promise<void>;
  /** Destroys what would complete the event, without completing it; the event must then end in an error. */
  abandon(): Promise<void>;
}

/**
 * Makes a pending event. The case owns everything.
 * @throws AbsentError, NotSupported when the plugin lacks what `via` needs, or fails at it and the case is not about that
 */
export function makePending(context: CaseContext, via: Via): Pending {
  const way = WAYS[via];
  if (!way) throw new SuiteFault(`via is one of ${Object.keys(WAYS).join(', ')}; got ${String(via)}`);
  try {
    return way.make(context);
  } catch (error) {
    const isAbout = context.case.covers.some((id) => id.startsWith(way.area));
    throw error instanceof PjrtError && !isAbout ? lacksHelper(error) : error;
  }
}

/** Native text, and a way to overwrite it. */
const scratch = (context: CaseContext, text: string) => {
  const block = context.arena.text(text);
  return { ...block, scrub: () => block.bytes.fill(0x23) };
};

function fromCreatedEvent(context: CaseContext): Pending {
  const { api, scope } = context;
  api.demand('PJRT_Event_Set');
  const event = scope.own(Event.create(api));
  const set = async (code: number, text: string) => {
    const message = scratch(context, text);
    await api.invokeAsync('PJRT_Event_Set', (call) => {
      call.setWord('event', event.pointer);
      call.setInt('error_code', code);
      call.setWord('error_message', code === 0 ? 0n : message.address);
      call.setSize('error_message_size', code === 0 ? 0 : message.length);
    });
    message.scrub();
  };
  return {
    event,
    buffer: undefined,
    data: hashed('f32', [0]),
    complete: () => set(0, ''),
    fail: (code, message) => set(codeNumber(context, code), message),
    abandon: async () => {
      event.disown();
      await api.invokeAsync('PJRT_Event_Destroy', (call) => call.setWord('event', event.pointer));
    },
  };
}

const SHAPE = [16];

function fromManager(context: CaseContext): Pending {
  const { scope, arena } = context;
  const data = hashed('f32', SHAPE, 5);
  const bytes = deviceFormat(context, data);
  const manager = scope.own(
    TransferManager.create(
      context.client,
      arena,
      [{ type: data.dtype.enumValue, dims: SHAPE }],
      defaultMemory(context),
    ),
  );
  const buffer = scope.own(manager.retrieve(0));
  return {
    event: scope.own(buffer.readyEvent()),
    buffer,
    data,
    complete: async () => {
      const done = scope.own(await manager.transfer(0, arena.input(bytes).address, bytes.length, 0, true));
      await done.awaitAsync();
    },
    fail: async (code, text) => {
      const message = scratch(context, text);
      await manager.setError(0, codeNumber(context, code), message);
      message.scrub();
    },
    abandon: async () => {
      manager.disown();
      await context.api.invokeAsync('PJRT_AsyncHostToDeviceTransferManager_Destroy', (call) =>
        call.setWord('transfer_manager', manager.pointer),
      );
    },
  };
}

function fromAlias(context: CaseContext): Pending {
  const { scope, arena, api } = context;
  const data = hashed('f32', SHAPE, 6);
  const source = send(context, data, 'during-call').buffer;
  const spec = { type: data.dtype.enumValue, dims: SHAPE };
  const alias = createAlias(context.client, arena, spec, defaultMemory(context), ownLayout(context, source));
  const buffer = scope.own(alias.buffer);
  const fail = async (code: number, text: string) => {
    const message = scratch(context, text);
    try {
      await fulfillAlias(api, alias.fulfill, { code, message });
    } catch (error) {
      // XLA hands the alias's own error back from the call that sets it.
      if (!(error instanceof PjrtError) || error.code !== code) throw error;
    }
    message.scrub();
  };
  return {
    event: scope.own(buffer.readyEvent()),
    buffer,
    data,
    complete: async () => {
      await fulfillAlias(api, alias.fulfill, { buffer: source.pointer });
    },
    fail: (code, message) => fail(codeNumber(context, code), message),
    abandon: () => {
      throw new SuiteFault('an alias cannot be abandoned: its handle has no destroy function');
    },
  };
}

/** How each way makes one, and the area of requirements that is about that. */
const WAYS: Readonly<Record<Via, { make: (context: CaseContext) => Pending; area: string }>> = {
  created: { make: fromCreatedEvent, area: 'EVT-CRE' },
  manager: { make: fromManager, area: 'H2D-' },
  alias: { make: fromAlias, area: 'BUF-ALI-' },
};
