import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { packagePath } from '../../harness/base/paths.ts';
import { scratchDirectory } from '../../harness/base/scratch.ts';
import { UsageError } from '../../harness/base/usage-error.ts';
import type { Finding } from '../../harness/model/finding.ts';
import { readEvents } from '../../harness/report/index.ts';
import { referenceLibrary } from '../../tests/support/reference.ts';
import { type Fault, loadCatalogue } from '../mutation/catalogue.ts';
import { readFaultReport } from '../mutation/fault-report.ts';
import { buildFaults } from '../mutation/library.ts';
import { snapshotCommand } from '../mutation/runs.ts';
import { runTool } from '../run-tool.ts';

const USAGE = `Usage: npm run replay:faults -- TRACE [NAME...] [options]

Replays a recording on the reference plugin with each fault of plugins/faults/catalogue.yaml in it, and prints one line for each:
what the replay says, with its first finding. Names are prefixes of faults, or areas; default: all that the plugin can have.

Options:
  --workers <n>    replays at once (default: 2)
  --log <file>     also append one JSON object for each fault to this file; those that it has already are not played again
  -h, --help       display help`;

/** What a replay says of a plugin with a fault. */
interface Replayed {
  fault: string;
  area: string;
  status: string;
  /** First finding that is none of information. */
  requirements: readonly string[];
  call?: string;
  message: string;
  /** Whether the fault says that it was called; undefined if it does not. */
  reached?: boolean;
  seconds: number;
}

const DEADLINES = ['--timeout-call', '10s', '--timeout-case', '60s', '--timeout-exit', '5s'];

/** Areas whose faults need what a session of one process with one plugin does not have. */
const ELSEWHERE = new Set(['coexistence', 'host-channels', 'inside', 'lazy']);

const chosen = (names: readonly string[]): Fault[] =>
  loadCatalogue()
    .filter(({ base, plugins, build, area }) => base !== 'inside' && plugins === 1 && !build && !ELSEWHERE.has(area))
    .filter(({ name, area }) => names.length === 0 || names.some((one) => one === area || name.startsWith(one)));

async function replayed(command: string, trace: string, library: string, fault: Fault): Promise<Replayed> {
  const directory = scratchDirectory('replay-fault');
  const began = performance.now();
  try {
    mkdirSync(join(directory, 'tmp'));
    const args = ['replay', trace, '--plugin', library, '--no-config', '--no-fetch', '--quiet', '--output', 'out'];
    const child = spawn(process.execPath, [command, ...args, ...DEADLINES], {
      cwd: directory,
      env: {
        ...process.env,
        ...fault.env,
        NO_COLOR: '1',
        TMPDIR: join(directory, 'tmp'),
        PJRT_FAULT: fault.name,
        PJRT_FAULTS_REPORT: join(directory, 'report'),
      },
      stdio: 'ignore',
    });
    const code = await new Promise<number | null>((done) => child.on('close', done));
    const log = join(directory, 'out', 'events.jsonl');
    const events = existsSync(log) ? [...readEvents(log)] : [];
    const result = events.flatMap((event) => (event.type === 'case' ? [event.result] : []))[0];
    const outside = events.flatMap((event) =>
      event.type === 'plugin' && event.plugin.failure ? [event.plugin.failure.message.split('\n')[0]!] : [],
    );
    const findings: readonly Finding[] = result?.findings ?? [];
    const finding = findings.find(({ level }) => level !== 'info') ?? findings[0];
    const report = join(directory, 'report');
    const said = readFaultReport(existsSync(report) ? readFileSync(report, 'utf8') : '');
    return {
      fault: fault.name,
      area: fault.area,
      status: said.missing === undefined ? (result?.status ?? `exit code ${code}`) : 'absent',
      requirements: finding?.requirements ?? [],
      ...(finding?.call !== undefined && { call: finding.call }),
      message: finding?.message ?? result?.reason ?? outside[0] ?? '',
      ...((said.reached || said.marks) && { reached: said.reached }),
      seconds: Math.round(performance.now() - began) / 1000,
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const lineOf = ({ fault, status, requirements, call, message }: Replayed): string =>
  [`${fault}: ${status}`, requirements.join(' '), call, message.split('\n')[0]].filter(Boolean).join(' · ');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    workers: { type: 'string', default: '2' },
    log: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

await runTool(USAGE, values.help, async () => {
  const [trace, ...names] = positionals;
  if (trace === undefined) throw new UsageError(USAGE);
  process.env.PJRT_FAULTS_BASE = await referenceLibrary();
  const library = await buildFaults();
  const command = snapshotCommand(readFileSync(packagePath('dist', 'suites.json'), 'utf8'));
  const known = values.log !== undefined && existsSync(values.log) ? readFileSync(values.log, 'utf8') : '';
  const done = new Set(known.split('\n').flatMap((line) => (line ? [(JSON.parse(line) as Replayed).fault] : [])));
  const left = chosen(names).filter(({ name }) => !done.has(name));
  const statuses = new Map<string, number>();
  const work = async (): Promise<void> => {
    for (let fault = left.shift(); fault; fault = left.shift()) {
      const one = await replayed(command, resolve(trace), library, fault);
      statuses.set(one.status, (statuses.get(one.status) ?? 0) + 1);
      console.log(lineOf(one));
      if (values.log !== undefined) appendFileSync(values.log, `${JSON.stringify(one)}\n`);
    }
  };
  await Promise.all(Array.from({ length: Number(values.workers) }, work));
  console.log([...statuses].map(([status, count]) => `${count} ${status}`).join(', '));
  return true;
});
