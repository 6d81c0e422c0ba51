import { expect, test } from 'vitest';
import { Abi } from '../../knowledge/abi/index.ts';
import type { FindingLine, RecordedLine } from '../../model/call-recording.ts';
import { translate } from './translate.ts';

const abi = Abi.at(81);

/** The bytes of an argument block. */
function bytes(name: string, fields: Record<string, bigint>): string {
  const layout = abi.struct(name);
  const view = Buffer.alloc(layout.size);
  view.writeBigUInt64LE(BigInt(layout.declaredSize!), 0);
  for (const [field, value] of Object.entries(fields)) {
    const { offset, size } = layout.field(field);
    if (size === 8) view.writeBigUInt64LE(value, offset);
    else view.writeInt32LE(Number(value), offset);
  }
  return view.toString('base64');
}

interface Recorded {
  given?: Record<string, bigint>;
  gives?: Record<string, bigint>;
  answer?: bigint;
  memory?: Record<string, bigint[]>;
}

const words = (values: readonly bigint[]): string => Buffer.from(BigUint64Array.from(values).buffer).toString('base64');

let number = 0;
function call(name: string, { given = {}, gives = {}, answer = 0n, memory = {} }: Recorded): RecordedLine[] {
  const n = number++;
  const inside = Object.entries(memory).map(([field, values]) => [field, words(values)]);
  return [
    { k: 'call', n, name, where: 'here', at: '7f0000000000', bytes: bytes(`${name}_Args`, given), written: [] },
    {
      k: 'leave',
      n,
      answer: answer.toString(16),
      bytes: bytes(`${name}_Args`, { ...given, ...gives }),
      memory: Object.fromEntries(inside) as Record<string, string>,
      blocks: {},
    },
  ];
}

const CLIENT = 0x5555_0000_1000n;
const DEVICE = 0x5555_0000_2000n;
const ERROR = 0x5555_0000_3000n;
const DIMS = 0x7f11_0000_0ff0n;
const start: RecordedLine[] = [
  { k: 'plugin', minor: 81, harmless: '7fbb00000000' },
  ...call('PJRT_Client_Create', { gives: { client: CLIENT } }),
  ...call('PJRT_Client_PlatformName', { given: { client: CLIENT }, gives: { platform_name_size: 3n } }),
  ...call('PJRT_Client_AddressableDevices', {
    given: { client: CLIENT },
    gives: { num_addressable_devices: 1n },
    memory: { addressable_devices: [DEVICE] },
  }),
];

const finding = (more: Partial<FindingLine>): FindingLine => ({
  k: 'finding',
  type: 'pjrt.AssertionFailed',
  level: 'must',
  message: 'it is wrong',
  requirements: [],
  blocks: {},
  changed: [],
  ...more,
});

test('addresses are those that answers gave; questions whose answers nothing needs are left out', () => {
  const lines: RecordedLine[] = [
    ...start,
    { k: 'case', edge: 'begin' },
    { k: 'block', id: 0, at: DIMS.toString(16), bytes: words([2n, 3n]) },
    ...call('PJRT_Client_BufferFromHostBuffer', {
      given: { client: CLIENT, device: DEVICE, dims: DIMS, num_dims: 2n },
    }),
    { k: 'case', edge: 'end' },
  ];
  const { statements, beyond, needs } = translate(lines, abi, undefined);
  const text = statements.join('\n');
  expect(text).toContain('void *dims_3_0 = room(16, 4080);');
  expect(text).toContain('memcpy(dims_3_0, (const int64_t[]){2, 3}, 16);');
  expect(text).toContain('a3->device = (void *)a2->addressable_devices[0];');
  expect(text).toContain('a3->client = (void *)a1->client;');
  expect(text).toContain('a3->struct_size = PJRT_Client_BufferFromHostBuffer_Args_STRUCT_SIZE;');
  expect(text).not.toContain('PlatformName');
  expect([beyond, [...needs]]).toEqual([[], []]);
});

test('a call that should have failed, or succeeded, is what the program shows', () => {
  const looked = (answer: bigint): RecordedLine[] => [
    ...start,
    { k: 'case', edge: 'begin' },
    { k: 'expects', call: 'PJRT_Client_LookupDevice', error: 'INVALID_ARGUMENT' },
    ...call('PJRT_Client_LookupDevice', { given: { client: CLIENT, id: 77n }, answer }),
  ];
  const name = 'PJRT_Client_LookupDevice';
  const missing = finding({ type: 'pjrt.MissingError', call: name });
  const shown = translate([...looked(0n), missing], abi, missing);
  expect(shown.statements.at(-1)).toBe('fails(api->PJRT_Client_LookupDevice(a2), PJRT_Error_Code_INVALID_ARGUMENT);');
  expect(shown.judged).toBe('answer');
  const right = translate(looked(ERROR), abi, undefined).statements;
  expect(right.join('\n')).toContain(
    'PJRT_Error *error_2 = fails(api->PJRT_Client_LookupDevice(a2), PJRT_Error_Code_INVALID_ARGUMENT);',
  );
  expect(translate(looked(0n), abi, undefined).statements.at(-1)).toBe(
    'succeeded_before(api->PJRT_Client_LookupDevice(a2));',
  );
  const unexpected = finding({ type: 'pjrt.UnexpectedError', call: name });
  const lines = looked(ERROR).filter(({ k }) => k !== 'expects');
  expect(translate([...lines, unexpected], abi, unexpected).statements.at(-1)).toBe(
    'succeeds(api->PJRT_Client_LookupDevice(a2));',
  );
});

test('any other finding is shown by the answers that it is about, as they were', () => {
  const wrong = finding({ call: 'PJRT_Client_ProcessIndex' });
  const asked = call('PJRT_Client_ProcessIndex', { given: { client: CLIENT }, gives: { process_index: 5n } });
  const { statements, judged } = translate([...start, { k: 'case', edge: 'begin' }, ...asked, wrong], abi, wrong);
  expect(statements.at(-1)).toBe('if (!memcmp(&a2->process_index, (const uint32_t[]){0x5}, 4)) fail("it is wrong");');
  expect(judged).toBe('outputs');
  const unseen = finding({ type: 'pjrt.ResourceLeak' });
  expect(translate([...start, { k: 'case', edge: 'begin' }, unseen], abi, unseen).judged).toBeUndefined();
});

const OTHER = 0x5555_0000_4000n;

test('a list of objects is shown by the objects that it has, a list whose elements are not recorded by nothing', () => {
  const name = 'PJRT_LoadedExecutable_AddressableDevices';
  const given = { executable: CLIENT };
  const LIST = 0x5555_0000_9000n;
  const asked = (memory: Recorded['memory']): RecordedLine[] =>
    call(name, { given, gives: { addressable_devices: LIST, num_addressable_devices: 2n }, ...(memory && { memory }) });
  const wrong = finding({ call: name });
  const known = asked({ addressable_devices: [OTHER, DEVICE] });
  const lines = [
    ...start,
    { k: 'case', edge: 'begin' } as const,
    ...known,
    ...asked({ addressable_devices: [DEVICE, OTHER] }),
    wrong,
  ];
  const { statements, judged } = translate(lines, abi, wrong);
  const shown = statements.at(-1);
  expect(shown).toContain('(uintptr_t)a4->addressable_devices[0] == (uintptr_t)(void *)a2->addressable_devices[0]');
  expect(shown).toContain('(uintptr_t)a4->addressable_devices[1] == (uintptr_t)(void *)a3->addressable_devices[0]');
  expect(judged).toBe('outputs');
  const attributes = 'PJRT_Plugin_Attributes';
  const unseen = finding({ call: attributes });
  const structs = call(attributes, { gives: { attributes: LIST, num_attributes: 2n } });
  expect(translate([...start, { k: 'case', edge: 'begin' }, ...structs, unseen], abi, unseen).judged).toBeUndefined();
});

test('an event that is wrong is shown by whether it is ready', () => {
  const type = 'pjrt.EventContract';
  const wrong = finding({ type, call: 'PJRT_Buffer_ReadyEvent', blocks: {} });
  const asked = call('PJRT_Event_IsReady', { given: { event: OTHER }, gives: { is_ready: 0n } });
  const ready = call('PJRT_Buffer_ReadyEvent', { given: { buffer: CLIENT }, gives: { event: OTHER } });
  const lines = [...start, { k: 'case', edge: 'begin' } as const, ...ready];
  expect(translate([...lines, wrong], abi, wrong).judged).toBeUndefined();
  const { statements } = translate([...lines, ...asked, wrong], abi, wrong);
  expect(statements.at(-1)).toContain('!memcmp(&a3->is_ready');
});

test('of two objects at one address the one that is left is not the one that was destroyed', () => {
  const compiled = (): RecordedLine[] =>
    call('PJRT_Client_Compile', { given: { client: CLIENT }, gives: { executable: OTHER } });
  const on = (name: string): RecordedLine[] => call(name, { given: { executable: OTHER } });
  const { statements } = translate(
    [
      ...start,
      { k: 'case', edge: 'begin' },
      ...compiled(),
      ...compiled(),
      ...on('PJRT_LoadedExecutable_Destroy'),
      ...on('PJRT_LoadedExecutable_Delete'),
    ],
    abi,
    undefined,
  );
  const text = statements.join('\n');
  expect(text).toContain('a4->executable = (void *)a3->executable;');
  expect(text).toContain('a5->executable = (void *)a2->executable;');
});

test('what is said of an object that shares its address with another one is shown by nothing', () => {
  const name = 'PJRT_Buffer_IsDeleted';
  const made = (): RecordedLine[] =>
    call('PJRT_Client_BufferFromHostBuffer', { given: { client: CLIENT }, gives: { buffer: OTHER } });
  const asked = call(name, { given: { buffer: OTHER }, gives: { is_deleted: 1n } });
  const wrong = finding({ call: name });
  const judged = (...lines: RecordedLine[]) =>
    translate([...start, { k: 'case', edge: 'begin' }, ...lines, ...asked, wrong], abi, wrong).judged;
  expect([judged(...made()), judged(...made(), ...made())]).toEqual(['outputs', undefined]);
});

test('a call that never returned is the last one; an address of unknown origin is said', () => {
  const [begun] = call('PJRT_Client_Devices', { given: { client: 0x7eee_1234_5678n } });
  const { unfinished, beyond } = translate([...start, { k: 'case', edge: 'begin' }, begun!], abi, undefined);
  expect(unfinished).toBe('PJRT_Client_Devices');
  expect(beyond).toEqual(['PJRT_Client_Devices.client has an address that no recorded call has given']);
});

test('a callback is waited for as often as it was called', () => {
  const at = '7faa00000000';
  const { statements, declarations } = translate(
    [
      ...start,
      { k: 'callback', at, calls: [] },
      { k: 'case', edge: 'begin' },
      { k: 'firing', at, arguments: ['0', '1'] },
    ],
    abi,
    undefined,
  );
  expect(declarations).toEqual(['CALLBACK(callback_0)']);
  expect(statements.at(-1)).toBe('wait_for(&callback_0, 1);');
});

test('structs are written member by member, of a union the one in use; large texts and arrays are files', () => {
  const layout = abi.struct('PJRT_Buffer_MemoryLayout');
  const bytesOfLayout = Buffer.alloc(layout.size);
  bytesOfLayout.writeInt32LE(1, layout.field('type').offset);
  const strides = layout.field('strides').offset;
  const inner = abi.struct('PJRT_Buffer_MemoryLayout_Strides');
  bytesOfLayout.writeBigUInt64LE(DIMS, strides + inner.field('byte_strides').offset);
  bytesOfLayout.writeBigUInt64LE(2n, strides + inner.field('num_byte_strides').offset);
  const [LAYOUT, DATA, CODE] = [0x7f22_0000_0000n, 0x7f33_0000_0000n, 0x7f44_0000_0000n];
  const given = { client: CLIENT, device: DEVICE, data: DATA, device_layout: LAYOUT };
  const block = (id: number, at: bigint, contents: Buffer): RecordedLine => ({
    k: 'block',
    id,
    at: at.toString(16),
    bytes: contents.toString('base64'),
  });
  const text = Buffer.from('func.func @main() {}\n'.repeat(1000));
  const { statements, data } = translate(
    [
      ...start,
      { k: 'case', edge: 'begin' },
      block(0, DIMS, Buffer.from(words([4n, 8n]), 'base64')),
      block(1, LAYOUT, bytesOfLayout),
      block(2, DATA, Buffer.from(Array.from({ length: 20_000 }, (_, i) => i % 251))),
      ...call('PJRT_Client_BufferFromHostBuffer', { given }),
      block(3, CODE, text),
      ...call('PJRT_Client_Compile', { given: { client: CLIENT, program: CODE } }),
    ],
    abi,
    undefined,
  );
  const written = statements.join('\n');
  expect(written).toContain('memcpy(byte_strides_3_0, (const int64_t[]){4, 8}, 16);');
  expect(written).toContain('device_layout_3_1->strides.byte_strides = byte_strides_3_0;');
  expect(written).toContain('device_layout_3_1->strides.num_byte_strides = 2u;');
  expect(written).toContain('device_layout_3_1->type = PJRT_Buffer_MemoryLayout_Type_Strides;');
  expect(Object.fromEntries([...data].map(([name, bytes]) => [name, bytes.length]))).toEqual({
    'data/data_3_2.npy': 20_000,
    'data/program_4_3.mlir': text.length,
  });
});

test('of many rounds the first two are recorded: the second is a loop, in each phase of which what leaks grows', () => {
  const limits = { threads: 0, allocated: 4096 };
  const growth = { k: 'growth', rounds: 60, phases: 3, limits } as const;
  const what = 'the number of threads grew in each of 3 phases of 60 rounds';
  const asked = () => call('PJRT_Client_ProcessIndex', { given: { client: CLIENT } });
  const lines = (...end: RecordedLine[]): RecordedLine[] => [
    ...start,
    { k: 'case', edge: 'begin' },
    { ...growth, edge: 'begin' },
    { k: 'round' },
    ...asked(),
    { k: 'round' },
    ...asked(),
    ...end,
  ];
  const leak = finding({ message: `${what} with PJRT_Client_Destroy` });
  const shown = translate(lines({ ...growth, edge: 'end', what }, leak), abi, leak);
  const text = shown.statements.join('\n');
  expect(text).toContain(
    'most_usage_0 = {.threads = 0, .descriptors = -1, .allocated = 4096, .memory = -1, .addresses = -1}',
  );
  expect(text.match(/PJRT_Client_ProcessIndex\(/g)).toHaveLength(2);
  expect(text).toMatch(
    /round < 60; round\+\+\) \{\n {4}struct pages \*rooms = newest;[^}]*leave_rooms\(rooms\);\n {2}\}/,
  );
  expect(shown.statements.at(-1)).toBe(`if (usage_0_grows) fail("${leak.message}");`);
  expect([shown.judged, [...shown.needs], shown.unfinished]).toEqual(['growth', ['growth'], undefined]);
  // What another finding is about is not the growth.
  const other = finding({});
  expect(translate(lines({ ...growth, edge: 'end' }, other), abi, other).judged).toBeUndefined();
  // What hangs in a later round hangs in the loop.
  expect(translate(lines(), abi, undefined).unfinished).toBe('a round');
});

test('an object of a round is not known behind it', () => {
  const growth = { k: 'growth', rounds: 60, phases: 3, limits: {} } as const;
  const made = call('PJRT_Client_Create', { gives: { client: 0x5555_0000_9000n } });
  const { beyond } = translate(
    [
      ...start,
      { k: 'case', edge: 'begin' },
      { ...growth, edge: 'begin' },
      { k: 'round' },
      { k: 'round' },
      ...made,
      { ...growth, edge: 'end' },
      ...call('PJRT_Client_ProcessIndex', { given: { client: 0x5555_0000_9000n } }),
    ],
    abi,
    undefined,
  );
  expect(beyond).toEqual(['PJRT_Client_ProcessIndex.client has an address that no recorded call has given']);
});

test('what the process is like is looked at by the program itself', () => {
  const masked = finding({ type: 'pjrt.ProcessChanged', requirements: ['HYG-FP-001'] });
  const { statements, judged, needs } = translate([...start, { k: 'case', edge: 'begin' }, masked], abi, masked);
  expect(statements.at(-1)).toBe('if (changed(FLOATING_POINT)) fail("it is wrong");');
  expect([judged, [...needs]]).toEqual(['process', ['process']]);
  const unseen = finding({ type: 'pjrt.ProcessChanged', requirements: ['HYG-TMR-001'] });
  expect(translate([...start, { k: 'case', edge: 'begin' }, unseen], abi, unseen).judged).toBeUndefined();
});

test("an error is judged by what the API and the error's own table say of it, as they did", () => {
  const table = Abi.at(117);
  const error = ERROR.toString(16);
  const lines: RecordedLine[] = [
    ...start,
    { k: 'case', edge: 'begin' },
    ...call('PJRT_Client_LookupDevice', { given: { client: CLIENT, id: -1n }, answer: ERROR }),
    ...call('PJRT_Error_GetCode', { given: { error: ERROR }, gives: { code: 3n } }),
    { k: 'table', edge: 'begin', slot: 'get_code', error },
    { k: 'table', edge: 'end', slot: 'get_code', error, code: 15 },
  ];
  const wrong = finding({
    type: 'pjrt.ErrorContract',
    call: 'PJRT_Client_LookupDevice',
    requirements: ['ABI-ERRV-002'],
  });
  const { statements, beyond } = translate([...lines, wrong], table, wrong);
  const text = statements.join('\n');
  expect(text).toContain('PJRT_Error *error_of_table_1 = (PJRT_Error *)error_2;');
  expect(text).toContain('int code_of_table_1 = (int)error_of_table_1->vtable->get_code(error_of_table_1);');
  expect(statements.at(-1)).toBe(
    'if (!memcmp(&a3->code, (const uint32_t[]){0x3}, 4) &&\n      code_of_table_1 == 15) fail("it is wrong");',
  );
  expect(beyond).toEqual([]);
  expect(translate(lines.slice(0, -1), table, undefined).unfinished).toBe('PJRT_Error_FunctionTable.get_code');
});

test('tables of the plugin are compared as a whole', () => {
  const tables = { text: 'struct_size 1100\n', bytes: 1096 };
  const [, ...rest] = start;
  const bad = finding({ type: 'pjrt.BadTable', call: 'GetPjrtApi' });
  const lines: RecordedLine[] = [
    { k: 'plugin', minor: 81, harmless: '7fbb00000000', tables },
    ...rest,
    { k: 'case', edge: 'begin' },
    bad,
  ];
  const { statements, needs } = translate(lines, abi, bad);
  expect(statements.at(-1)).toBe('if (tables_are("struct_size 1100\\n", 1096)) fail("it is wrong");');
  expect([...needs]).toEqual(['tables']);
});

test('a callback that has not come back is waited for', () => {
  const at = '7faa00000000';
  const [inner] = call('PJRT_Client_ProcessIndex', { given: { client: CLIENT } });
  const lines: RecordedLine[] = [
    ...start,
    { k: 'case', edge: 'begin' },
    { ...inner!, where: 'inside', at: '7fab00000000' } as RecordedLine,
    { k: 'callback', at, calls: ['7fab00000000'] },
  ];
  const { statements, unfinished } = translate(lines, abi, undefined);
  expect([statements.at(-1), unfinished]).toEqual(['wait_for(&callback_0, 1);', 'PJRT_Client_ProcessIndex']);
  expect(translate([...lines, { k: 'case', edge: 'end' }], abi, undefined).unfinished).toBeUndefined();
});
