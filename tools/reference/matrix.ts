/**
 * `npm run check:reference`: every suite on the reference plugin at every API version that it supports, with and without
 * delay, as often as requested. Nothing may fail, and no verdict may change.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packagePath } from '../../harness/base/paths.ts';
import { scratchDirectory } from '../../harness/base/scratch.ts';
import type { JsonReport } from '../../harness/report/index.ts';
import { resolveHere } from '../resolve-here.ts';
import { type Configuration, changes, inTurn, type MatrixRun, MatrixStore, notPassed } from './matrix-runs.ts';

const USAGE = `usage: npm run check:reference -- [--minor N]… [--delay US]… [--repeat N] [--plugin PLUGIN] [--fresh] [-- options of run]
  --minor   API versions (default: 60 81 90 105 107 117)
  --delay   microseconds before each piece of work of a device (default: 0 and 1000)
  --repeat  runs of each (default: 1)
  --plugin  another build of the reference plugin, as with a sanitizer (default: reference)
  --fresh   run again what build/reference-matrix has of an earlier time with the same plugin, cases and options
The configurations take turns, and a stopped check resumes. Exit code 1 when a case did not pass, or a verdict
differs from the one that the first run at the same API version gave.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minor: { type: 'string', multiple: true, default: ['60', '81', '90', '105', '107', '117'] },
    delay: { type: 'string', multiple: true, default: ['0', '1000'] },
    repeat: { type: 'string', default: '1' },
    plugin: { type: 'string', default: 'reference' },
    fresh: { type: 'boolean', default: false },
    help: { type: 'boolean' },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const repeat = Number(values.repeat);
if (!Number.isInteger(repeat) || repeat < 1) {
  console.error(`--repeat ${values.repeat}: expected a number from 1 on\n${USAGE}`);
  process.exit(2);
}

/** Digest of everything that the verdicts depend on. */
async function key(): Promise<string> {
  const { library } = await resolveHere(values.plugin);
  const hash = createHash('sha256');
  for (const file of [library, packagePath('dist', 'suites.json')]) hash.update(readFileSync(file));
  return hash.update(JSON.stringify(positionals)).digest('hex').slice(0, 16);
}

function runSuites({ minor, delay, run }: Configuration & { run: number }): MatrixRun {
  const directory = scratchDirectory('reference');
  try {
    const args = ['run', '--plugin', values.plugin, '--quiet', '--output', directory, ...positionals];
    const { status, signal, stderr } = spawnSync(process.execPath, [packagePath('dist', 'cli', 'main.js'), ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, PJRT_REFERENCE_API_MINOR: minor, PJRT_REFERENCE_DELAY_US: delay },
    });
    if (status !== 0 && status !== 1)
      throw new Error(`the run ended with ${signal ?? `exit code ${status}`}: ${stderr}`);
    const report = JSON.parse(readFileSync(join(directory, 'report.json'), 'utf8')) as JsonReport;
    const cases = report.suites.flatMap((suite) => suite.cases);
    const others = cases
      .filter(({ status }) => status !== 'pass')
      .map(({ id, status, findings }) => [
        id,
        status !== 'unsupported' && findings?.[0] ? `${status}: ${findings[0].message}` : status,
      ]);
    return { minor, delay, run, cases: cases.length, others: Object.fromEntries(others) as Record<string, string> };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const file = packagePath('build', 'reference-matrix', `${await key()}.jsonl`);
if (values.fresh) rmSync(file, { force: true });
const store = new MatrixStore(file);
const configurations = values.minor.flatMap((minor) => values.delay.map((delay) => ({ minor, delay })));
const first = new Map<string, MatrixRun>();
const wrong: string[] = [];
let runs = 0;
for (const next of inTurn(configurations, repeat)) {
  const known = store.find(next);
  const seen = known ?? runSuites(next);
  if (!known) store.add(seen);
  const before = first.get(next.minor) ?? seen;
  first.set(next.minor, before);
  const bad = notPassed(seen).map(([id, verdict]) => `${id}  ${verdict}`);
  const changed = changes(before, seen);
  const unsupported = Object.keys(seen.others).length - bad.length;
  const passed = seen.cases - unsupported - bad.length;
  const where = `0.${next.minor} delay ${next.delay} us, run ${next.run} of ${repeat}${known ? ' (from before)' : ''}`;
  console.log(
    `${where}: ${passed} passed, ${unsupported} unsupported, ${bad.length} not passed, ${changed.length} changed`,
  );
  for (const line of new Set([...bad, ...changed])) console.log(`  ${line}`);
  wrong.push(...bad, ...changed);
  runs += 1;
}
console.log(
  `${runs} runs of ${configurations.length} configurations: ${wrong.length === 0 ? 'all passed, no verdict changed' : `${wrong.length} findings`}; ${file}`,
);
process.exitCode = wrong.length > 0 ? 1 : 0;
