import { functionAt } from '../../ffi/function.ts';
import { readWord } from '../../ffi/memory.ts';
import type { Memory } from '../../pjrt/memory.ts';
import type { CaseContext } from '../../steps/context.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { RecordedCallback } from '../../steps/recorded-callback.ts';
import { checks, optional, type Run, text } from '../probe.ts';
import { violated } from '../support/checks.ts';

const TABLE = 'PJRT_Memory_FunctionTable';
/** struct_size, extension_start, instance_struct_size and the two functions. */
const TABLE_BYTES = 40;
const LARGEST_TABLE = 4096;

interface UserData {
  get(key: bigint): bigint;
  set(key: bigint, data: bigint, destructor?: bigint): void;
}

/** The table of a memory, checked as far as it can be without calling it; undefined when the memory has none. */
function tableOf(context: CaseContext, memory: Memory): UserData | undefined {
  const address = readWord(memory.pointer);
  if (address === 0n) return undefined;
  if (address % 8n !== 0n) violated('the first word of a memory is no pointer to a table', TABLE, 'ABI-MEMV-001');
  const table = context.api.view(TABLE, address, TABLE_BYTES);
  const size = table.size('struct_size');
  if (size < TABLE_BYTES || size > LARGEST_TABLE)
    violated(
      `the function table of a memory declares struct_size ${size}, at least ${TABLE_BYTES} is needed`,
      TABLE,
      'ABI-MEMV-002',
    );
  if (table.size('instance_struct_size') < 8)
    violated(
      `instance_struct_size is ${table.size('instance_struct_size')}, a memory holds at least its table`,
      TABLE,
      'ABI-MEMV-002',
    );
  const [get, set] = [table.word('get_user_data'), table.word('set_user_data')];
  if ((get === 0n) !== (set === 0n))
    violated('only one of get_user_data and set_user_data is there', TABLE, 'ABI-MEMV-002');
  if (get === 0n) return undefined;
  const getter = functionAt(get, 'void* PjrtGetUserData(void* memory, void* key)');
  const setter = functionAt(set, 'void PjrtSetUserData(void* memory, void* key, void* data, void* destructor)');
  const { instrument } = context;
  return {
    get: (key) =>
      instrument.native(`${TABLE}.get_user_data`, () => (getter(memory.pointer, key) as bigint | null) ?? 0n),
    set: (key, data, destructor = 0n) => {
      instrument.native(`${TABLE}.set_user_data`, () => setter(memory.pointer, key, data, destructor));
    },
  };
}

function tables(context: CaseContext, memories: readonly Memory[]): UserData[] {
  const found = memories.map((m) => tableOf(context, m)).filter((t) => t !== undefined);
  if (found.length === 0)
    throw new NotSupported('the memories carry no user data: their function table is NULL or empty');
  return found;
}

/** A key is an address of the caller's own that nobody else can have. */
const newKey = (context: CaseContext): bigint => context.arena.alloc(16).address;

/** A destructor, and what it was given so far. */
function counter(context: CaseContext): { address: bigint; seen(): bigint[] } {
  const { address, firings } = new RecordedCallback(context, `${TABLE}.set_user_data`);
  return { address, seen: () => firings().map(({ arguments: [data] }) => data!) };
}

const DESTRUCTOR = { type: 'pjrt.CallbackContract' };

const OPTIONS = { client: optional(text) };
type Check = Run<typeof OPTIONS>;

/** The function table of every memory is well formed. */
const userDataTable: Check = (context) => {
  for (const memory of context.client.addressableMemories()) tableOf(context, memory);
};

/** A key under which nothing was stored gives nothing. */
const userDataUnknownKey: Check = (context) => {
  for (const table of tables(context, context.client.addressableMemories()))
    if (table.get(newKey(context)) !== 0n)
      violated('a key under which nothing was stored gives something', `${TABLE}.get_user_data`);
};

/** What is stored under a key of a memory comes back, and clearing one key leaves the others. */
const userDataRoundTrip: Check = (context) => {
  const all = tables(context, context.client.addressableMemories());
  const [one, two] = [newKey(context), newKey(context)];
  all.forEach((table, i) => {
    table.set(one, BigInt(1000 + i));
    table.set(two, BigInt(2000 + i));
  });
  all.forEach((table, i) => {
    if (table.get(one) !== BigInt(1000 + i) || table.get(two) !== BigInt(2000 + i))
      violated('what was stored under a key of a memory does not come back', `${TABLE}.get_user_data`);
  });
  for (const table of all) {
    table.set(one, 0n);
    if (table.get(one) !== 0n) violated('a key that was cleared still gives something', `${TABLE}.get_user_data`);
    if (table.get(two) === 0n) violated('clearing one key cleared another', `${TABLE}.set_user_data`);
    table.set(two, 0n);
  }
};

/** The destructor runs when data is replaced or cleared. */
const userDataReplacement: Check = (context) => {
  const [table] = tables(context, context.client.addressableMemories()) as [UserData];
  const key = newKey(context);
  const { address, seen } = counter(context);
  const expectSeen = (what: string, wanted: readonly bigint[]): void => {
    if (seen().join() !== wanted.join())
      violated(
        `${what}, the destructor was called ${seen().length} times, expected ${wanted.length}`,
        `${TABLE}.set_user_data`,
        undefined,
        DESTRUCTOR,
      );
  };
  table.set(key, 11n, address);
  expectSeen('after storing', []);
  table.set(key, 12n, address);
  expectSeen('after replacing', [11n]);
  table.set(key, 0n);
  expectSeen('after clearing', [11n, 12n]);
  table.set(key, 13n);
  table.set(key, 0n);
  expectSeen('after clearing data without a destructor', [11n, 12n]);
};

/** The destructor runs for what is left when the client ends. */
const userDataEnd: Check = async (context, { client: name }) => {
  const client = context.resolveClient(name);
  const [table] = tables(context, client.addressableMemories()) as [UserData];
  const { address, seen } = counter(context);
  table.set(newKey(context), 21n, address);
  table.set(newKey(context), 22n, address);
  client.disown();
  await client.api.invokeAsync('PJRT_Client_Destroy', (call) => call.setWord('client', client.pointer));
  if (seen().sort().join() !== '21,22')
    violated(
      `of two stored values, ${seen().length} were destroyed with the client`,
      'PJRT_Client_Destroy',
      undefined,
      DESTRUCTOR,
    );
};

/** User data of memories, and their destructors. */
export const memoryUserData = checks('memory-user-data', OPTIONS, {
  table: userDataTable,
  'unknown-key': userDataUnknownKey,
  'round-trip': userDataRoundTrip,
  replacement: userDataReplacement,
  end: userDataEnd,
});
