// Exports cases as C programs, compiles and runs them: each must end as its case did, and pass on the plugin without the fault.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { packagePath } from '../../harness/base/paths.ts';
import { textTable } from '../../harness/base/text-table.ts';
import type { Exported } from '../../harness/commands/export/export-case.ts';
import { buildFaults, registeredFaults } from '../mutation/library.ts';
import { resolveBase } from '../mutation/plan.ts';
import { loadScore } from '../mutation/report.ts';
import { runTool } from '../run-tool.ts';

const USAGE = `usage: check [--faults N] [--fault NAME]… [--plugin NAME --report report.json] [--passing N] [--only TEXT]
  --faults   so many faults of the catalogue, spread over it, each with the case that detects it
  --fault    this one (repeatable)
  --plugin   a plugin, with
  --report   a report of a run of it: its failing cases
  --passing  so many of its passing cases, spread over it
  --only     only cases with this in their ids`;

const { values } = parseArgs({
  options: {
    faults: { type: 'string', default: '0' },
    fault: { type: 'string', multiple: true, default: [] },
    plugin: { type: 'string' },
    report: { type: 'string' },
    passing: { type: 'string', default: '0' },
    only: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
});

const run = promisify(execFile);
const OUTPUT = packagePath('build', 'exported');
const CLI = packagePath('dist', 'cli', 'main.js');

/** A case to export. */
interface Subject {
  name: string;
  plugin: string;
  options: string[];
  ids: string[];
  env: Record<string, string>;
  /** Where the same program must pass. */
  right?: string;
  failing: boolean;
}

interface Outcome {
  name: string;
  case: string;
  status: string;
  /** `same`: it ends as the case did. */
  end: 'same' | 'other' | 'not C' | 'not failing';
  detail: string;
}

async function main(): Promise<boolean> {
  mkdirSync(OUTPUT, { recursive: true });
  const subjects = [...(await faultSubjects()), ...reportSubjects()];
  const outcomes: Outcome[] = [];
  for (const subject of subjects) {
    const outcome = await check(subject);
    outcomes.push(outcome);
    console.log([outcome.end, outcome.name, outcome.case, outcome.status, outcome.detail].join('\t'));
  }
  const count = (end: Outcome['end']): number => outcomes.filter((one) => one.end === end).length;
  const ends = ['same', 'other', 'not C', 'not failing'] as const;
  console.log(textTable(ends.map((end) => [end, String(count(end))])));
  return count('other') === 0;
}

async function faultSubjects(): Promise<Subject[]> {
  if (values.faults === '0' && values.fault.length === 0) return [];
  const base = await resolveBase('reference');
  const plugin = await buildFaults();
  const registered = new Set(registeredFaults());
  const { faults } = loadScore()!;
  const all = Object.entries(faults).filter(([name, { by }]) => registered.has(name) && by?.includes(':'));
  const step = Math.max(1, Math.floor(all.length / Number(values.faults)));
  const some = values.faults === '0' ? [] : all.filter((_, i) => i % step === 0);
  return [...some, ...all.filter(([name]) => values.fault.includes(name))].map(([name, { by }]) => ({
    name,
    plugin,
    options: ['num_devices=4'],
    ids: [by!],
    env: { PJRT_FAULT: name, PJRT_FAULTS_BASE: base.library },
    right: base.library,
    failing: true,
  }));
}

interface Report {
  suites: { cases: { id: string; status: string }[] }[];
}

function reportSubjects(): Subject[] {
  const { plugin, report } = values;
  if (plugin === undefined || report === undefined) return [];
  const cases = (JSON.parse(readFileSync(report, 'utf8')) as Report).suites.flatMap((suite) => suite.cases);
  const failing = cases.filter(
    ({ id, status }) => id.includes(values.only) && ['fail', 'crash', 'timeout'].includes(status),
  );
  const passing = cases.filter(({ status }) => status === 'pass');
  const step = Math.max(1, Math.floor(passing.length / Number(values.passing)));
  const some = values.passing === '0' ? [] : passing.filter((_, i) => i % step === 0);
  const subject =
    (failed: boolean) =>
    ({ id }: { id: string }): Subject => ({
      name: plugin,
      plugin,
      options: [],
      ids: [id],
      env: {},
      failing: failed,
    });
  return [...failing.map(subject(true)), ...some.map(subject(false))];
}

/** Runs a program. @returns its exit code or signal, and the end of what it prints */
async function ended(command: string, args: string[], options: object): Promise<{ how: string; text: string }> {
  try {
    const { stderr } = await run(command, args, { ...options, timeout: 300_000, maxBuffer: 1 << 28 });
    return { how: '0', text: stderr };
  } catch (error) {
    const { code, signal, stderr = '' } = error as { code?: number; signal?: string; stderr?: string };
    return { how: signal ?? String(code), text: stderr };
  }
}

async function check(subject: Subject): Promise<Outcome> {
  const { name, plugin, options, env, right } = subject;
  const directory = join(OUTPUT, name.replace(/\W+/g, '-'));
  rmSync(directory, { recursive: true, force: true });
  const environment = { ...process.env, ...env, TPU_SKIP_MDS_QUERY: '1' };
  const [id] = subject.ids as [string];
  const given = options.flatMap((option) => ['--option', option]);
  const how = ['--timeout', 'call=3s,first=5s,case=20s', '-o', directory, '--format', 'json'];
  let exported: Exported;
  try {
    const { stdout } = await run(process.execPath, [CLI, 'export', id, '--plugin', plugin, ...given, ...how], {
      env: environment,
      timeout: 240_000,
    });
    exported = JSON.parse(stdout) as Exported;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    if (stdout === '') return { name, case: id, status: '?', end: 'other', detail: stderr.slice(0, 300) };
    exported = JSON.parse(stdout) as Exported;
  }
  const at = { name, case: id, status: exported.status };
  const { status, beyond, message = '' } = exported;
  if (subject.failing && ['pass', 'unsupported', 'skip'].includes(status))
    return { ...at, end: 'not failing', detail: message };
  if (exported.files.length === 0) return { ...at, end: 'not C', detail: beyond.join('; ') };
  const compiled = await ended('make', ['-C', directory, 'CFLAGS=-g -O0 -Wall -Werror', 'repro'], {});
  if (compiled.how !== '0') return { ...at, end: 'other', detail: `does not compile: ${compiled.text.slice(0, 600)}` };
  const running = { cwd: directory, env: { ...environment, TRACE: '1', DEADLINE: '5' } };
  const program = join(directory, 'repro');
  const library = plugin.endsWith('.so')
    ? plugin
    : /PLUGIN \?= (.*)/.exec(readFileSync(join(directory, 'Makefile'), 'utf8'))![1]!;
  const end = await ended(program, [library], running);
  const expected = { pass: '0', warn: '1', fail: '1', timeout: '1' }[status as string] ?? 'SIG';
  const tail = end.text.trim().split('\n').slice(-2).join(' | ').slice(0, 300);
  if (!end.how.startsWith(expected))
    return { ...at, end: 'other', detail: `ends with ${end.how}, not ${expected}: ${tail} [${message}]` };
  if (right !== undefined) {
    const there = await ended(program, [right], running);
    if (there.how !== '0' && there.how !== '2')
      return { ...at, end: 'other', detail: `ends with ${there.how} on the right plugin: ${there.text.slice(-300)}` };
  }
  return { ...at, end: 'same', detail: tail };
}

await runTool(USAGE, values.help, main);
