import { callback, functionAt } from '../../ffi/function.ts';
import { mappingAt, readMappings } from '../../ffi/mappings.ts';
import { readWord } from '../../ffi/memory.ts';
import type { Memory } from '../../pjrt/memory.ts';
import type { StructView } from '../../pjrt/struct-view.ts';
import type { CaseContext } from '../../steps/context.ts';
import { CheckFailure, NotSupported } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { wordOption } from './probe-options.ts';

/** Keys are compared by address; any addresses of the harness do. */
const keysOf = (context: CaseContext): [bigint, bigint] => {
  const { address } = context.arena.alloc(16, 16);
  return [address, address + 8n];
};

const fail = (message: string): never => {
  throw new CheckFailure({ type: 'pjrt.BadMemoryTable', message, call: 'PJRT_Client_AddressableMemories' });
};

/** The function table that every memory begins with since 0.105: its `shape`, user `data`, the `destructor` of that. */
export const memoryTable: Probe = (context, options) => {
  const checks = { shape, data, destructor };
  checks[wordOption(options, 'aspect', ['shape', 'data', 'destructor'])](context);
};

function shape(context: CaseContext): void {
  for (const memory of context.client.addressableMemories()) tableOf(context, memory);
}

/** The table of a memory, undefined when it has none. @throws CheckFailure when it cannot be one */
function tableOf(context: CaseContext, memory: Memory): StructView | undefined {
  const mappings = readMappings();
  const pointer = readWord(memory.pointer);
  if (pointer === 0n) return undefined;
  if (pointer % 8n !== 0n || (mappings && !mappingAt(mappings, pointer)?.readable)) {
    fail(
      'the first word of a memory is neither NULL nor a pointer to a function table; frameworks follow it since 0.105',
    );
  }
  const view = context.api.view('PJRT_Memory_FunctionTable', pointer);
  const size = view.size('struct_size');
  if (size < view.layout.structSize || size > 4096) {
    fail(`the struct_size of a memory's function table is ${size}, expected ${view.layout.structSize}`);
  }
  if (view.size('instance_struct_size') < 8) {
    fail(
      `the instance_struct_size of a memory's function table is ${view.size('instance_struct_size')}, expected 8 or more`,
    );
  }
  const [get, set] = [view.word('get_user_data'), view.word('set_user_data')];
  if ((get === 0n) !== (set === 0n)) fail('only one of get_user_data and set_user_data is there');
  for (const [name, address] of [
    ['get_user_data', get],
    ['set_user_data', set],
  ] as const) {
    if (address !== 0n && mappings && !mappingAt(mappings, address)?.executable) fail(`${name} of a memory is no code`);
  }
  return view;
}

/** User data of the first memory that can hold some. */
function userData(context: CaseContext): {
  get(key: bigint): bigint;
  set(key: bigint, data: bigint, dtor?: bigint): void;
} {
  const memory = context.client.addressableMemories()[0];
  const view = memory && tableOf(context, memory);
  if (!memory || !view || view.word('get_user_data') === 0n) throw new NotSupported('memories hold no user data');
  const getter = functionAt(view.word('get_user_data'), 'void* PjrtMemoryGetUserData(void* memory, void* key)');
  const setter = functionAt(
    view.word('set_user_data'),
    'void PjrtMemorySetUserData(void* memory, void* key, void* data, void* dtor)',
  );
  const native = <T>(name: string, run: () => T): T =>
    context.instrument.native(`PJRT_Memory_FunctionTable.${name}`, run);
  return {
    get: (key) => (native('get_user_data', () => getter(memory.pointer, key)) as bigint | null) ?? 0n,
    set: (key, value, dtor = 0n) => {
      native('set_user_data', () => setter(memory.pointer, key, value, dtor));
    },
  };
}

function data(context: CaseContext): void {
  const memory = userData(context);
  const [first, second] = keysOf(context);
  if (memory.get(first) !== 0n) fail('get_user_data gives something for a key that was never set');
  const value = context.arena.alloc(16, 16).address;
  memory.set(first, value);
  if (memory.get(first) !== value) fail('get_user_data does not give what set_user_data was given');
  if (memory.get(second) !== 0n) fail('user data of one key is found under another');
  memory.set(second, value + 8n);
  if (memory.get(first) !== value) fail('setting one key changes another');
  memory.set(first, 0n);
  memory.set(second, 0n);
  if (memory.get(first) !== 0n) fail('user data that was cleared is still there');
}

function destructor(context: CaseContext): void {
  const memory = userData(context);
  const [key] = keysOf(context);
  const value = context.arena.alloc(16, 16).address;
  const ended: bigint[] = [];
  const dtor = callback('void PjrtUserDataDestructor(void* data)', (p: bigint | null) => {
    ended.push(p ?? 0n);
  });
  const expectEnded = (expected: readonly bigint[], when: string): void => {
    if (ended.length === expected.length && ended.every((p, i) => p === expected[i])) return;
    fail(`the destructor of user data has run ${ended.length} times ${when}, expected ${expected.length}`);
  };
  memory.set(key, value, dtor.address);
  expectEnded([], 'after the data was set');
  memory.set(key, value + 8n, dtor.address);
  expectEnded([value], 'after the data was replaced');
  memory.set(key, 0n);
  expectEnded([value, value + 8n], 'after the data was cleared');
  dtor.release();
}
