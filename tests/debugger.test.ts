import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import { programOnPath } from '../harness/base/program-on-path.ts';
import { DEBUGGERS } from '../harness/host/debuggers/kinds.ts';
import { readEvents } from '../harness/report/index.ts';
import { type CliRun, cli, quietEnvironment } from './support/cli.ts';
import { buildHostile } from './support/hostile.ts';
import { Terminal } from './support/terminal.ts';

/** One case in gdb, and what gdb says of processes that end. The skipped tests of a machine without gdb are named so. */

const gdb = programOnPath('gdb', process.env);
const NEEDS = gdb ? '' : ' (needs gdb, which is not installed)';
const SUITES = ['--suites', packagePath('tests', 'suites')];
const COMPILE = [...SUITES, '--tests', 'hostile:compile'];

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-debugger-test-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** A plugin in which no function has a name but `GetPjrtApi`. */
async function stripped(name: string): Promise<string> {
  const target = join(directory, `${name}-stripped.so`);
  if (!existsSync(target)) execFileSync('strip', ['-s', '-o', target, await buildHostile(name)]);
  return target;
}

interface Debugged {
  exitCode: number | null;
  text: string;
  status: string | undefined;
}

/** Runs one case in gdb, which reads its commands from a pipe. */
async function inGdb(commands: readonly string[], output: string, ...args: readonly string[]): Promise<Debugged> {
  const words = ['run', ...args, '--output', output, '--gdb'];
  const child = spawn(process.execPath, [packagePath('dist', 'cli', 'main.js'), ...words], {
    cwd: directory,
    env: quietEnvironment(),
    stdio: 'pipe',
  });
  child.stdin.end(commands.map((command) => `${command}\n`).join(''));
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (more) => (text += more));
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const log = join(directory, output, 'events.jsonl');
  const events = existsSync(log) ? [...readEvents(log)] : [];
  const status = events.flatMap((event) => (event.type === 'case' ? event.result.status : []))[0];
  return { exitCode, text, status };
}

describe.skipIf(!gdb)(`--gdb${NEEDS}`, () => {
  let terminal: Terminal | undefined;
  afterEach(() => terminal?.kill());

  test('stops in the call that dies, and the result is that of the process that is let go', async () => {
    const plugin = await buildHostile('segv-in-compile');
    const { exitCode, text, status } = await inGdb(
      ['continue', 'backtrace 3', 'quit'],
      'segv',
      '--plugin',
      plugin,
      ...COMPILE,
    );
    expect([exitCode, status], text).toEqual([1, 'crash']);
    expect(text).toMatch(/received signal SIGSEGV[\s\S]*#0 .*segfault[\s\S]*#1 .*wrong [\s\S]*segv-in-compile\.c:3/);
    expect(text).toContain('the process died with SIGSEGV in PJRT_Client_Compile');
  });

  test('stops at the call that failed in the last run, in a plugin without symbols', async () => {
    const plugin = await stripped('segv-in-compile');
    const args = ['--plugin', plugin, ...COMPILE];
    const first = await inGdb(['quit'], 'stripped', ...args);
    expect(first.text).toContain('goes on until the first call of the case.');
    expect([first.exitCode, first.status], first.text).toEqual([1, 'crash']);
    const { text } = await inGdb(['info registers rip', 'backtrace 1', 'quit'], 'stripped', ...args);
    expect(text).toContain('goes on until PJRT_Client_Compile.');
    expect(text).toMatch(/hit Breakpoint 2, [\s\S]*#0 [\s\S]* from .*segv-in-compile-stripped\.so/);
    expect(text).not.toContain('SIGSEGV, Segmentation fault');
  });

  test('--break stops at each call of a function; a case that passes does so afterwards', async () => {
    const plugin = await buildHostile('toy');
    const args = ['--plugin', plugin, ...SUITES, '--tests', 'hostile:lookup', '--break', 'PJRT_Client_LookupDevice'];
    const { exitCode, text, status } = await inGdb(['backtrace 1', 'continue'], 'passes', ...args);
    expect([exitCode, status], text).toEqual([0, 'pass']);
    expect(text).toMatch(/hit Breakpoint 2, Client_LookupDevice \(/);
    expect(text).toContain('exited normally');
  });

  test('where it may not attach it leaves at once, and asks nobody for commands', async () => {
    const traced = spawn('sleep', ['1000']);
    const first = spawn(gdb!, ['-nx', '-q', '-p', String(traced.pid)], { stdio: ['pipe', 'pipe', 'ignore'] });
    await new Promise<void>((resolve) => {
      first.stdout.on('data', (text: Buffer) => text.includes('(gdb)') && resolve());
    });
    const script = join(directory, 'commands');
    writeFileSync(script, `${DEBUGGERS.gdb.attaching!.commands({}).join('\n')}\n`);
    const args = ['-nx', ...DEBUGGERS.gdb.attaching!.args(traced.pid!, script)];
    const second = spawn(gdb!, args, { stdio: ['pipe', 'ignore', 'pipe'] });
    let errors = '';
    second.stderr.on('data', (text: Buffer) => (errors += text));
    expect(await new Promise((resolve) => second.once('close', resolve))).toBe(1);
    expect(errors).toContain('Operation not permitted');
    for (const child of [first, traced]) child.kill('SIGKILL');
  });

  test('a process that the user kills has no result', async () => {
    const args = ['--plugin', await buildHostile('toy'), ...SUITES, '--tests', 'hostile:lookup'];
    const { exitCode, text, status } = await inGdb(['kill'], 'killed', ...args);
    expect([exitCode, status], text).toEqual([5, 'skip']);
    expect(text).toContain('its process was ended in the debugger');
  });

  test('Ctrl-C is the debugger’s, no deadline passes, and after that both are as ever', async () => {
    const plugin = await buildHostile('hang-in-compile');
    const args = ['run', '--plugin', plugin, ...COMPILE, '--timeout', 'call=1s,first=1s', '--output', 'hangs', '--gdb'];
    terminal = new Terminal(args, directory, quietEnvironment());
    await terminal.until('(gdb) ');
    terminal.press('continue\n');
    await terminal.until('Continuing.');
    await new Promise((resolve) => setTimeout(resolve, 3000));
    terminal.press('\x03');
    await terminal.until('SIGINT');
    await terminal.until('(gdb) ');
    terminal.press('backtrace 3\n');
    expect(await terminal.until('wrong')).toContain('hang');
    await terminal.until('(gdb) ');
    terminal.press('quit\n');
    await terminal.until('(y or n)');
    terminal.press('y\n');
    await terminal.until('TIMEOUT hostile:compile');
    expect(await terminal.ended()).toBe(1);
  });
});

test('what --gdb and --break cannot do is said before anything runs', async () => {
  const plugin = ['--plugin', await buildHostile('toy'), ...SUITES];
  const refused = async (...args: string[]): Promise<string> => {
    const { exitCode, stderr } = await cli(['run', ...plugin, ...args], { command: 'run' });
    expect(exitCode).toBe(2);
    return stderr;
  };
  expect(await refused('--suite', 'hostile', '--gdb')).toMatch(
    /--gdb: one case at a time runs in a debugger, and \d+ are selected; choose one: --tests 'hostile:attributes'/,
  );
  const one = ['--tests', 'hostile:lookup'];
  expect(await refused(...one, '--break', 'PJRT_Client_Compile')).toContain(
    '--break PJRT_Client_Compile: a debugger is needed that stops there; add --gdb or --lldb',
  );
  expect(await refused(...one, '--gdb', '--lldb')).toContain('cannot be used with');
  if (gdb)
    expect(await refused(...one, '--gdb', '--break', 'PJRT_Client_Compil')).toContain(
      'did you mean "PJRT_Client_Compile"?',
    );
});

describe('--rr', () => {
  /** An environment in which this script is rr. */
  const withRr = (script: string): NodeJS.ProcessEnv => {
    const bin = mkdtempSync(join(directory, 'rr-'));
    writeFileSync(join(bin, 'rr'), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, 'rr'), 0o755);
    return { PATH: `${bin}:${process.env.PATH}` };
  };
  const run = async (env: NodeJS.ProcessEnv): Promise<CliRun> => {
    const plugin = await buildHostile('toy');
    return cli(['run', '--plugin', plugin, ...SUITES, '--tests', 'hostile:lookup', '--output', 'out', '--rr'], {
      env,
      command: 'run',
    });
  };

  test('where it cannot record, its reason is the error, and nothing runs', async () => {
    const reason = "Unable to open performance counter with 'perf_event_open'; are hardware perf events available?";
    const script = `echo "[FATAL ./src/PerfCounters.cc:306:start_counter()] ${reason}" >&2; exit 1`;
    const { exitCode, stderr, events } = await run(withRr(script));
    expect([exitCode, events]).toEqual([2, []]);
    expect(stderr).toBe(
      `error: --rr: rr cannot record on this machine: ${reason} --gdb and --lldb need none of this\n`,
    );
  });

  test('what it has recorded, or has not, is said', async () => {
    const recorded = await run(withRr('mkdir -p "$_RR_TRACE_DIR/latest-trace"; shift 2; exec "$@"'));
    expect([recorded.exitCode, recorded.stderr]).toEqual([0, '']);
    const notes = ({ report }: CliRun): string[] => report.notes.map(({ message }) => message);
    expect(notes(recorded)).toEqual(['recorded; rr replay out/rr/latest-trace plays it']);
    const tried = await run(withRr('[ "$4" = --version ] || exit 1'));
    expect([tried.exitCode, notes(tried)]).toEqual([3, ['rr has recorded nothing: the worker ended before it began']]);
  });

  const rr = programOnPath('rr', process.env);
  test.skipIf(!rr)(`the real one records, or says why it cannot${rr ? '' : ' (rr is not installed)'}`, async () => {
    const { exitCode, stderr, report } = await run({});
    if (exitCode === 2) expect(stderr).toMatch(/--rr: rr cannot record on this machine: [A-Z]/);
    else
      expect(report.notes.map(({ message }) => message)).toContainEqual(expect.stringMatching(/^recorded; rr replay/));
  });
});

describe('--backtrace', () => {
  const run = (plugin: string, ...more: string[]): Promise<CliRun> =>
    cli(['run', '--plugin', plugin, ...COMPILE, '--backtrace', '--output', 'out', ...more]);

  test.skipIf(!gdb).each([
    ['segv-in-compile', 'crash', ['segfault', 'wrong']],
    ['throws-in-compile', 'crash', ['wrong']],
    ['hang-in-compile', 'timeout', ['hang', 'wrong']],
  ])('%s: a %s, and every report says where', async (name, status, functions) => {
    const { exitCode, stdout, report, junit, leftovers } = await run(
      await buildHostile(name),
      '--timeout',
      'call=2s,first=2s',
    );
    expect(exitCode, stdout).toBe(1);
    const [one] = report.suites.flatMap(({ cases }) => cases);
    expect(one!.status).toBe(status);
    const [finding] = one!.findings!;
    const frames = finding!.backtrace!.threads[0]!.frames;
    const ours = frames.filter(({ module }) => module?.endsWith(`${name}.so`));
    expect(ours.map((frame) => frame.function)).toEqual(functions);
    expect(ours.at(-1)).toMatchObject({
      file: expect.stringMatching(`${name}\\.c$`),
      line: expect.any(Number),
      offset: expect.any(String),
    });
    // The harness below the call is of no use.
    expect(frames.at(-1)).toEqual(ours.at(-1));
    const text = new RegExp(`where it (died|stood), innermost call first:[\\s\\S]*wrong \\(${name}\\.c:\\d+\\)`);
    for (const shown of [finding!.detail!, stdout, junit]) expect(shown).toMatch(text);
    expect(finding!.message).not.toMatch(/fault\.c|0x[0-9a-f]{4}/);
    expect(leftovers).toEqual([]);
  });

  test.skipIf(!gdb)('without symbols there are places in the library', async () => {
    const { report } = await run(await stripped('segv-in-compile'));
    const [finding] = report.suites.flatMap(({ cases }) => cases)[0]!.findings!;
    expect(finding!.detail).toMatch(/a function without a name \(segv-in-compile-stripped\.so\+0x[0-9a-f]+\)/);
  });

  test.skipIf(!gdb)('a worker that dies while it starts is a note', async () => {
    const { report } = await run(await buildHostile('abort-in-client-create'));
    const note = report.notes.find(({ message }) => message.startsWith('worker 1 was in '));
    expect(note?.message).toMatch(/ \(\w+(-\w+)*\.c:\d+\) when it ended$/);
    expect(note?.detail).toMatch(/abort[\s\S]*wrong \(abort-in-client-create\.c:\d+\)/);
  });

  test('without gdb there is one note, and the run is as ever', async () => {
    const bin = join(directory, 'bin');
    mkdirSync(bin, { recursive: true });
    symlinkSync(process.execPath, join(bin, 'node'));
    const { exitCode, report } = await cli(
      ['run', '--plugin', await buildHostile('segv-in-compile'), ...COMPILE, '--backtrace', '--output', 'out'],
      { env: { PATH: bin } },
    );
    expect(exitCode).toBe(1);
    const notes = report.notes.filter(({ message }) => message.startsWith('--backtrace'));
    expect(notes.map(({ level, message }) => [level, message])).toEqual([
      ['warning', expect.stringContaining('there are no backtraces, because gdb is not installed (apt install gdb')],
    ]);
    expect(report.suites.flatMap(({ cases }) => cases)[0]!.findings![0]!.backtrace).toBeUndefined();
  });
});
