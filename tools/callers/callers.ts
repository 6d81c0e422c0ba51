import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';
import { scratchDirectory } from '../../harness/base/scratch.ts';
import { matchesCase } from '../../harness/suite/case-glob.ts';
import { parseYaml } from '../../harness/suite/located-yaml.ts';
import { throwIfAny } from '../../harness/suite/problem.ts';
import { checkSchema, validator } from '../../harness/suite/schema-check.ts';
import { pythonWith } from '../../tests/support/python-venv.ts';
import { referenceLibrary } from '../../tests/support/reference.ts';
import { loadDesign } from '../designs/design.ts';
import { resolveHere } from '../resolve-here.ts';
import { REPORTS, type TestResult } from './reports.ts';

/** A plugin that callers judge, as schemas/callers.schema.json explains it. */
interface Subject {
  base?: string;
  design?: string;
  alias: string;
}

interface Explanation {
  test: string;
  result: Exclude<TestResult, 'pass'>;
  on?: string[];
  reason: string;
}

/** Another program that calls plugins, and its own tests. */
export interface Caller {
  package: { go?: string; pypi?: string };
  version: string;
  command: string[];
  report: keyof typeof REPORTS;
  explained?: Explanation[];
}

interface Callers {
  plugins: Record<string, Subject>;
  callers: Record<string, Caller>;
}

/** Reads callers.yaml. @throws SuiteError with every problem of its form */
export function loadCallers(file = packagePath('tools', 'callers', 'callers.yaml')): Callers {
  const document = parseYaml(readFileSync(file, 'utf8'), file);
  throwIfAny(document.problems);
  throwIfAny(checkSchema(validator('callers.schema.json'), document));
  return document.value as Callers;
}

/** Where a caller's tests run, and the Python that has the package. */
export interface Fetched {
  directory?: string;
  python?: string;
}

/** Fetches a caller. @returns why it cannot be had here, as without a network */
export function fetchCaller(name: string, caller: Caller): Fetched | string {
  const { go, pypi } = caller.package;
  if (pypi !== undefined) {
    try {
      return { python: pythonWith(`caller-${name}-${caller.version}`, [`${pypi}==${caller.version}`], 10) };
    } catch (error) {
      return (error as Error).message;
    }
  }
  const module = `${go}@${caller.version}`;
  const { status, stdout, stderr, error } = spawnSync('go', ['mod', 'download', '-json', module], { encoding: 'utf8' });
  if (status !== 0) return `go mod download ${module}: ${error?.message ?? (stderr || stdout)}`.trim();
  return { directory: (JSON.parse(stdout) as { Dir: string }).Dir };
}

/** The results of a caller's tests on a plugin, by test. */
export async function runCaller(caller: Caller, fetched: Fetched, subject: Subject): Promise<Map<string, TestResult>> {
  const library = subject.base === undefined ? await referenceLibrary() : (await resolveHere(subject.base)).library;
  const design = subject.design === undefined ? undefined : loadDesign(subject.design);
  const directory = scratchDirectory('callers');
  try {
    symlinkSync(library, join(directory, `pjrt_c_api_${subject.alias}_plugin.so`));
    const report = join(directory, 'report');
    const values: Record<string, string> = {
      alias: subject.alias,
      library,
      report,
      python: fetched.python ?? 'python3',
    };
    const [command, ...args] = caller.command.map((word) => word.replace(/\{(\w+)\}/g, (_, key) => values[key]!));
    const child = spawn(command!, args, {
      cwd: fetched.directory ?? directory,
      env: { ...process.env, ...design?.environment, PJRT_PLUGIN_LIBRARY_PATH: directory },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [output, messages] = ['', ''];
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      messages = (messages + chunk).slice(-2000);
    });
    const end = await new Promise<string>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => resolve(String(signal ?? code)));
    });
    const text = existsSync(report) ? readFileSync(report, 'utf8') : output;
    const results = REPORTS[caller.report](text);
    // A process that died wrote no result of the test in which it did.
    if (results.size > 0) return results;
    console.error(`${[command, ...args].join(' ')}: ended with ${end}\n${messages}`);
    return new Map([['(all)', 'fail']]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Results that differ from what is explained: an unexplained one, or a reason for what did not happen. */
export function differences(plugin: string, caller: Caller, results: ReadonlyMap<string, TestResult>): string[] {
  const reasons = (caller.explained ?? []).filter(({ on }) => on?.some((glob) => matchesCase(glob, plugin)) ?? true);
  const covers =
    ({ test, result }: Explanation) =>
    ([name, seen]: [string, TestResult]): boolean =>
      seen === result && matchesCase(test, name);
  const all = [...results];
  return [
    ...all
      .filter((one) => one[1] !== 'pass' && !reasons.some((reason) => covers(reason)(one)))
      .map(([name, result]) => `${name}: ${result}`),
    ...reasons
      .filter((reason) => !all.some(covers(reason)))
      .map(({ test, result }) => `${test}: explained as ${result}, which no test is`),
  ];
}
