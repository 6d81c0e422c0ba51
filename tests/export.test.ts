import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import type { Exported } from '../harness/commands/export/export-case.ts';
import { buildFaults } from '../tools/mutation/library.ts';
import { buildHostile } from './support/hostile.ts';
import { referenceLibrary } from './support/reference.ts';

/** `export`: cases as C programs, compiled with all warnings as errors, which end as their cases did. */

let directory: string;
let reference: string;
let faults: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-export-'));
  reference = await referenceLibrary();
  faults = await buildFaults();
}, 900_000);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const LIMITS = ['--timeout', 'call=3s,first=5s,case=20s'];

function exported(id: string, plugin: string, env: Record<string, string> = {}) {
  const output = join(directory, id.replace(/\W+/g, '-') + (env.PJRT_FAULT ?? ''));
  const args = ['export', id, '--plugin', plugin, '-o', output, '--format', 'json', ...LIMITS];
  const command = [packagePath('dist', 'cli', 'main.js'), ...args];
  const ended = spawnSync(process.execPath, command, { encoding: 'utf8', env: { ...process.env, ...env } });
  return { ...ended, output, result: (ended.status === 2 ? {} : JSON.parse(ended.stdout)) as Exported };
}

/** Compiles and runs a program. */
function made(output: string, plugin: string, env: Record<string, string> = {}) {
  const compiled = spawnSync('make', ['-C', output, 'CFLAGS=-g -O0 -Wall -Werror', 'repro'], { encoding: 'utf8' });
  expect([compiled.status, compiled.stderr]).toEqual([0, '']);
  const how = { cwd: output, encoding: 'utf8', env: { ...process.env, TRACE: '1', DEADLINE: '5', ...env } } as const;
  return spawnSync(join(output, 'repro'), [plugin], how);
}

// Arrays in other orders, executions, errors, callbacks on other threads and inside others, extensions, many pieces.
const PASSING = [
  'buffers/read-back:host-layout[dtype=u8,order=1x0x2]',
  'async-transfer/manager:pieces[pieces=8,order=shuffled,count=24]',
  'donation/donation:result[program=must_alias]',
  'buffers/host-errors:negative-dimension[dims=-2x-3]',
  'events/on-ready:pending[via=created,count=3]',
  'extensions/layouts:executable[of=outputs]',
];

test.each(PASSING)('the program of a case that passes ends with 0: %s', { timeout: 300_000 }, (id) => {
  const { result, output } = exported(id, reference);
  expect([result.status, result.beyond]).toEqual(['pass', []]);
  const { status, stderr } = made(output, reference);
  expect([status, stderr.trim().split('\n').at(-1)]).toEqual([0, 'as it should be']);
});

const FAULTS = [
  // What is missing is an error, an answer, the numbers, an event; and a call that dies.
  ['async-device-null', 'async-transfer/manager:queries', 'FAIL: device_out of'],
  ['lazy-client_addressable_devices', 'devices/lists:first-answers', 'FAIL: PJRT_Client_AddressableDevices gave'],
  ['attributes-old-size-without-count', 'plugin/attributes:old-size', 'FAIL: num_attributes of'],
  // What many rounds use up, the state of the process, files, tables, and what an error says.
  ['leak-clients', 'resources/leaks:clients', 'FAIL: '],
  [
    'hygiene-floating-point-traps',
    'process/hygiene:after-initialize',
    'FAIL: since PJRT_Plugin_Initialize the floating-point',
  ],
  [
    'file-left-in_home',
    'process/hygiene:traces-elsewhere',
    'FAIL: after its client was destroyed, 1 files are left in the home',
  ],
  ['extension-function-is-data', 'extensions/chain:slots', 'FAIL: Layouts has functions that are no code'],
  [
    'error-table-code-differs',
    'errors/contract:contract[from=unknown-device]',
    'FAIL: an error of PJRT_Client_LookupDevice',
  ],
  [
    'error-message-is-a-temporary',
    'errors/contract:contract[from=unknown-device]',
    'FAIL: an error of PJRT_Client_Look',
  ],
  // Elements of lists: named values, element types, objects; and which of two equal arrays is wrong.
  ['attributes-minimum-newer-than-current', 'plugin/attributes:versions', 'FAIL: stablehlo_minimum_version'],
  ['executable-output-type-wide', 'executables/queries:outputs[program=identity/pred]', 'FAIL: output_types of'],
  ['memories-of-device-order-changes', 'memories/relations:device-list', 'FAIL: PJRT_Device_AddressableMemories gave'],
  ['numerics-stale-result', 'execute/basics:two-arguments', 'FAIL: backward'],
] as const;

test.each(FAULTS)(
  '%s: the program fails as the case does, and not on the plugin without it',
  { timeout: 300_000 },
  (fault, id, says) => {
    const env = { PJRT_FAULT: fault, PJRT_FAULTS_BASE: reference };
    const { result, output, status } = exported(id, faults, env);
    expect([status, ['fail', 'warn'].includes(result.status)]).toEqual([0, true]);
    const failing = made(output, faults, env);
    expect([failing.status, failing.stderr]).toEqual([1, expect.stringContaining(says)]);
    expect([0, 2]).toContain(made(output, reference).status);
    expect(readFileSync(join(output, 'repro.c'), 'utf8')).toContain(result.message!);
  },
);

test('a crash and a hang are in the same call', { timeout: 300_000 }, async () => {
  const id = 'core/offered:function[function=PJRT_Client_Compile]';
  for (const [name, signal, exit] of [
    ['segv-in-compile', 'SIGSEGV', null],
    ['hang-in-compile', null, 1],
  ] as const) {
    const plugin = await buildHostile(name);
    const { result, output } = exported(id, plugin);
    expect(result.files).toContain('repro.c');
    const ended = made(output, plugin);
    expect([name, ended.signal, ended.status]).toEqual([name, signal, exit]);
    expect(
      ended.stderr
        .split('\n')
        .filter((line) => /^ *\d+ PJRT/.test(line))
        .at(-1),
    ).toContain('PJRT_Client_Compile');
  }
});

test('memory of the caller ends where a plugin may not read on', { timeout: 300_000 }, () => {
  const env = { PJRT_FAULT: 'string-error-message-needs-terminator', PJRT_FAULTS_BASE: reference };
  const fn = 'PJRT_AsyncHostToDeviceTransferManager_SetBufferError';
  const { output } = exported(`abi/nested-structs:unterminated-strings[function=${fn}]`, faults, env);
  expect([made(output, faults, env).signal, made(output, reference).status]).toEqual(['SIGSEGV', 0]);
});

test('what no answer shows is said, and nothing is written; other files are not replaced', () => {
  const { status, result, output } = exported('extensions/ffi:run', reference);
  expect([status, result.status, existsSync(output)]).toEqual([1, 'pass', false]);
  expect(result.beyond).toContainEqual(expect.stringContaining('a callback that answers'));
  const taken = join(directory, 'taken');
  mkdirSync(taken);
  writeFileSync(join(taken, 'thesis.txt'), 'x');
  const args = ['export', PASSING[0]!, '--plugin', reference, '-o', taken];
  const refused = spawnSync(process.execPath, [packagePath('dist', 'cli', 'main.js'), ...args], { encoding: 'utf8' });
  expect([refused.status, readdirSync(taken)]).toEqual([2, ['thesis.txt']]);
  expect(refused.stderr).toContain('it holds something other than a program');
});
