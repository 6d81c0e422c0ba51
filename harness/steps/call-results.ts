import type { Field } from '../abi/index.ts';
import { functionAt } from '../ffi/function.ts';
import type { PjrtApi } from '../pjrt/api.ts';
import { Buffer as PjrtBuffer } from '../pjrt/buffer.ts';
import type { Call } from '../pjrt/call.ts';
import { Client } from '../pjrt/client.ts';
import { countField } from '../pjrt/counts.ts';
import { Device, DeviceDescription } from '../pjrt/device.ts';
import { Event } from '../pjrt/event.ts';
import { Executable, LoadedExecutable } from '../pjrt/executable.ts';
import { Handle } from '../pjrt/handle.ts';
import { Memory } from '../pjrt/memory.ts';
import { readNamedValues } from '../pjrt/named-values.ts';
import { deleterOf, destroyerOf, handleType } from '../pjrt/ownership.ts';
import { readData, readInt32s, readInt64s, readPointers, readText } from '../pjrt/strings.ts';
import { Topology } from '../pjrt/topology.ts';
import type { Room } from './call-arguments.ts';
import type { CaseContext } from './context.ts';

/** An object of a type that has no class of its own. */
class OwnedObject extends Handle {
  readonly kind: string;
  readonly #destroyer: { function: string; argument: string };

  constructor(api: PjrtApi, pointer: bigint, kind: string, destroyer: { function: string; argument: string }) {
    super(api, pointer);
    this.kind = kind;
    this.#destroyer = destroyer;
  }

  protected release(): void {
    this.api.invoke(this.#destroyer.function, (call) => call.setWord(this.#destroyer.argument, this.pointer));
  }
}

/** Takes ownership of everything that a successful call handed to the caller; returns the out-fields that hold handles. */
export function takeHandles(context: CaseContext, call: Call): Map<string, unknown> {
  const taken = new Map<string, unknown>();
  for (const field of call.layout.fields) {
    if (!field.out || field.size !== 8) continue;
    const type = handleType(field);
    if (type === undefined) continue;
    const pointer = call.word(field.name);
    const destroyer = destroyerOf(call.name, field);
    if (pointer === 0n) taken.set(field.name, undefined);
    else if (destroyer) taken.set(field.name, context.scope.own(ownedHandle(context.api, type, pointer, destroyer)));
    else taken.set(field.name, wrap(context.api, type, pointer));
  }
  const deletable = deleterOf(call.layout.fields);
  if (deletable) {
    const object = call.word(deletable.object);
    const deleter = call.word(deletable.deleter);
    if (deleter !== 0n && object !== 0n) {
      context.scope.defer(() => {
        context.instrument.native(`${call.name}.${deletable.deleter}`, () =>
          functionAt(deleter, 'void PjrtDeleter(void* object)')(object),
        );
      });
    }
  }
  return taken;
}

function ownedHandle(
  api: PjrtApi,
  type: string,
  pointer: bigint,
  destroyer: { function: string; argument: string },
): Handle {
  switch (type) {
    case 'PJRT_Buffer':
      return new PjrtBuffer(api, pointer);
    case 'PJRT_Event':
      return new Event(api, pointer);
    case 'PJRT_Client':
      return new Client(api, pointer);
    case 'PJRT_Executable':
      return new Executable(api, pointer);
    case 'PJRT_LoadedExecutable':
      return new LoadedExecutable(api, pointer);
    case 'PJRT_TopologyDescription':
      return new Topology(api, pointer, true);
    default:
      return new OwnedObject(api, pointer, type, destroyer);
  }
}

/** A handle that the plugin keeps. */
function wrap(api: PjrtApi, type: string, pointer: bigint): unknown {
  switch (type) {
    case 'PJRT_Device':
      return new Device(api, pointer);
    case 'PJRT_DeviceDescription':
      return new DeviceDescription(api, pointer);
    case 'PJRT_Memory':
      return new Memory(api, pointer);
    case 'PJRT_TopologyDescription':
      return new Topology(api, pointer, false);
    default:
      return { kind: type, pointer };
  }
}

/** Decodes one field of a call that has returned: strings, lists, handles and numbers as suites see them. */
export function readField(
  context: CaseContext,
  call: Call,
  field: Field,
  taken: Map<string, unknown>,
  rooms: readonly Room[],
): unknown {
  const { api } = context;
  if (taken.has(field.name)) return taken.get(field.name);
  const room = rooms.find((r) => r.field === field.name);
  if (room)
    return /\bint\s*\*/.test(field.type)
      ? [...new Int32Array(room.block.bytes.slice(0, room.bytes).buffer)]
      : room.block.bytes.slice(0, room.bytes);
  const counter = countField(call.layout, field.name);
  const count = counter === undefined ? undefined : call.size(counter);
  const pointer = field.size === 8 ? call.word(field.name) : 0n;
  const listOf = /^(?:const )?(PJRT_\w+)\s*\*\s*(?:const\s*)?\*$/.exec(field.type.trim())?.[1];
  if (listOf !== undefined && count !== undefined) return readPointers(pointer, count).map((p) => wrap(api, listOf, p));
  if (/^const PJRT_NamedValue\s*\*$/.test(field.type) && count !== undefined)
    return readNamedValues(api, pointer, count);
  if (/^const char\s*\*\s*(?:const\s*)?\*$/.test(field.type)) return readTexts(call, pointer, count ?? 0);
  if (/^const char\s*\*$/.test(field.type)) {
    if (count !== undefined)
      return /serialized|bytes/.test(field.name) ? readData(pointer, count) : readText(pointer, count);
  }
  if (field.name === 'dims' && call.layout.has('dim_sizes')) return readShapes(call, pointer);
  if (/int64_t\s*\*$/.test(field.type) && count !== undefined) return readInt64s(pointer, count);
  if (/size_t\s*\*$/.test(field.type) && count !== undefined) return readInt64s(pointer, count);
  if (/^(?:const )?(?:int|PJRT_Buffer_Type)\s*\*$/.test(field.type) && count !== undefined) {
    return readInt32s(pointer, count);
  }
  if (field.type === 'float') return call.float(field.name);
  if (field.size === 1) return call.byte(field.name);
  if (field.size === 4) return call.int(field.name);
  if (field.type === 'size_t') return call.size(field.name);
  if (field.type === 'int64_t') {
    const value = call.int64(field.name);
    return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  }
  if (field.size === 8) return pointer;
  return call.fieldBytes(field.name).slice();
}

/** A list of strings with a parallel list of sizes (`memory_kinds` and `memory_kind_sizes`). */
function readTexts(call: Call, pointer: bigint, count: number): string[] {
  const sizes = call.layout.has('memory_kind_sizes') ? readInt64s(call.word('memory_kind_sizes'), count) : [];
  return readPointers(pointer, count).map((p, i) => readText(p, sizes[i] ?? 0));
}

/** Concatenated dimensions with the rank of every output (PJRT_Executable_OutputDimensions). */
function readShapes(call: Call, pointer: bigint): number[][] {
  const ranks = readInt64s(call.word('dim_sizes'), call.size('num_outputs'));
  const all = readInt64s(
    pointer,
    ranks.reduce((a, b) => a + b, 0),
  );
  let at = 0;
  return ranks.map((rank) => {
    at += rank;
    return all.slice(at - rank, at);
  });
}
