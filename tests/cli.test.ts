import { spawnSync } from 'node:child_process';
import {
  createReadStream,
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
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import type { Event } from '../harness/model/events.ts';
import { foldRun } from '../harness/model/run.ts';
import { readCompiledSuites } from '../harness/suite/compiled.ts';
import { type CliRun, cli, livingProcesses, PARENT_BYTES, verdicts } from './support/cli.ts';
import { command as builtCommand } from './support/command.ts';
import { buildHostile } from './support/hostile.ts';
import { validateJunit } from './support/junit-schemas.ts';

const SUITES = packagePath('tests', 'suites');
const MAIN = packagePath('dist', 'cli', 'main.js');
const OWN = ['--suites', SUITES, '--suite', 'hostile', '--workers', '1'];

const run = (plugin: string, args: readonly string[] = [], options: Parameters<typeof cli>[1] = {}): Promise<CliRun> =>
  cli(['run', '--plugin', plugin, '--output', 'out', ...OWN, ...args], options);

/** Removes paths and times, which differ between machines and runs. */
const normalised = (text: string): string =>
  text
    .replaceAll(packagePath('/'), '')
    .replace(/\b\d+(?:\.\d+)? m?s\b/g, 'TIME')
    .replace(/ of \d{4,} cases/g, ' of N cases');

let directory: string;
let toy: string;
let crashing: string;
let hanging: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-e2e-'));
  toy = await buildHostile('toy');
  crashing = await buildHostile('segv-in-compile');
  hanging = await buildHostile('hang-in-compile');
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('exit codes', () => {
  test('5 if nothing was proven', async () => {
    const { exitCode, stdout, junit } = await run(toy, ['--tests', 'hostile:compile']);
    expect(exitCode).toBe(5);
    expect(stdout).toContain('no verdict: nothing was proven: none of 1 cases passed (exit code 5)');
    expect(junit).toContain('run completed');
  });

  test.each<[string, (path: string) => string[], RegExp]>([
    ['an unknown option', () => ['--plugin', toy, '--time-out', '3'], /^error: unknown option '--time-out'/],
    ['no plugin', () => [], /^error: required option '--plugin <plugin>' not specified/],
    [
      'a file that is not there',
      (path) => ['--plugin', join(path, 'tou.so')],
      /no such file: .*tou\.so; did you mean "toy\.so"\?/,
    ],
    [
      'a directory',
      (path) => ['--plugin', path],
      /is a directory with 0 plugins named pjrt-plugin-<name>\.so .*give the path of the library/,
    ],
    ['a manifest that is none', (path) => ['--plugin', join(path, 'invalid.json')], /invalid\.json/],
    [
      'a time without sense',
      () => ['--plugin', toy, '--timeout-call', 'soon'],
      /It must be a time such as 500ms, 90s or 2m/,
    ],
    [
      'a suite that is not there',
      () => ['--plugin', toy, ...OWN, '--tests', 'hostile:compil'],
      /nothing matches "hostile:compil"\n {4}help: did you mean "hostile:compile"\?/,
    ],
  ])('2 for %s', (_, args, message) => {
    writeFileSync(join(directory, 'toy.so'), '');
    writeFileSync(join(directory, 'invalid.json'), '{"name": 5}');
    const { status, stdout, stderr } = command(['run', ...args(directory)]);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect([status, stdout]).toEqual([2, '']);
  });

  test('130 for an interruption during a hang, with a report of what ran', async () => {
    const { exitCode, events, junit, stdout } = await interrupted('SIGINT');
    expect(exitCode).toBe(130);
    const state = foldRun(events);
    expect(state.footer).toMatchObject({ interrupted: true, exitCode: 130 });
    expect(state.cases.get('hostile:platform-name')?.result?.status).toBe('pass');
    expect(state.cases.get('hostile:compile')?.result).toBeUndefined();
    expect(state.cases.get('hostile:own-client')?.result).toBeUndefined();
    expect(stdout).toContain('interrupted: no violated MUST in 6 of 11 cases (exit code 130)');
    expect(junit).toContain('NOT_RUN: the run ended while this case was running');
    validateJunit(junit);
    expect(await left(events)).toEqual([]);
  });
});

test('a harness that is killed leaves a readable log, no process and no temporary file', async () => {
  const temporary = join(directory, 'temporary');
  mkdirSync(temporary);
  const { signal, events } = await interrupted('SIGKILL', { TMPDIR: temporary });
  expect(signal).toBe('SIGKILL');
  const state = foldRun(events);
  expect(state.footer).toBeUndefined();
  expect(state.faults).toEqual([]);
  expect(state.cases.get('hostile:platform-name')?.result?.status).toBe('pass');
  expect([...state.running].map((c) => c.plan.id)).toEqual(['hostile:compile']);
  expect(await left(events)).toEqual([]);
  expect(readdirSync(temporary)).toEqual([]);
});

describe('what is printed', () => {
  let failing: CliRun;
  beforeAll(async () => {
    failing = await run(crashing);
  });

  test('a failure shows the call, the reason, and how to reproduce it', () => {
    expect(normalised(failing.stdout)).toMatchInlineSnapshot(`
      "pjrt-conformance 0.1.0, profile full, numerics standard (the default): build/hostile/segv-in-compile.so
      ✗ CRASH hostile:compile: the process died with SIGSEGV in PJRT_Client_Compile: it writes through a null pointer (address 0x0)

      ✗ CRASH hostile:compile
          the process died with SIGSEGV in PJRT_Client_Compile: it writes through a null pointer (address 0x0)
          tests/suites/hostile.yaml:58 · MUST CMP-FMT-001 · in PJRT_Client_Compile
          CMP-FMT-001: StableHLO compiles as a portable artifact of an advertised version, and as text. Source: pjrt_c_api.h, PJRT_Program: "mlir" is MLIR bytecode "(or string)"; XLA's client (SerializeProgram) sends a portable artifact of the plugin's stablehlo_current_version. <https://github.com/openxla/xla/blob/main/xla/pjrt/c/pjrt_c_api.h>
          reproduce: npx pjrt-conformance run --plugin build/hostile/segv-in-compile.so --suites tests/suites --tests hostile:compile

      cases       11 in TIME: 9 passed, 1 crashed, 1 unsupported
                  10 of 11 requirements exercised
      causes      2 root causes: 1 fails the run, 1 only blocks cases
      plugin      segv-in-compile · API 0.114 · 138 functions · platform toy · 1 device (toy)
                  no extensions
                  functions: 30 work, 1 dies, 107 untried
                    dies: Client_Compile
      violated    1 × CMP-FMT-001  StableHLO compiles as a portable artifact of an advertised version, and as text.
      not offered 1 × there is no Profiler extension
      reports     events  out/events.jsonl
                  junit   out/junit.xml
                  json    out/report.json
      fails: 1 of 11 cases violate a MUST (1 crash); 11 of N cases selected (exit code 1)
      "
    `);
  });

  test('with --quiet, only failures and the verdict', async () => {
    const quiet = await run(crashing, ['--quiet']);
    expect(normalised(quiet.stdout)).toMatchInlineSnapshot(`
      "
      ✗ CRASH hostile:compile
          the process died with SIGSEGV in PJRT_Client_Compile: it writes through a null pointer (address 0x0)
          tests/suites/hostile.yaml:58 · MUST CMP-FMT-001 · in PJRT_Client_Compile
          CMP-FMT-001: StableHLO compiles as a portable artifact of an advertised version, and as text. Source: pjrt_c_api.h, PJRT_Program: "mlir" is MLIR bytecode "(or string)"; XLA's client (SerializeProgram) sends a portable artifact of the plugin's stablehlo_current_version. <https://github.com/openxla/xla/blob/main/xla/pjrt/c/pjrt_c_api.h>
          reproduce: npx pjrt-conformance run --plugin build/hostile/segv-in-compile.so --suites tests/suites --tests hostile:compile

      fails: 1 of 11 cases violate a MUST (1 crash); 11 of N cases selected (exit code 1)
      "
    `);
    expect(normalised((await run(toy, ['--quiet'])).stdout)).toBe(
      '11 of N cases selected (profile full): 9 of 11 cases passed, 2 unsupported, 9 of 11 requirements exercised (exit code 0)\n',
    );
  });

  test('colours on request, never against NO_COLOR', async () => {
    expect(failing.stdout).not.toContain('\x1b');
    const colourful = await run(toy, [], { env: { NO_COLOR: '', FORCE_COLOR: '1' } });
    expect(colourful.stdout).toContain('\x1b[');
    const both = await run(toy, [], { env: { NO_COLOR: '1', FORCE_COLOR: '1' } });
    expect(both.stdout).not.toContain('\x1b');
  });

  test('output of the plugin goes to the report of its case, not to the terminal', async () => {
    const { stdout, stderr, events } = await run(await buildHostile('stdout-control-characters'));
    const captured = events.flatMap((e) =>
      e.type === 'case' && e.id === 'hostile:platform-name' ? [e.result] : [],
    )[0]!;
    expect(captured.stdout?.head).toContain('\x1b');
    expect(stdout).not.toContain(']]>');
    expect(stdout).not.toMatch(/[\x00-\x08\x0b-\x1f]/);
    expect(stderr).toBe('');
  });

  test('the reproduction command runs the case again, also from another directory', () => {
    const [, line] = /reproduce: npx pjrt-conformance (.*)$/m.exec(failing.stdout)!;
    const again = spawnSync('sh', ['-c', `"${process.execPath}" "${MAIN}" ${line} --output "${directory}/again"`], {
      cwd: directory,
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1' },
    });
    expect(again.status, again.stderr).toBe(1);
    expect(again.stdout).toContain('fails: 1 of 1 cases violate a MUST (1 crash); 1 of ');
    expect(again.stdout).toContain('the process died with SIGSEGV in PJRT_Client_Compile');
  });
});

test('a reader that exits affects neither the reports nor the exit code', () => {
  const words = ['run', '--plugin', toy, ...OWN, '--output', join(directory, 'unread')].map((word) => `'${word}'`);
  const script = `{ '${process.execPath}' '${MAIN}' ${words.join(' ')}; echo "code $?" >&2; } | true`;
  const { stderr } = spawnSync('sh', ['-c', script], { cwd: directory, encoding: 'utf8' });
  expect(stderr).toBe('code 0\n');
  expect(existsSync(join(directory, 'unread', 'junit.xml'))).toBe(true);
});

test('a log that becomes unwritable is one clear error, and ends the run with all its workers', async () => {
  const log = join(directory, 'log.pipe');
  expect(spawnSync('mkfifo', [log]).status).toBe(0);
  // More than a pipe holds: whenever the reader exits, something is still to be written.
  const readOneStart = (): void => {
    let text = '';
    const reader = createReadStream(log, 'utf8');
    reader.on('data', (chunk) => {
      text += chunk;
      if (text.includes('{"type":"start"')) reader.destroy();
    });
  };
  const args = ['run', '--plugin', toy, '--suite', 'buffers', '--workers', '2', '--output', 'out', '--events', log];
  const { exitCode, stderr, leftovers } = await cli(args, { started: readOneStart });
  expect([exitCode, leftovers]).toEqual([2, []]);
  expect(stderr).toMatch(/^error: .*log\.pipe: the event log cannot be written: its reader has gone/);
});

test('one worker and two give the same verdicts', async () => {
  const [one, two] = [await run(crashing), await run(crashing, ['--workers', '2'])];
  expect(verdicts(two)).toEqual(verdicts(one));
  expect(two.exitCode).toBe(one.exitCode);
});

test.each([
  ['the suites of the package', ['--suite', 'client/queries']],
  ['suites of the user beside them', ['--suites', SUITES, '--tests', 'hostile:platform-name']],
])('a flood of a gigabyte does not use memory of the command, with %s', async (_, args) => {
  if (!readCompiledSuites()) throw new Error('run `npm run build` first: the suites are newer than dist/suites.json');
  const flood = await buildHostile('floods-stdout');
  const { exitCode, peakBytes, stdout } = await cli([
    'run',
    '--plugin',
    flood,
    '--output',
    'out',
    '--workers',
    '1',
    ...args,
  ]);
  expect(exitCode, stdout).toBe(0);
  expect(peakBytes).toBeLessThan(PARENT_BYTES);
});

describe('other commands', () => {
  test('list', () => {
    const { status, stdout } = command(['list', '--suites', SUITES, '--suite', 'hostile', '--format', 'ids']);
    expect(status).toBe(0);
    expect(stdout.split('\n')).toContain('hostile:compile');
    expect(stdout.trim().split('\n')).toHaveLength(11);
  });

  test('suites that are named twice, or together with their directory, are read once', () => {
    const again = ['--suite', 'errors', '--suite', 'errors/contract', '--suite', 'errors'];
    const twice = command(['run', '--plugin', toy, '--suites', SUITES, ...again, '--tests', 'errors/contract:leak']);
    expect([twice.status, twice.stderr]).toEqual([0, '']);
  });

  test('validate', () => {
    const valid = command(['validate', SUITES]);
    expect([valid.status, normalised(valid.stdout)]).toMatchInlineSnapshot(`
      [
        0,
        "1 valid suite, 11 valid cases, 0 problems
      ",
      ]
    `);
    mkdirSync(join(directory, 'suites'), { recursive: true });
    writeFileSync(
      join(directory, 'suites', 'bad.yaml'),
      readFileSync(join(SUITES, 'hostile.yaml'), 'utf8')
        .replace('suite: hostile', 'suite: bad')
        .replace('covers: [PLG-ATT-001]', 'covers: [PLG-ATR-001]'),
    );
    const bad = command(['validate', 'suites']);
    expect([bad.status, bad.stdout]).toMatchInlineSnapshot(`
      [
        2,
        "suites/bad.yaml:7:14: cases[0].covers[0]: unknown requirement "PLG-ATR-001"
          expected: an id of requirements.yaml
          help: did you mean "PLG-ATT-001"?
      0 valid suites, 10 valid cases, 1 problem
      ",
      ]
    `);
  });

  test('coverage', () => {
    const { status, stdout } = command(['coverage', '--format', 'json']);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toBeTypeOf('object');
  });

  test('discover', () => {
    const { status, stdout } = command(['discover']);
    expect(status).toBe(0);
    expect(stdout).toContain('xla-cpu');
  });

  test('help on commands and topics', () => {
    expect(command(['help', 'init']).stdout).toMatch(/^Usage: pjrt-conformance init/);
    expect(command(['help', 'config']).stdout).toMatch(/^ {2}timeouts\.call +--timeout call=$/m);
    const wrong = command(['help', 'cnfig']);
    expect([wrong.status, wrong.stdout]).toEqual([2, '']);
    expect(wrong.stderr).toMatch(/^error: help cnfig: there is no such command or topic; did you mean "config"\?/);
  });

  test('help names every exit code', () => {
    const { status, stdout } = command(['help', 'exit-codes']);
    expect(status).toBe(0);
    for (const code of [0, 1, 2, 3, 4, 5, 130]) expect(stdout).toMatch(new RegExp(`^ {2}${code} +\\S`, 'm'));
  });
});

/** The built command in an empty directory. */
const command = (args: readonly string[]) => builtCommand(args, directory);

/** A run that gets a signal while its plugin hangs in a native call. */
function interrupted(signal: NodeJS.Signals, env: NodeJS.ProcessEnv = {}): Promise<CliRun> {
  return run(hanging, ['--timeout-call', '10m'], {
    env,
    started: async (child, cwd) => {
      const log = join(cwd, 'out', 'events.jsonl');
      while (child.exitCode === null && !hangs(log)) await sleep(50);
      child.kill(signal);
    },
  });
}

const hangs = (log: string): boolean =>
  existsSync(log) && readFileSync(log, 'utf8').includes('"start","id":"hostile:compile"');

/** Living processes of the run, after the kernel has had a moment to remove killed ones. */
async function left(events: readonly Event[]): Promise<number[]> {
  for (let patience = 40; patience > 0 && livingProcesses(events).length > 0; patience--) await sleep(50);
  return livingProcesses(events);
}
