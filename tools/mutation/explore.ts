// Plants faults in the reference plugin and explores it: which of them do random sessions find, and with how many calls.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packagePath } from '../../harness/base/paths.ts';
import { scratchDirectory } from '../../harness/base/scratch.ts';
import type { State } from '../../harness/commands/explore/state.ts';
import { matchesCase } from '../../harness/suite/case-glob.ts';
import { runTool } from '../run-tool.ts';
import { type Fault, loadCatalogue } from './catalogue.ts';
import { buildFaults, buildInside } from './library.ts';
import { compiledSuites, resolveBase } from './plan.ts';
import { type Base, pluginWith, snapshotCommand } from './runs.ts';

const AREAS = [
  'asynchrony',
  'buffers',
  'transfers',
  'donation',
  'events',
  'views',
  'async',
  'execute',
  'executables',
  'errors',
];

const USAGE = `usage: explore [--area AREA]… [--fault GLOB]… [--sample N [--from K]] [--sessions N] [--budget TIME] [--seed N] [--resume]
  --area      faults of this area (repeatable; default: ${AREAS.join(', ')})
  --fault     only faults whose name matches (repeatable)
  --sample    only about one in N of those
  --from      which of the first N is the first of the sample (default: 0)
  --sessions  sessions after which a fault counts as missed (default: 150)
  --budget    time after which it does (default: 2m)
  --seed      seed of the sessions (default: 1)
  --resume    keep what build/mutation/explore.json has`;

/** What became of a fault. */
interface Found {
  found: boolean;
  /** Of the shortest sequence. */
  calls?: number;
  message?: string;
  sessions: number;
  seconds: number;
}

const { values } = parseArgs({
  options: {
    area: { type: 'string', multiple: true },
    fault: { type: 'string', multiple: true },
    sample: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    sessions: { type: 'string', default: '150' },
    budget: { type: 'string', default: '2m' },
    seed: { type: 'string', default: '1' },
    resume: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const OUTPUT = packagePath('build', 'mutation', 'explore.json');

await runTool(USAGE, values.help, main);

async function main(): Promise<boolean> {
  const areas = values.area ?? AREAS;
  const every = Number(values.sample);
  const meant = loadCatalogue().filter(
    (fault) =>
      areas.includes(fault.area) &&
      (values.fault ?? ['*']).some((glob) => matchesCase(glob, fault.name)) &&
      fault.plugins === 1 &&
      fault.asApi === undefined,
  );
  const faults = meant.filter((_, i) => i % every === Number(values.from));
  const base = await resolveBase('reference');
  const command = snapshotCommand(compiledSuites());
  const plain = await buildFaults();
  const inside = faults.some((fault) => fault.base === 'inside') ? await buildInside() : undefined;
  const results: Record<string, Found> =
    values.resume && existsSync(OUTPUT) ? (JSON.parse(readFileSync(OUTPUT, 'utf8')) as Record<string, Found>) : {};
  const left = faults.filter(({ name }) => results[name] === undefined);
  const next = async (): Promise<void> => {
    for (let fault = left.shift(); fault; fault = left.shift()) {
      const result = await exploreFault(fault, base, command, {
        faults: plain,
        clean: plain,
        ...(inside ? { inside } : {}),
      });
      results[fault.name] = result;
      mkdirSync(packagePath('build', 'mutation'), { recursive: true });
      writeFileSync(OUTPUT, JSON.stringify(results, undefined, 1));
      const { found, calls, seconds, message = '' } = result;
      console.log(
        `${found ? `found, ${calls} calls` : 'missed'}  ${seconds.toFixed(0)} s  ${fault.name}  ${message.slice(0, 120)}`,
      );
    }
  };
  await Promise.all([next(), next()]);
  summarize(faults, results);
  return true;
}

function summarize(faults: readonly Fault[], results: Readonly<Record<string, Found>>): void {
  for (const area of new Set(faults.map((fault) => fault.area))) {
    const of = faults.filter((fault) => fault.area === area).map(({ name }) => results[name]!);
    console.log(`${area}: ${of.filter(({ found }) => found).length} of ${of.length}`);
  }
  const all = faults.map(({ name }) => results[name]!);
  const calls = all.flatMap((one) => one.calls ?? []).sort((a, b) => a - b);
  console.log(`found ${calls.length} of ${all.length}; median ${calls[calls.length >> 1]} calls`);
}

async function exploreFault(
  fault: Fault,
  base: Base,
  command: string,
  libraries: Parameters<typeof pluginWith>[3],
): Promise<Found> {
  const directory = scratchDirectory('explore-fault');
  try {
    const { plugin, options, env } = pluginWith(fault, fault.name, base, libraries);
    const args = [
      ...[command, 'explore', '--plugin', String(plugin)],
      ...options.flatMap((option) => ['--option', option]),
      ...['--devices', '2', '--seed', values.seed, '--count', values.sessions, '--budget', values.budget],
      ...['--max-findings', '1', '--format', 'json', '--output', join(directory, 'out'), '--no-fetch'],
    ];
    const began = performance.now();
    const child = spawn(process.execPath, args, {
      cwd: directory,
      env: { ...process.env, ...env, TMPDIR: directory },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    let complaint = '';
    child.stdout.on('data', (chunk) => (said += chunk));
    child.stderr.on('data', (chunk) => (complaint += chunk));
    await new Promise((resolve) => child.on('close', resolve));
    const seconds = (performance.now() - began) / 1000;
    if (!said.startsWith('{')) return { found: false, sessions: 0, seconds, message: complaint.slice(0, 300) };
    const { findings, next } = JSON.parse(said) as State;
    const [first] = findings;
    return {
      found: first !== undefined,
      ...(first ? { calls: first.calls, message: first.message } : {}),
      sessions: next,
      seconds,
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
