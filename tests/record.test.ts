import { spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import type { TraceDiff } from '../harness/commands/trace/diff.ts';
import { encodeCompileOptions } from '../harness/knowledge/programs/compile-options.ts';
import { GENERATED } from '../tools/reference/generated-sources.ts';
import { compile, findCompiler } from './support/c-compiler.ts';
import { command } from './support/command.ts';
import { installerAvailable } from './support/installer.ts';
import { pythonWithJax } from './support/jax.ts';
import { referenceLibrary } from './support/reference.ts';

/** `record` and `trace` with a small caller in C, and with JAX, on the reference plugin. */

/** Number of programs that are killed while they are recorded; `npm run check:kill` kills fifty. */
const KILLS = Number(process.env.PJRT_KILLS ?? 5);

const PROGRAM = `module @twice {
  func.func public @main(%arg0: tensor<1024xf32>) -> tensor<1024xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<1024xf32>
    return %0 : tensor<1024xf32>
  }
}
`;

let directory: string;
let plugin: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-record-'));
  plugin = await referenceLibrary();
  writeFileSync(join(directory, 'program.mlir'), PROGRAM);
  writeFileSync(join(directory, 'options'), encodeCompileOptions());
  for (const name of ['caller', 'mistakes', 'pending']) {
    const source = packagePath('tests', 'record', `${name}.c`);
    await compile(['-O1', `-I${GENERATED}`, source, '-ldl', '-o', join(directory, name)], await findCompiler());
  }
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const calling = (rounds: number, ...more: string[]): string[] => [
  './caller',
  plugin,
  'program.mlir',
  'options',
  String(rounds),
  ...more,
];

const run = (...args: string[]) => command(args, directory);
const plain = (rounds: number) =>
  spawnSync(calling(rounds)[0]!, calling(rounds).slice(1), { cwd: directory, encoding: 'utf8' });

interface Line extends Record<string, unknown> {
  event: string;
  order: number;
  of?: number;
  function?: string;
}
function linesOf(trace: string): Line[] {
  const { status, stdout, stderr } = run('trace', 'calls', trace);
  expect([status, stderr]).toEqual([0, '']);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

test('a program computes the same, and every call that returned is in the trace with its data', () => {
  const { status, stdout, stderr } = run('record', '-o', 'whole', '--', ...calling(5));
  expect(status).toBe(0);
  expect(stdout).toBe(plain(5).stdout);
  expect(stderr).toContain(`${plugin}, PJRT C API 0.`);
  const lines = linesOf('whole');
  const of = (event: string, name: string) => lines.filter((line) => line.event === event && line.function === name);
  expect(of('enter', 'PJRT_LoadedExecutable_Execute').length).toBe(5);
  const entered = lines.filter(({ event }) => event === 'enter').map(({ order }) => order);
  expect(
    lines
      .filter(({ event }) => event === 'leave')
      .map((line) => line.of)
      .sort(byNumber),
  ).toEqual(entered);
  expect(lines.map(({ order }) => order)).toEqual(lines.map(({ order }) => order).sort(byNumber));
  // What was read, each belonging to its call.
  const reads = of('enter', 'PJRT_Buffer_ToHostBuffer').map(({ order }) => order);
  const data = lines.filter(({ event }) => event === 'data');
  expect(data.map((line) => line.of)).toEqual(reads);
  expect(data.map(({ bytes }) => bytes)).toEqual([4096, 4096, 4096, 4096, 4096]);
  const [put] = of('enter', 'PJRT_Client_BufferFromHostBuffer');
  expect(put).toMatchObject({ args: { data: { bytes: 4096 }, type: 'F32', dims: [1024] } });
  expect(of('enter', 'PJRT_Client_Compile')[0]).toMatchObject({ args: { program: { format: 'mlir' } } });
  // An object that was freed is not the next one at its address.
  const made = of('leave', 'PJRT_Client_BufferFromHostBuffer').map(
    ({ results }) => (results as { buffer: string }).buffer,
  );
  expect(new Set(made).size).toBe(5);
  const { stdout: shown } = run('trace', 'show', 'whole');
  expect(shown).toMatch(/5 executions \(1 with arguments and results\), 1 compilation of 1 program/);
  expect(shown).toContain('ended: the process ended');
});

const byNumber = (a: unknown, b: unknown): number => (a as number) - (b as number);

test('the manifest and the README say what is kept, and nothing of the environment or the command line', () => {
  run('record', '-o', 'said', '--keep', 'hashes', '--', ...calling(1));
  const manifest = JSON.parse(readFileSync(join(directory, 'said', 'manifest.json'), 'utf8')) as Record<
    string,
    unknown
  >;
  expect(Object.keys(manifest).sort()).toEqual(['contents', 'format', 'keep', 'programsOnly', 'recorded', 'version']);
  expect(manifest).toMatchObject({ format: 'pjrt-conformance-trace', version: '1.1', keep: 'hashes' });
  expect(readFileSync(join(directory, 'said', 'README.md'), 'utf8')).toContain('digests only');
  const data = linesOf('said').filter(({ event }) => event === 'data');
  expect(data).toMatchObject([{ bytes: 4096, hash: expect.stringMatching(/^[0-9a-f]{32}$/) as string }]);
  const { status, stdout } = run('trace', 'programs', 'said', '-o', 'none');
  expect([status, stdout]).toEqual([1, expect.stringContaining('record again with `--keep all`')]);
});

test('its executions are programs that a plugin runs with the same results', () => {
  run('record', '-o', 'every', '--contents', 'every', '--', ...calling(3));
  const { status, stdout } = run('trace', 'programs', 'every', '-o', 'cases', '--every');
  expect([status, stdout]).toEqual([0, expect.stringContaining('3 of 3 executions written to cases')]);
  expect(
    readFileSync(
      join(directory, 'cases', readdirSync(join(directory, 'cases')).find((name) => name.endsWith('.mlir'))!),
      'utf8',
    ),
  ).toBe(PROGRAM);
  const replayed = run('programs', 'cases', '--plugin', plugin, '--no-config', '--output', 'replayed');
  expect(replayed.status, replayed.stderr).toBe(0);
  expect(replayed.stdout).toContain('3 of 3 cases passed');
  // A wrong result is seen.
  const wrong = join(
    directory,
    'cases',
    readdirSync(join(directory, 'cases')).find((name) => name.endsWith('.out0.bin'))!,
  );
  const bytes = readFileSync(wrong);
  bytes.writeFloatLE(1e9, 40);
  writeFileSync(wrong, bytes);
  expect(run('programs', 'cases', '--plugin', plugin, '--no-config', '--output', 'wrong').status).toBe(1);
});

test('after kill -9 at any moment every record before the last one is read', async () => {
  for (let i = 0; i < KILLS; i++) {
    const delay = (i * 37) % 151;
    const trace = `killed${i}`;
    const child = spawn(
      process.execPath,
      [packagePath('dist', 'cli', 'main.js'), 'record', '-o', trace, '--', ...calling(10_000_000)],
      {
        cwd: directory,
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    let text = '';
    const ended = new Promise<number | null>((done) => child.on('exit', done));
    for await (const chunk of child.stderr.setEncoding('utf8') as AsyncIterable<string>) {
      text += chunk;
      if (!text.includes('first round done')) continue;
      const pid = Number(
        readdirSync(join(directory, trace))
          .find((name) => name.startsWith('pid-'))!
          .slice(4),
      );
      await new Promise((resume) => setTimeout(resume, delay));
      process.kill(pid, 'SIGKILL');
      break;
    }
    child.stderr.resume();
    expect(await ended).toBe(137);
    const lines = linesOf(trace);
    expect(lines.some(({ event }) => event === 'end')).toBe(false);
    const orders = lines.filter(({ event }) => event !== 'plugin').map(({ order }) => order);
    // One thread: no number is missing.
    expect(orders).toEqual(Array.from({ length: orders.length }, (_, n) => orders[0]! + n));
    expect(run('trace', 'show', trace).stdout).toContain('the process was killed');
  }
});

test('a window of executions is recorded with all data, and only programs elsewhere', () => {
  const { status, stdout: printed } = run('record', '-o', 'window', '--window', '3-4', '--', ...calling(6));
  expect(status).toBe(0);
  expect(printed).toBe(plain(6).stdout);
  const lines = linesOf('window').filter(({ event }) => event === 'enter');
  const first = lines.findIndex(({ function: name }) => name === 'PJRT_LoadedExecutable_Execute');
  expect(lines.filter(({ function: name }) => name === 'PJRT_LoadedExecutable_Execute').length).toBe(2);
  const outside = new Set(lines.slice(0, first).map(({ function: name }) => name));
  expect([...outside].sort()).toEqual(['PJRT_Client_Compile', 'PJRT_Client_Create', 'PJRT_Plugin_Initialize']);
  expect(lines.filter(({ function: name }) => name === 'PJRT_Buffer_ToHostBuffer').length).toBe(2);
  expect(lines.at(-1)!.function).toBe('PJRT_Client_Destroy');
  const { stdout } = run('trace', 'programs', 'window', '-o', 'of-window', '--every');
  expect(stdout).toContain('2 of 2 executions written to of-window');
  const ran = run('programs', 'of-window', '--plugin', plugin, '--no-config', '--output', 'ran-window');
  expect([ran.status, ran.stdout]).toEqual([0, expect.stringContaining('2 of 2 cases passed') as string]);
  expect(run('trace', 'show', 'window').stdout).toContain('executions 3 to 4 of each process, programs only elsewhere');
  expect(readFileSync(join(directory, 'window', 'README.md'), 'utf8')).toContain('from execution 3 to 4');
  for (const words of [['replay'], ['trace', 'check']])
    expect(run(...words, 'window', ...(words.length === 1 ? ['--plugin', plugin] : []))).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('record without --window') as string,
    });
});

test.each(['4-3', '0', 'all', '1-', '-1'])('--window %s is no window', (window) => {
  const { status, stderr } = run('record', `--window=${window}`, '--', ...calling(1));
  expect([status, stderr]).toEqual([2, expect.stringContaining('numbers of executions, from 1 on') as string]);
});

test('a timeline has every call that returned', () => {
  expect(run('record', '-o', 'timed', '--', ...calling(3)).status).toBe(0);
  const { status, stdout } = run('trace', 'timeline', 'timed', '--format', 'json');
  expect(status).toBe(0);
  const text = readFileSync(join(directory, 'timeline.json'), 'utf8');
  const { traceEvents } = JSON.parse(text) as { traceEvents: { ph: string; cat?: string; name: string }[] };
  expect(JSON.parse(stdout)).toEqual({ file: 'timeline.json', events: traceEvents.length, bytes: text.length });
  const calls = traceEvents.filter(({ ph, cat }) => ph === 'X' && cat === 'call');
  expect(calls.length).toBe(linesOf('timed').filter(({ event }) => event === 'leave').length);
  expect(calls.filter(({ name }) => name === 'LoadedExecutable_Execute twice').length).toBe(3);
  expect(run('trace', 'timeline', 'nothing')).toMatchObject({ status: 2 });
});

test('a child of a fork has a trace of its own', () => {
  const { status } = run('record', '-o', 'forked', '--', ...calling(2, 'fork'));
  expect(status).toBe(0);
  const lines = linesOf('forked');
  const processes = [...new Set(lines.map(({ process: name }) => name as string))];
  expect(processes.length).toBe(2);
  const names = processes.map((name) =>
    lines.filter((line) => line.process === name && line.event === 'enter').map((line) => line.function),
  );
  expect(names.sort((a, b) => a.length - b.length)[0]).toEqual(['PJRT_Client_PlatformName']);
});

test('of 20,000 reads at the same time each has its data', () => {
  expect(run('record', '-o', 'many', '--', './pending', plugin, '20000').status).toBe(0);
  const lines = linesOf('many');
  const reads = lines.filter(({ event, function: name }) => event === 'enter' && name === 'PJRT_Buffer_ToHostBuffer');
  const data = lines.filter(({ event }) => event === 'data');
  expect(reads.length).toBe(20_000);
  expect(data.every(({ bytes, missing }) => bytes === 16 && missing === undefined)).toBe(true);
  expect(data.map((line) => line.of).sort(byNumber)).toEqual(reads.map(({ order }) => order));
});

test('a read at the address of an event that ended unseen has its data, and that of the other is missing', () => {
  expect(run('record', '-o', 'unseen', '--', './pending', plugin, '200', 'unseen').status).toBe(0);
  const lines = linesOf('unseen');
  const reads = lines.filter(({ event, function: name }) => event === 'enter' && name === 'PJRT_Buffer_ToHostBuffer');
  const data = lines.filter(({ event }) => event === 'data');
  const having = (missing?: true) =>
    data.filter((line) => line.missing === missing).map((line) => reads.findIndex(({ order }) => order === line.of));
  expect(having()).toEqual(Array.from({ length: 100 }, (_, i) => 2 * i + 1));
  expect(having(true).length).toBeGreaterThan(0);
  expect(having(true).every((i) => i % 2 === 0)).toBe(true);
  expect(run('trace', 'show', 'unseen').stdout).toMatch(
    / of host data given, .* read; missing: the data of \d+ reads?$/m,
  );
});

test('--max-size ends the recording, and not the program', () => {
  const { status, stdout, stderr } = run('record', '-o', 'small', '--max-size', '200K', '--', ...calling(500));
  expect([status, stdout]).toEqual([0, plain(500).stdout]);
  expect(stderr).toContain('ends here, the program goes on: --max-size is reached');
  expect(linesOf('small').at(-1)).toMatchObject({ event: 'end', why: '--max-size was reached' });
});

test('--stablehlo lowers what a plugin says of itself, and no more', () => {
  const inspect = [process.execPath, packagePath('dist', 'cli', 'main.js'), 'inspect', plugin, '--format', 'json'];
  const reported = (trace: string, version: string) => {
    const { status, stdout, stderr } = run('record', '-o', trace, '--stablehlo', version, '--', ...inspect);
    expect(status, stderr).toBe(0);
    const attributes = /"stablehlo_current_version":\s*(\[[^\]]*\])/.exec(stdout)![1]!;
    return { version: (JSON.parse(attributes) as number[]).join('.') };
  };
  const [lower, higher] = [reported('lower', '1.2.3'), reported('higher', '9.0.0')];
  expect(lower.version).toBe('1.2.3');
  // It is not raised: 9.0.0 is later than what the plugin reads.
  expect(Number(higher.version.split('.')[0])).toBe(1);
  const answered = linesOf('lower').find(
    ({ event, function: name }) => event === 'leave' && name === 'PJRT_Plugin_Attributes',
  );
  expect(JSON.stringify(answered)).toContain('"value":[1,2,3]');
  const manifest = JSON.parse(readFileSync(join(directory, 'lower', 'manifest.json'), 'utf8')) as { stablehlo: string };
  expect(manifest.stablehlo).toBe('1.2.3');
});

test('with --no-views no buffer is said to be in memory of the host', () => {
  const asking = [
    'run',
    '--plugin',
    plugin,
    '--no-config',
    '--output',
    'asked',
    '--tests',
    'buffers/metadata:is-on-cpu*',
  ];
  const main = [process.execPath, packagePath('dist', 'cli', 'main.js')];
  for (const more of [[], ['--no-views']]) {
    const trace = `views${more.length}`;
    run('record', '-o', trace, ...more, '--', ...main, ...asking);
    const answers = linesOf(trace).filter(
      ({ event, function: name }) => event === 'leave' && name === 'PJRT_Buffer_IsOnCpu',
    );
    const is = answers.map(({ results }) => (results as { is_on_cpu: boolean }).is_on_cpu);
    expect([is.length > 0, new Set(is)]).toEqual([true, new Set([more.length === 0])]);
  }
});

test('--programs-only has compilations, and no data', () => {
  run('record', '-o', 'programs-only', '--programs-only', '--', ...calling(2));
  const names = new Set(linesOf('programs-only').flatMap((line) => line.function ?? []));
  expect([...names].sort()).toEqual([
    'PJRT_Client_Compile',
    'PJRT_Client_Create',
    'PJRT_Client_Destroy',
    'PJRT_LoadedExecutable_Destroy',
    'PJRT_Plugin_Initialize',
  ]);
});

test.each(['31', '47', '56', '81', '106'])('a plugin of version 0.%s is recorded', (minor) => {
  const output = `minor-${minor}`;
  const { status } = command(
    ['record', '-o', output, '--', process.execPath, packagePath('dist', 'cli', 'main.js'), 'inspect', plugin],
    directory,
    { PJRT_REFERENCE_API_MINOR: minor },
  );
  expect(status).toBe(0);
  expect(linesOf(output)[0]).toMatchObject({ event: 'plugin', version: `0.${minor}` });
});

test.each([
  ['interposer', 'the interposer was asked'],
  ['next', 'the next one was found'],
])('with the library %s in LD_PRELOAD too', async (name, said) => {
  const library = join(directory, `${name}.so`);
  const flags = ['-shared', '-fPIC', '-fno-builtin', packagePath('tests', 'record', `${name}.c`), '-ldl'];
  await compile([...flags, '-o', library], await findCompiler());
  const { status, stdout, stderr } = command(['record', '-o', name, '--', ...calling(1)], directory, {
    LD_PRELOAD: library,
  });
  expect([status, stdout]).toEqual([0, plain(1).stdout]);
  expect(stderr).toContain(said);
  expect(linesOf(name).length).toBeGreaterThan(20);
});

describe('trace diff', () => {
  const recorded = (name: string, ...argv: string[]) => run('record', '-o', name, '--', ...argv);
  const diffed = (first: string, second: string) =>
    JSON.parse(run('trace', 'diff', first, second, '--format', 'json').stdout) as TraceDiff;

  test('says nothing of two recordings of the same', () => {
    recorded('same', ...calling(2));
    recorded('again', ...calling(2));
    expect(diffed('same', 'again')).toMatchObject({ calls: [], traits: [] });
    expect(run('trace', 'diff', 'same', 'again').stdout).toMatch(/\n\nno difference in what is called\n$/);
  });

  test('names functions, numbers of calls, compile options and errors', () => {
    const options = { numReplicas: 1, debug: { xla_dump_max_hlo_modules: 7 } };
    recorded('two', ...calling(2));
    writeFileSync(join(directory, 'others'), encodeCompileOptions(options));
    recorded('five', './caller', plugin, 'program.mlir', 'others', '5');
    const { calls, traits } = diffed('two', 'five');
    expect(calls).toContainEqual({ function: 'PJRT_LoadedExecutable_Execute', first: 2, second: 5 });
    expect(calls.map((one) => one.function)).not.toContain('PJRT_Client_Compile');
    const where = 'executableBuildOptions.debugOptions.xla_dump_max_hlo_modules';
    expect(traits).toEqual([{ trait: 'compile option', where, first: ['-1'], second: ['-1, 7'] }]);
    recorded('mistaken', './mistakes', plugin, 'struct-size', 'program.mlir', 'options');
    const { stdout } = run('trace', 'diff', 'two', 'mistaken');
    const reversed = run('trace', 'diff', 'mistaken', 'two').stdout;
    expect(reversed).toMatch(/^only the first calls\n(?: .*\n)* {2}PJRT_Buffer_IsDeleted {2}1$/m);
    expect(stdout).toMatch(/^only the second calls\n(?: .*\n)* {2}PJRT_Buffer_IsDeleted {2}1$/m);
    expect(stdout).toMatch(/^errors\n {2}PJRT_Buffer_IsDeleted, code 3: .*: none → 1 ×$/m);
  });

  test('names create options', () => {
    for (const count of [2, 3]) {
      const main = [process.execPath, packagePath('dist', 'cli', 'main.js'), 'run', '--plugin', plugin];
      const how = ['--no-config', '--tests', 'load/*', '--option', `num_devices=${count}`, '--output', `run-${count}`];
      recorded(`devices-${count}`, ...main, ...how);
    }
    const where = 'PJRT_Client_Create.create_options.num_devices';
    expect(diffed('devices-2', 'devices-3').traits).toContainEqual({
      trait: 'value',
      where,
      first: ['2'],
      second: ['3'],
    });
  });

  test('needs two', () => {
    expect(run('trace', 'diff', 'same')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('`trace diff` compares two recordings; name both') as string,
    });
    expect(run('trace', 'show', 'same', 'again')).toMatchObject({ status: 2 });
  });
});

describe('a packed trace', () => {
  beforeAll(() => {
    expect(run('record', '-o', 'to-pack', '--contents', 'every', '--', ...calling(3)).status).toBe(0);
    const { status, stdout } = run('trace', 'pack', 'to-pack');
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^to-pack\.tar\.br: \d+ files of \d+ bytes in \d+\n$/)]);
  });

  test('is read as the directory is, and replayed', () => {
    for (const action of ['show', 'calls', 'check', 'programs']) {
      const output = (trace: string) => (action === 'programs' ? ['-o', `${trace}-cases`] : []);
      const [whole, packed] = ['to-pack', 'to-pack.tar.br'].map((trace) =>
        run('trace', action, trace, ...output(trace)),
      );
      const named = packed!.stdout.replaceAll('to-pack.tar.br', 'to-pack');
      expect([packed!.status, named, packed!.stderr], action).toEqual([0, whole!.stdout, '']);
    }
    expect(run('trace', 'diff', 'to-pack', 'to-pack.tar.br').stdout).toContain('no difference in what is called');
    const replayed = run('replay', 'to-pack.tar.br', '--plugin', plugin, '--no-config', '--output', 'packed-replayed');
    expect([replayed.status, replayed.stdout]).toEqual([0, expect.stringContaining('1 of 1 cases passed')]);
  });

  test('is a directory again', () => {
    expect(run('trace', 'unpack', 'to-pack.tar.br', '-o', 'unpacked').status).toBe(0);
    const pid = readdirSync(join(directory, 'to-pack')).find((name) => name.startsWith('pid-'))!;
    for (const file of ['manifest.json', 'README.md', join(pid, 'events-0001.bin')])
      expect(readFileSync(join(directory, 'unpacked', file))).toEqual(readFileSync(join(directory, 'to-pack', file)));
  });

  test('cut off is one error', () => {
    const bytes = readFileSync(join(directory, 'to-pack.tar.br'));
    writeFileSync(join(directory, 'cut.tar.br'), bytes.subarray(0, bytes.length / 2));
    for (const args of [
      ['show', 'cut.tar.br'],
      ['unpack', 'cut.tar.br', '-o', 'cut'],
    ]) {
      const { status, stderr } = run('trace', ...args);
      expect([status, stderr]).toEqual([
        2,
        expect.stringMatching(/^error: cut\.tar\.br: ends early; .*copy it again\n$/),
      ]);
    }
    expect(existsSync(join(directory, 'cut'))).toBe(false);
    expect(run('replay', 'cut.tar.br', '--plugin', plugin, '--output', 'cut-out')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('cut.tar.br: ends early') as string,
    });
  });
});

describe('mistakes of a caller', () => {
  const checked = (trace: string) => {
    const { status, stdout } = run('trace', 'check', trace, '--format', 'json');
    const processes = JSON.parse(stdout) as { mistakes: { rule: string }[]; whole: boolean }[];
    return { status, rules: processes.flatMap(({ mistakes }) => mistakes.map(({ rule }) => rule)) };
  };

  const making = (mistake: string): string[] => ['--', './mistakes', plugin, mistake, 'program.mlir', 'options'];

  test('none is found where none is, in five rounds and a child of a fork', () => {
    run('record', '-o', 'right', ...making('none'));
    expect(checked('right')).toEqual({ status: 0, rules: [] });
    run('record', '-o', 'rounds', '--', ...calling(5, 'fork'));
    expect(checked('rounds')).toEqual({ status: 0, rules: [] });
  });

  // The plugin may die of it; what was called is in the trace.
  test.each([
    ['used-after-destroy'],
    ['client-after-destroy', 'used-after-destroy'],
    ['manager-after-destroy', 'used-after-destroy'],
    ['error-after-destroy', 'used-after-destroy'],
    ['argument-after-destroy', 'used-after-destroy'],
    ['context-after-destroy', 'used-after-destroy'],
    ['callback-after-destroy', 'used-after-destroy'],
    ['destroyed-twice'],
    ['event-destroyed-twice', 'destroyed-twice'],
    ['executable-destroyed-twice', 'destroyed-twice'],
    ['error-destroyed-twice', 'destroyed-twice'],
    ['used-after-keeper'],
    ['other-client'],
    ['null-object'],
    ['null-event', 'null-object'],
    ['null-dims', 'null-argument'],
    ['null-argument'],
    ['null-options', 'null-argument'],
    ['event-without-callback', 'null-argument'],
    ['not-its-own'],
    ['struct-size'],
    ['options-size', 'struct-size'],
    ['unknown-value'],
    ['argument-count'],
    ['error-not-destroyed'],
    ['event-read-early'],
    ['event-set'],
    ['deleted-used'],
    ['deleted-argument', 'deleted-used'],
    ['reference-not-taken'],
    ['reference-kept'],
    ['read-too-small'],
    ['retrieved-twice'],
    ['no-such-buffer'],
    ['sent-after-last'],
    ['outlived-client'],
    ['executable-outlives-client', 'outlived-client'],
  ])('%s is found, and nothing else', (mistake, rule = mistake) => {
    // Whether later versions have destroyed an error through a table of their own is not seen.
    const environment = mistake === 'error-not-destroyed' ? { PJRT_REFERENCE_API_MINOR: '106' } : {};
    command(['record', '-o', mistake, ...making(mistake)], directory, environment);
    expect(checked(mistake)).toEqual({ status: 1, rules: [rule] });
  });

  test('record --check says so at once, also without any data', () => {
    const without = ['--check', '--keep', 'none', '--contents', 'none'];
    const wrong = run('record', '-o', 'checked-wrong', ...without, ...making('struct-size'));
    expect([wrong.status, wrong.stderr]).toEqual([
      1,
      expect.stringMatching(/1 mistake of the caller, no mistake of the plugin\n- .*CAL-/),
    ]);
    const right = run('record', '-o', 'checked-right', ...without, '--', ...calling(2));
    expect([right.status, right.stderr]).toEqual([0, expect.stringContaining('no mistake of the caller')]);
  });

  test('a mistake is printed with the calls that made and ended the object', () => {
    run('record', '-o', 'printed', ...making('used-after-destroy'));
    expect(run('trace', 'check', 'printed').stdout).toMatch(
      /^- PJRT_Buffer_OnDeviceSizeInBytes uses PJRT_Buffer 0x\w+ after it was destroyed \(record \d+, thread \d+\) \[CAL-OBJ-001\]\n {4}returned by PJRT_Client_BufferFromHostBuffer \(.*\)\n {4}destroyed by PJRT_Buffer_Destroy \(.*\)$/m,
    );
  });
});

describe('what cannot be recorded', () => {
  test('a program without a plugin: an error with the reason, and no trace', () => {
    const { status, stderr } = run('record', '-o', 'nothing', '--', 'true');
    expect(status).toBe(3);
    expect(stderr).toContain('error: no plugin was loaded');
    expect(existsSync(join(directory, 'nothing'))).toBe(false);
  });

  test('a program that is linked statically', async () => {
    writeFileSync(join(directory, 'static.c'), 'int main(void) { return 0; }\n');
    await compile(['-static', join(directory, 'static.c'), '-o', join(directory, 'static')], await findCompiler());
    const { status, stderr } = run('record', '--', './static');
    expect([status, stderr]).toEqual([2, expect.stringContaining('is linked statically')]);
  });

  test('a program that is not there, and a directory in use', () => {
    expect(run('record', '--', './nowhere')).toMatchObject({ status: 2 });
    mkdirSync(join(directory, 'used'));
    writeFileSync(join(directory, 'used', 'file'), '');
    const { status, stderr } = run('record', '-o', 'used', '--', 'true');
    expect([status, stderr]).toEqual([2, expect.stringContaining('exists and is not empty')]);
  });
});

test('a damaged trace is one error that says where', () => {
  run('record', '-o', 'damaged', '--', ...calling(1));
  const [pid] = readdirSync(join(directory, 'damaged')).filter((name) => name.startsWith('pid-'));
  const file = join(directory, 'damaged', pid!, 'events-0001.bin');
  copyFileSync(file, `${file}.whole`);
  const bytes = readFileSync(file);
  bytes[64 + 32 + 200]! ^= 0xff;
  writeFileSync(file, bytes);
  const { status, stderr } = run('trace', 'show', 'damaged');
  expect(status).toBe(2);
  expect(stderr).toMatch(
    /^error: damaged\/pid-\d+\/events-0001\.bin: at byte 96: a record with a wrong checksum; .*\n$/,
  );
});

const fetchable = installerAvailable();

describe.skipIf(!fetchable)(fetchable ? 'JAX' : 'JAX (skipped: neither pip nor uv is here)', () => {
  test.each([
    // A training; and what it leaves out, on four devices too.
    ['train', 7],
    ['session', 40],
  ])(
    '%s.py computes the same without a mistake, and each of its programs runs with the same results',
    (name, least) => {
      const environment = { PJRT_NAMES_AND_LIBRARY_PATHS: `ref:${plugin}`, JAX_PLATFORMS: 'ref' };
      const script = [pythonWithJax(), packagePath('tests', 'record', `${name}.py`)];
      const alone = spawnSync(script[0]!, script.slice(1), {
        encoding: 'utf8',
        env: { ...process.env, ...environment },
      });
      const { status, stdout, stderr } = command(['record', '-o', name, '--', ...script], directory, environment);
      expect(status, stderr).toBe(0);
      expect(stdout).toBe(alone.stdout);
      expect(run('trace', 'check', name).status).toBe(0);
      const made = run('trace', 'programs', name, '-o', `${name}-cases`, '--format', 'json');
      const { programs, left } = JSON.parse(made.stdout) as {
        programs: { outputs: number; devices: number }[];
        left: [];
      };
      expect([programs.length >= least, left]).toEqual([true, []]);
      expect(programs.every(({ outputs }) => outputs > 0)).toBe(true);
      const [cases, results] = [`${name}-cases`, `${name}-replayed`];
      const on = ['--plugin', plugin, '--no-config', '--output', results, '--numerics', 'strict'];
      expect(run('programs', cases, ...on).stdout).toContain(`${programs.length} of ${programs.length} cases passed`);
      const several = programs.filter(({ devices }) => devices === 4).length;
      expect(several).toBe(name === 'session' ? 6 : 0);
    },
  );
});
