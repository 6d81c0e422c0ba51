import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Argument, Command, Option } from 'commander';
import { afterAll, describe, expect, test } from 'vitest';
import type { CommandEnvironment } from '../base/environment.ts';
import { packagePath } from '../base/paths.ts';
import { FAMILIES } from './commands/help.ts';
import { printFailure } from './failure.ts';
import { examplesOf } from './help-examples.test-helper.ts';
import { createProgram, runProgram } from './program.ts';

/** Every command follows one form and suggests corrections of misspelt names. New commands are included automatically. */

const directory = mkdtempSync(join(tmpdir(), 'pjrt-help-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
for (const file of ['plugin.so', 'events.jsonl']) writeFileSync(join(directory, file), '');

function capturing(argv: readonly string[]): { environment: CommandEnvironment; text: () => string } {
  let text = '';
  const stream = { write: (chunk: string) => (text += chunk) } as unknown as NodeJS.WriteStream;
  const { signal } = new AbortController();
  return { environment: { cwd: directory, env: {}, argv, stdout: stream, stderr: stream, signal }, text: () => text };
}

const { environment, text: said } = capturing([]);
const program = createProgram(environment, () => {});
const commands = program.createHelp().visibleCommands(program);

/** The result of a command line that is rejected. */
async function refused(argv: readonly string[]): Promise<string> {
  const { environment: there, text } = capturing(argv);
  const status = await runProgram(there).catch((error: unknown) => printFailure(error, there.stderr));
  expect([argv.join(' '), status]).toEqual([argv.join(' '), 2]);
  return text();
}

function helpOf(command: Command): string {
  const before = said().length;
  command.outputHelp();
  return said().slice(before);
}

const NAMED = new Map(commands.map((command) => [command.name(), command]));

describe.each([...NAMED])('help on %s', (name, command) => {
  const help = helpOf(command);

  test('states the purpose, examples, and the meaning of its exit codes', () => {
    expect(help).toMatch(new RegExp(`^Usage: pjrt-conformance ${name} `));
    expect(command.description().split(' ').length).toBeGreaterThan(4);
    expect(examplesOf(help).length).toBeGreaterThanOrEqual(2);
    expect(help).toMatch(/\nExit codes:\n {2}0 +\S.*\n(?: {2}\d+ +\S.*\n)+\s*$/);
  });

  test('has examples with existing options', () => {
    for (const { words } of examplesOf(help)) {
      const about = NAMED.get(words[0] ?? '') ?? (words[0]?.startsWith('-') ? NAMED.get('run')! : program);
      const known = about.options.flatMap(({ long }) => long ?? []);
      const flags = words.flatMap((word) => /^--[a-z-]+/.exec(word) ?? []);
      expect(flags.filter((flag) => !known.includes(flag) && flag !== '--help')).toEqual([]);
    }
  });
});

test('the overview fits on a screen, and names commands and options that exist', () => {
  const text = helpOf(program);
  const lines = text.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(40);
  const [, options = '', listed = ''] = text.split(/\n(?:Options|Commands)[^\n]*:\n/);
  const known = [...NAMED.get('run')!.options, ...program.options].flatMap(({ long }) => long ?? []);
  for (const [flag] of options.matchAll(/--[a-z]+/g)) expect([...known, '--help']).toContain(flag);
  const commands = [...listed.split('\n\n')[0]!.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name!);
  expect(commands.length).toBe(5);
  for (const name of commands) expect([...NAMED.keys()]).toContain(name);
  for (const { words } of examplesOf(text)) {
    const flags = words.flatMap((word) => /^--[a-z-]+/.exec(word) ?? []);
    expect(flags.filter((flag) => !known.includes(flag))).toEqual([]);
  }
});

test('every command belongs to one family', () => {
  expect(Object.values(FAMILIES).flat().sort()).toEqual([...NAMED.keys()].sort());
});

test('a misspelt command gets a suggestion; a plugin path gets the correct syntax', async () => {
  for (const name of NAMED.keys()) expect(await refused([`${name}x`])).toContain(`did you mean "${name}"?`);
  expect(await refused(['./foo.so'])).toContain('to test a plugin: --plugin ./foo.so');
});

/** A directory with a program, for commands about one. */
const PROGRAMS = mkdtempSync(join(tmpdir(), 'programs-'));
writeFileSync(join(PROGRAMS, 'add.mlir'), readFileSync(packagePath('fixtures/programs/misc/add_one.mlir')));
afterAll(() => rmSync(PROGRAMS, { recursive: true }));

/** The least that is a checkout of StableHLO. */
const CHECKOUT = mkdtempSync(join(tmpdir(), 'corpus-'));
for (const below of ['testdata', 'tests/interpret']) mkdirSync(join(CHECKOUT, 'stablehlo', below), { recursive: true });
writeFileSync(join(CHECKOUT, 'stablehlo/testdata/add.mlir'), '');
afterAll(() => rmSync(CHECKOUT, { recursive: true }));

/** A recording of one process. */
const TRACE = mkdtempSync(join(tmpdir(), 'trace-'));
mkdirSync(join(TRACE, 'pid-1'));
writeFileSync(join(TRACE, 'manifest.json'), JSON.stringify({ format: 'pjrt-conformance-trace', version: '1.0' }));
writeFileSync(
  join(TRACE, 'pid-1', 'events-0001.bin'),
  gunzipSync(readFileSync(packagePath('fixtures', 'traces', 'caller-1.0.bin.gz'))),
);
afterAll(() => rmSync(TRACE, { recursive: true }));

/** What commands need before they reach the option under test. */
const OPERANDS: Readonly<Record<string, string[]>> = {
  run: ['--plugin', './plugin.so'],
  fuzz: ['--oracle', './oracle.so', '--plugin', './plugin.so'],
  programs: [PROGRAMS, '--plugin', './plugin.so'],
  replay: [TRACE, '--plugin', './plugin.so'],
  coexist: ['./plugin.so'],
  corpus: ['stablehlo', '--dir', CHECKOUT, '--plugin', './plugin.so'],
  export: ['buffers/host-errors:nowhere', '--plugin', './plugin.so'],
  reduce: [PROGRAMS, '--oracle', './oracle.so', '--plugin', './plugin.so'],
  record: ['true'],
  'record plugin': ['--as-plugin', 'recorded.so', '--plugin', 'plugin'],
  trace: ['show', 'trace'],
  compare: ['a', 'b'],
  trend: ['a', 'b'],
  compat: ['./plugin.so'],
  report: ['events.jsonl'],
  bundle: ['events.jsonl'],
  verify: ['events.jsonl'],
};

/** Options and arguments that take one of several names: a misspelt one, and the expected suggestion. */
const NAMES: Readonly<Record<string, [wrong: string, right: string]>> = {
  plugin: ['xla-cpuu', 'xla-cpu'],
  plugins: ['xla-cpuu', 'xla-cpu'],
  control: ['xla-cpuu', 'xla-cpu'],
  oracle: ['xla-cpuu', 'xla-cpu'],
  'programs tests': ['programs:ad', 'programs:add'],
  'programs exclude': ['programs:ad', 'programs:add'],
  'replay tests': ['replay:pid', 'replay:pid-1'],
  'replay exclude': ['replay:pid', 'replay:pid-1'],
  'corpus suite': ['stablehlo/testdat', 'stablehlo/testdata'],
  'corpus tests': ['stablehlo/testdata:ad', 'stablehlo/testdata:add'],
  'corpus exclude': ['stablehlo/testdata:ad', 'stablehlo/testdata:add'],
  suite: ['bufers', 'buffers'],
  tests: ['load/tabel:*', 'load/table:*'],
  exclude: ['bufers/*', 'buffers/*'],
  tag: ['smok', 'smoke'],
  requirement: ['BUF-HOST-0009', 'BUF-HOST-009'],
  profile: ['smke', 'smoke'],
  report: ['junti', 'junit'],
  'trend report': ['htm', 'html'],
  format: ['jsn', 'json'],
  framework: ['jx@0.10', 'jax'],
  mustpass: ['1.00', '1.0'],
  needs: ['jx', 'jax'],
  about: ['cnfig', 'config'],
  keep: ['hashs', 'hashes'],
  contents: ['frst', 'first'],
  'trace action': ['progams', 'programs'],
};

/** Those that take a file, a directory, a number, a time, or any text; cells have the names of plugins that exist. */
const FREE = new Set(
  `config suites tests-from failed-of shard durations junit json junit-hostname output outcomes events expectations resume baseline policy option workers
   as-api dir seed nodes devices node store repeat rerun-failed max-failures max-findings count budget threads timeout wait-device reset-command break device-env timeout-load timeout-client timeout-first timeout-call timeout-case timeout-exit old new log logs run runs
    paths bundle case cell last statement max-size as-plugin stablehlo command trace other execute waivers trusted-root programs what from to window`.split(
    /\s+/,
  ),
);

/** `init` does not require the plugin to exist. */
const isFree = (name: string, command: Command): boolean =>
  FREE.has(name) || `${command.name()} ${name}` === 'init plugin';

const takesValue = (slot: Option | Argument): boolean => !('long' in slot) || slot.required === true;
const slots = commands.flatMap((command) =>
  [...command.options, ...command.registeredArguments]
    .filter(takesValue)
    .map((slot): [string, string, Option | Argument, Command] => [command.name(), slot.name(), slot, command]),
);

test.each(slots.filter(([, name, slot, command]) => slot.argChoices || !isFree(name, command)))(
  '%s: a misspelt %s gets a suggestion',
  async (commandName, name, slot) => {
    const [wrong, right] = slot.argChoices
      ? [`${slot.argChoices[0]}x`, slot.argChoices[0]!]
      : (NAMES[`${commandName} ${name}`] ?? NAMES[name] ?? []);
    expect(wrong, `${commandName} ${name}: what is it? give it a row in NAMES or FREE`).toBeDefined();
    const given = 'long' in slot ? [slot.long!, wrong!] : [wrong!];
    const all = OPERANDS[`${commandName} ${name}`] ?? OPERANDS[commandName] ?? [];
    const operands = 'long' in slot && name !== 'needs' ? (name === 'plugin' ? all.slice(0, -2) : all) : [];
    expect(await refused([commandName, ...operands, ...given])).toMatch(
      new RegExp(`did you mean "?${right!.replaceAll('*', '\\*')}"?\\?`),
    );
  },
);

/** Hidden options are old spellings: accepted, never proposed. */
const shownFlags = commands.flatMap((command) =>
  command.options.filter(({ hidden }) => !hidden).map(({ long }) => [command.name(), long!] as const),
);

test.each(shownFlags)('%s: a misspelt %s gets a suggestion', async (name, flag) =>
  expect(await refused([name, `${flag}x`])).toMatch(new RegExp(`; did you mean .*"${flag}"`)),
);
