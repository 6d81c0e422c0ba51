import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import type { ReducedTrace } from '../harness/commands/reduce/reduce-trace.ts';
import { encodeCompileOptions } from '../harness/knowledge/programs/compile-options.ts';
import type { Finding } from '../harness/model/finding.ts';
import { loadDesign } from '../tools/designs/design.ts';
import { libraryOf, manifestOf, writeManifest } from '../tools/designs/plugin.ts';
import { buildFaults } from '../tools/mutation/library.ts';
import { GENERATED } from '../tools/reference/generated-sources.ts';
import { resolveHere } from '../tools/resolve-here.ts';
import { compile, findCompiler } from './support/c-compiler.ts';
import { command } from './support/command.ts';
import { referenceLibrary } from './support/reference.ts';

/** `replay` of what a small caller in C did with the reference plugin, on that plugin and on faulty ones. */

/** It has an operation that one of the faults computes wrongly, and one that another computes a little less exactly. */
const PROGRAM = `module @twice {
  func.func public @main(%arg0: tensor<1024xf32>) -> tensor<1024xf32> {
    %0 = stablehlo.reverse %arg0, dims = [0] : tensor<1024xf32>
    %two = stablehlo.constant dense<2.0> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %two, dims = [] : (tensor<f32>) -> tensor<1024xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<1024xf32>
    %3 = stablehlo.add %2, %1 : tensor<1024xf32>
    return %3 : tensor<1024xf32>
  }
}
// ${'It is long enough for a file of its own. '.repeat(128)}
`;

let directory: string;
let plugin: string;
let faults: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-replay-'));
  plugin = await referenceLibrary();
  faults = await buildFaults();
  writeFileSync(join(directory, 'program.mlir'), PROGRAM);
  writeFileSync(join(directory, 'options'), encodeCompileOptions());
  const source = packagePath('tests', 'record', 'caller.c');
  await compile(['-O1', `-I${GENERATED}`, source, '-ldl', '-o', join(directory, 'caller')], await findCompiler());
  for (const [trace, ...how] of [['trace'], ['chain', 'chain']]) {
    const caller = ['./caller', plugin, 'program.mlir', 'options', '5', ...how];
    const { status, stderr } = command(['record', '-o', trace!, '--contents', 'every', '--', ...caller], directory);
    expect([status, stderr]).toEqual([0, expect.stringContaining('PJRT C API')]);
  }
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Replayed {
  status: number | null;
  stdout: string;
  result: { id: string; status: string; reason?: string; findings: Finding[] };
}

function replay(library: string, environment: NodeJS.ProcessEnv = {}, trace = 'trace'): Replayed {
  return replayed(['replay', trace, '--plugin', library, '--output', 'out'], 'out', environment);
}

function replayed(args: string[], output: string, environment: NodeJS.ProcessEnv = {}): Replayed {
  const { status, stdout } = command(args, directory, environment);
  const report = JSON.parse(readFileSync(join(directory, output, 'report.json'), 'utf8')) as {
    suites: { cases: Replayed['result'][] }[];
  };
  return { status, stdout, result: report.suites[0]!.cases[0]! };
}

const replayFault = (fault: string, trace?: string): Replayed =>
  replay(faults, { PJRT_FAULTS_BASE: plugin, PJRT_FAULT: fault }, trace);

test('the plugin that was recorded gives the same again', () => {
  const { status, result } = replay(plugin);
  expect([status, result.status]).toEqual([0, 'pass']);
  const [summary] = result.findings;
  expect(summary).toMatchObject({ level: 'info', type: 'pjrt.Replay' });
  const [, issued, calls] = /^(\d+) of (\d+) calls were made again/.exec(summary!.message)!;
  expect(Number(issued)).toBeGreaterThan(0.9 * Number(calls));
  // Five results, and five reads of them.
  expect(summary!.message).toContain('10 of 10 contents are the same bit by bit');
});

test.each(['jax@0.6.2', 'jax@0.10.2', 'jax@0.12.0.1'])('what %s did is in the package', (release) => {
  const args = ['replay', release, '--plugin', plugin, '--option', 'num_devices=4', '--output', 'known'];
  const { status, stdout } = command(args, directory);
  expect([status, stdout]).toEqual([0, expect.stringContaining('3 of 3 cases passed')]);
  const wrong = { PJRT_FAULTS_BASE: plugin, PJRT_FAULT: 'numerics-matmul-accumulates-in-bf16' };
  const { result } = replayed(
    ['replay', release, '--plugin', faults, '--output', 'wrong', '--tests', 'replay:*-train'],
    'wrong',
    wrong,
  );
  expect(result.findings[0]).toMatchObject({ requirements: ['RPL-DATA-001'] });
});

test('a release that is not in the package is named with those that are', () => {
  const { status, stderr } = command(['replay', 'jax@0.9', '--plugin', plugin], directory);
  expect([status, stderr]).toEqual([2, expect.stringContaining('no recording of jax@0.9, only of jax@0.10.2')]);
});

test('structs whose size is that of no header are whole, unless they end where memory does', async () => {
  const source = packagePath('tests', 'record', 'odd-sizes.c');
  await compile(['-O1', `-I${GENERATED}`, source, '-ldl', '-o', join(directory, 'odd-sizes')], await findCompiler());
  const recorded = command(['record', '-o', 'odd', '--', './odd-sizes', plugin], directory);
  expect([recorded.status, recorded.stderr]).toEqual([0, expect.stringContaining('PJRT C API')]);
  // The sizes stay as they were: they are mistakes.
  const checked = command(['trace', 'check', 'odd', '--format', 'json'], directory);
  const [{ mistakes }] = JSON.parse(checked.stdout) as [{ mistakes: { rule: string; message: string }[] }];
  expect(mistakes.map(({ rule, message }) => [rule, message])).toEqual([
    ['struct-size', expect.stringContaining('struct_size of PJRT_Buffer_ToHostBuffer.host_layout is ')],
    ['struct-size', expect.stringContaining('struct_size of PJRT_Buffer_IsDeleted is 16;')],
  ]);
  const { status, result } = replayed(['replay', 'odd', '--plugin', plugin, '--output', 'odd-out'], 'odd-out');
  expect([status, result.status]).toEqual([0, 'pass']);
  expect(result.findings[0]!.message).toContain('6 of 6 contents are the same bit by bit');
  expect(result.findings[0]!.detail ?? '').not.toMatch(/host_layout|struct_size|PJRT_Buffer_ToHostBuffer/);
});

test('a wrong result is a finding of its program, execution and result', () => {
  const { status, result } = replayFault('numerics-reversed-operand-is-zero');
  expect([status, result.status]).toEqual([1, 'fail']);
  expect(result.findings[0]).toMatchObject({ call: 'PJRT_LoadedExecutable_Execute', requirements: ['RPL-DATA-001'] });
  expect(result.findings[0]!.message).toMatch(/^result 0 of \S+ \(execution at \d+\): \d+ of 1024 elements differ/);
});

test('what is computed a little less exactly is judged from the recorded inputs each time', () => {
  const { status, result } = replayFault('numerics-add-off-by-one-ulp', 'chain');
  expect([status, result.status]).toEqual([0, 'pass']);
  const [summary] = result.findings;
  // Ten results; five of them are read, and five are arguments.
  expect(summary!.message).toContain('0 of 10 contents are the same bit by bit, 10 within the accuracy profile');
  expect(summary!.message).toContain('5 reads of others are what their buffers have');
  expect(summary!.message).toContain('5 arguments were given as they were recorded');
});

test('a wrong result is found where its inputs come of an earlier one', () => {
  const { result } = replayFault('numerics-reversed-operand-is-zero', 'chain');
  const wrong = result.findings.filter(({ level }) => level !== 'info');
  expect(wrong.map(({ requirements }) => requirements)).toEqual(Array.from({ length: 10 }, () => ['RPL-DATA-001']));
});

test('an event that is not ready after it was waited for is found', () => {
  const { result } = replayFault('event-not-ready-after-await');
  expect(result.findings[0]).toMatchObject({ call: 'PJRT_Event_Await', requirements: ['RPL-EVT-001'] });
  expect(result.findings[0]!.message).toMatch(
    /^call \d+ of the recording: an event for which was waited is not ready$/,
  );
});

test('a call that fails is named, with its place in the recording, and what needs its results is left out', () => {
  const { status, result } = replayFault('execute-context-demanded');
  expect([status, result.status]).toEqual([1, 'fail']);
  expect(result.findings[0]).toMatchObject({
    call: 'PJRT_LoadedExecutable_Execute',
    code: 'INVALID_ARGUMENT',
    requirements: ['RPL-CALL-001'],
  });
  expect(result.findings[0]!.message).toMatch(/^call \d+ of the recording has succeeded there: /);
  expect(result.findings.at(-1)!.detail).toMatch(/not made: call \d+ \(PJRT_LoadedExecutable_Execute\) has failed/);
});

test('a crash is blamed on its call', () => {
  const { status, result } = replayFault('execute-call-location-demanded');
  expect([status, result.status]).toEqual([1, 'crash']);
  expect(result.findings[0]).toMatchObject({ call: 'PJRT_LoadedExecutable_Execute' });
});

test.each([
  ['tpu-like', 'pass'],
  ['no-memories', 'pass'],
  ['two-hosts', 'pass'],
  // It takes no text, which is what was recorded.
  ['artifacts-only', 'unsupported'],
])('%s is a right plugin', async (name, expected) => {
  const base = { name: 'reference', plugin: await resolveHere('reference') } as const;
  const design = loadDesign(name);
  const beside = mkdtempSync(join(directory, 'design-'));
  const manifest = writeManifest(beside, manifestOf(design, base, await libraryOf(design, base)));
  const { result } = replay(manifest);
  expect([result.status, result.findings.filter(({ level }) => level !== 'info')]).toEqual([expected, []]);
});

test.each([
  ['event-callback-twice', 'events/on-ready:once', 1, 'called-back-twice'],
  ['executable-deleted-reads-false', 'executables/lifecycle:deleted', 1, 'executable-not-deleted'],
  ['executable-deleted-from-the-start', 'executables/lifecycle:deleted', 1, 'executable-deleted-unasked'],
  // What only should not be does not count.
  ['metadata-on-cpu-changes', 'buffers/metadata:is-on-cpu', 0, 'answer-changed'],
  ['args-input-overwritten', 'buffers/metadata:is-on-cpu', 0, 'input-changed'],
])('trace check says what the plugin %s does wrong', (fault, tests, status, rule) => {
  const asked = ['run', '--plugin', faults, '--no-config', '--output', 'checked', '--tests', tests];
  const main = packagePath('dist', 'cli', 'main.js');
  const run = [process.execPath, main, ...asked];
  command(['record', '-o', fault, '--', ...run], directory, { PJRT_FAULTS_BASE: plugin, PJRT_FAULT: fault });
  const checked = command(['trace', 'check', fault, '--format', 'json'], directory);
  const processes = JSON.parse(checked.stdout) as { mistakes: []; ofPlugin: { mistakes: { rule: string }[] } }[];
  const rules = processes.flatMap(({ ofPlugin }) => ofPlugin.mistakes.map((one) => one.rule));
  expect([...new Set(rules)]).toEqual([rule]);
  expect([checked.status, processes.flatMap(({ mistakes }) => mistakes)]).toEqual([status, []]);
});

test('a call is played alone, with what it needs', () => {
  const wrong = { PJRT_FAULTS_BASE: plugin, PJRT_FAULT: 'numerics-reversed-operand-is-zero' };
  const whole = replay(faults, wrong, 'chain').result;
  const [, order] = /execution at (\d+)/.exec(whole.findings.at(-2)!.message)!;
  const window = ['--from', order!, '--to', order!];
  const { result, stdout } = replayed(
    ['replay', 'chain', '--plugin', faults, '--output', 'alone', ...window],
    'alone',
    wrong,
  );
  expect(result.findings.filter(({ message }) => message.includes(`execution at ${order}`))).toHaveLength(1);
  expect(stdout).toContain(`reproduce: npx pjrt-conformance replay chain --from ${order} --to ${order} --plugin`);
  const issued = ({ findings }: Replayed['result']): number => Number(/^\d+/.exec(findings.at(-1)!.message)![0]);
  expect(issued(result)).toBeLessThan(issued(whole) / 2);
  const { status, stderr } = command(['replay', 'chain', '--plugin', plugin, '--from', '99999'], directory);
  expect([status, stderr]).toEqual([
    2,
    expect.stringMatching(/no call has an order from 99999 to the last: they are from \d+ to \d+/),
  ]);
});

/** What `reduce` leaves of the recording of a caller on a faulty plugin, in a directory of the fault's name. */
function reduced(fault: string, trace = 'chain') {
  const wrong = { PJRT_FAULTS_BASE: plugin, PJRT_FAULT: fault };
  const args = ['reduce', trace, '--plugin', faults, '-o', `less-${fault}`, '--format', 'json'];
  const { status, stdout } = command(args, directory, wrong);
  return { status, wrong, ...(JSON.parse(stdout) as ReducedTrace) };
}

test.each([
  // A crash, an answer that is wrong, and wrong results of the first program.
  ['execute-call-location-demanded', 'PJRT_LoadedExecutable_Execute', 12],
  ['event-not-ready-after-await', 'PJRT_Event_Await', 12],
  ['numerics-reversed-operand-is-zero', 'PJRT_LoadedExecutable_Execute', 12],
])('%s: reduce leaves the call that fails, and what it needs', (fault, call, most) => {
  const { status, shortest, wrong } = reduced(fault);
  expect(status).toBe(0);
  expect(shortest!.after.calls).toBeLessThanOrEqual(most);
  expect(shortest!.before.calls).toBeGreaterThan(5 * shortest!.after.calls);
  expect(shortest!.functions).toMatchObject({ PJRT_Client_Create: 1, [call]: 1 });
  // It fails as before on the plugin with the fault, and passes on the one without.
  const again = replay(faults, wrong, `less-${fault}`).result;
  expect(again.findings[0]).toMatchObject({ call });
  expect(replay(plugin, {}, `less-${fault}`).result.status).toBe('pass');
  // Its caller has made no mistake.
  const checked = command(['trace', 'check', `less-${fault}`, '--format', 'json'], directory);
  expect(JSON.parse(checked.stdout)).toMatchObject([{ mistakes: [] }]);
});

test('what is left of a recording is a C program too', () => {
  const { shortest, wrong } = reduced('execute-context-demanded');
  const args = [
    'export',
    `replay:${shortest!.name}`,
    '--trace',
    'less-execute-context-demanded',
    '--plugin',
    faults,
    '-o',
    'repro',
  ];
  expect(command(args, directory, wrong)).toMatchObject({ status: 0, stderr: '' });
  const program = readFileSync(join(directory, 'repro', 'repro.c'), 'utf8');
  expect(program).toContain('PJRT_LoadedExecutable_Execute');
});

test('a trace of which a file is missing is said to be one', () => {
  cpSync(join(directory, 'chain'), join(directory, 'torn'), { recursive: true });
  rmSync(join(directory, 'torn', 'blobs'), { recursive: true });
  const { status, stderr } = command(['replay', 'torn', '--plugin', plugin, '--from', '1'], directory);
  expect([status, stderr]).toEqual([
    2,
    expect.stringMatching(/blobs\/.*: there is no such file; copy the whole directory/),
  ]);
});

test('reduce says that nothing fails, and that a recording needs no oracle', () => {
  const run = (...more: string[]) => command(['reduce', 'trace', '--plugin', plugin, '-o', 'none', ...more], directory);
  expect(run()).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/^failing: 0 of 1 session .*\nnothing to reduce\n$/),
  });
  const { status, stderr } = run('--oracle', 'reference');
  expect([status, stderr]).toEqual([2, expect.stringContaining('--oracle is for programs, and trace is a recording')]);
});

test('a directory that is no trace, and a trace without the calls, are refused', () => {
  const refused = (trace: string) => {
    const { status, stderr } = command(['replay', trace, '--plugin', plugin, '--output', 'none'], directory);
    return [status, stderr];
  };
  expect(refused('.')).toEqual([
    2,
    expect.stringContaining('a trace is a directory that `pjrt-conformance record` writes'),
  ]);
  const caller = ['./caller', plugin, 'program.mlir', 'options', '1'];
  command(['record', '-o', 'programs-only', '--programs-only', '--', ...caller], directory);
  expect(refused('programs-only')).toEqual([2, expect.stringContaining('record without --programs-only to replay it')]);
});
