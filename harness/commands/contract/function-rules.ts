/** What only one function, or those of one kind of object, can do wrong with an object that lives. */
import { wordAt } from '../../knowledge/trace/given-structs.ts';
import type { ObservedCall, ReturnedCall } from '../../knowledge/trace/observed-call.ts';
import type { Mistakes } from './mistake.ts';
import { nameOf } from './mistake.ts';
import { type Known, mentionOf } from './objects.ts';
import type { Rule } from './rules.ts';

type Judge<Call> = (object: Known, call: Call, mistakes: Mistakes<Rule>) => void;

/** Before a call. */
export const BEFORE: Readonly<Record<string, Judge<ObservedCall>>> = {
  PJRT_Event_Error: (event, call, mistakes) => {
    if (event.ready) return;
    const message = `${call.function} reads ${nameOf(event)}, of which the caller does not know that it is ready`;
    mistakes.add('event-read-early', call, message, event);
  },
  PJRT_Event_Set: (event, call, mistakes) => {
    const isOwn = event.made?.function === 'PJRT_Event_Create';
    const what = isOwn ? 'a second time' : 'which the plugin sets';
    if (event.set || !isOwn) mistakes.add('event-set', call, `${call.function} sets ${nameOf(event)}, ${what}`, event);
    event.set ??= mentionOf(call);
  },
  PJRT_Buffer_DecreaseExternalReferenceCount: (buffer, call, mistakes) => {
    const message = `${call.function} gives back a reference to ${nameOf(buffer)} that was not taken`;
    if (buffer.references === 0) mistakes.add('reference-not-taken', call, message, buffer);
    else buffer.references--;
  },
  PJRT_Buffer_Destroy: (buffer, call, mistakes) => {
    if (buffer.references === 0) return;
    const message = `${call.function} destroys ${nameOf(buffer)}, to which references are taken and not given back`;
    mistakes.add('reference-kept', call, message, buffer);
  },
  PJRT_Buffer_ToHostBuffer: (buffer, call, mistakes) => {
    const [layout, destination, size] = [field(call, 'host_layout'), field(call, 'dst'), field(call, 'dst_size')];
    const needed = layout === 0n ? buffer.needed : undefined;
    if (destination === 0n || needed === undefined || size >= needed) return;
    const message = `${call.function} gives ${size} bytes for ${nameOf(buffer)}, of which it was answered that it needs ${needed}`;
    mistakes.add('read-too-small', call, message, buffer);
  },
  PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer: (manager, call, mistakes) => {
    const index = indexIn(call)!;
    const message = `${call.function} retrieves buffer ${index} of ${nameOf(manager)} a second time`;
    if (manager.retrieved.has(index)) mistakes.add('retrieved-twice', call, message, manager);
    manager.retrieved.add(index);
  },
  PJRT_AsyncHostToDeviceTransferManager_TransferData: (manager, call, mistakes) => {
    const index = indexIn(call)!;
    const message = `${call.function} sends more of buffer ${index} of ${nameOf(manager)} after its last transfer`;
    if (manager.complete.has(index)) mistakes.add('sent-after-last', call, message, manager);
    if (flag(call, call.before, 'is_last_transfer')) manager.complete.add(index);
  },
};

/** A transfer manager has as many buffers as it was made for. */
export function judgeIndex(manager: Known, call: ObservedCall, mistakes: Mistakes<Rule>): void {
  const index = indexIn(call);
  const { buffers } = manager;
  if (index === undefined || buffers === undefined || (index >= 0 && index < buffers)) return;
  mistakes.add(
    'no-such-buffer',
    call,
    `${call.function} is about buffer ${index} of ${nameOf(manager)}, which has ${buffers}`,
    manager,
  );
}

/** After a call that has succeeded: what it says of its subject. */
export const AFTER: Readonly<Record<string, (object: Known, call: ReturnedCall) => void>> = {
  PJRT_Event_IsReady: (event, call) => {
    event.ready ||= flag(call, call.after, 'is_ready');
  },
  PJRT_Buffer_IncreaseExternalReferenceCount: (buffer) => {
    buffer.references++;
  },
  PJRT_Buffer_Delete: (buffer, call) => {
    buffer.deleted ??= mentionOf(call);
  },
  PJRT_Buffer_IsDeleted: (buffer, call) => {
    if (flag(call, call.after, 'is_deleted')) buffer.deleted ??= mentionOf(call);
  },
  PJRT_Buffer_ToHostBuffer: (buffer, call) => {
    if (field(call, 'dst') === 0n && field(call, 'host_layout') === 0n)
      buffer.needed = wordAt(call.after, call.layout.field('dst_size').offset);
  },
  PJRT_LoadedExecutable_Execute: (executable, call) => {
    executable.arguments = field(call, 'num_args');
  },
};

/** After a call that was refused. */
export const REFUSED: Readonly<Record<string, Judge<ReturnedCall>>> = {
  PJRT_LoadedExecutable_Execute: (executable, call, mistakes) => {
    const [given, known] = [field(call, 'num_args'), executable.arguments];
    if (known === undefined || given === known) return;
    const message = `${call.function} gives ${given} arguments to ${nameOf(executable)}, which has taken ${known}, and refused them`;
    mistakes.add('argument-count', call, message, executable);
  },
};

const field = (call: ObservedCall, name: string): bigint =>
  call.layout.has(name) ? wordAt(call.before, call.layout.field(name).offset) : 0n;

const flag = (call: ObservedCall, bytes: Uint8Array, name: string): boolean =>
  bytes[call.layout.field(name).offset] === 1;

function indexIn(call: ObservedCall): number | undefined {
  if (!call.layout.has('buffer_index')) return undefined;
  const { offset } = call.layout.field('buffer_index');
  return offset + 4 > call.before.length
    ? undefined
    : new DataView(call.before.buffer, call.before.byteOffset).getInt32(offset, true);
}
