import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';
import { scratchDirectory } from '../../harness/base/scratch.ts';
import { readIndex } from '../../harness/knowledge/programs/program-index.ts';
import type { Event } from '../../harness/model/events.ts';
import { readEvents } from '../../harness/report/index.ts';
import { writeManifest } from '../designs/plugin.ts';
import type { Fault } from './catalogue.ts';
import { type FaultReport, readFaultReport } from './fault-report.ts';
import { type Observation, observe } from './judge.ts';

/** Long for computations of a case, short for hangs. */
const DEADLINES = [
  '--timeout-call',
  '5s',
  '--timeout-first',
  '5s',
  '--timeout-case',
  '20s',
  '--timeout-client',
  '20s',
  '--timeout-exit',
  '5s',
];

/**
 * Number of failures after which a run with a fault ends. Enough to see which cases it affects, few enough if each of them
 * takes a deadline or a new process; numeric faults fail at once.
 */
export const limitOf = ({ area }: Pick<Fault, 'area'>): number => (area === 'numerics' ? 400 : 16);

/** Option that sets the number of devices: some cases need an option to check. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  reference: ['num_devices=4'],
  'xla-cpu': ['cpu_device_count=4'],
};

/** The plugin in which faults are planted. */
export interface Base {
  /** Name of the plugin, whose manifest applies, or of the design. */
  name: string;
  library: string;
  /** Digest of the plugin and of everything that makes it one of its design. */
  sha256: string;
  /** A second plugin, if a fault needs two. */
  companion?: string;
  /** For a plugin of another design. */
  design?: {
    /** Its base. */
    of: string;
    /** Its manifest, with the variables that make it one. */
    manifest: Record<string, unknown> & { env: Record<string, string> };
  };
}

/** Name of the plugin that does the work. */
export const originOf = ({ name, design }: Base): string => design?.of ?? name;

/** A copy of the built command and of these suites: later builds must not affect a run that takes minutes. */
export function snapshotCommand(suites: string): string {
  const directory = scratchDirectory('mutation');
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  for (const part of ['dist', 'suites', 'schemas', 'fixtures', 'consumers', 'plugins/known', 'package.json']) {
    cpSync(packagePath(...part.split('/')), join(directory, ...part.split('/')), { recursive: true });
  }
  writeFileSync(join(directory, 'dist', 'suites.json'), suites);
  symlinkSync(packagePath('node_modules'), join(directory, 'node_modules'));
  return join(directory, 'dist', 'cli', 'main.js');
}

interface RunRequest {
  command: string;
  /** As for `--plugin`, or a manifest. */
  plugin: string | Record<string, unknown>;
  /** A second plugin for the same process. */
  second?: string;
  cases: readonly string[];
  /** Number of failures after which the run ends; the clean base runs everything. */
  limit?: number;
  workers?: number;
  /** Create options of the first plugin. */
  options: readonly string[];
  /** The consumer to act as; default: one of the plugin's own version. */
  asApi?: string | undefined;
  env: NodeJS.ProcessEnv;
}

/** The result of a run. */
interface FaultRun {
  seen: Observation;
  report: FaultReport;
  seconds: number;
}

/** Runs the command on these cases. */
export async function runCases(request: RunRequest): Promise<FaultRun> {
  const directory = scratchDirectory('mutation-run');
  try {
    mkdirSync(join(directory, 'tmp'));
    writeFileSync(join(directory, 'cases'), request.cases.join('\n'));
    writeFileSync(join(directory, 'together'), partsOfPrograms());
    const report = join(directory, 'report');
    const plugin = typeof request.plugin === 'string' ? request.plugin : writeManifest(directory, request.plugin);
    const args = [
      ...[request.command, 'run', '--plugin', plugin],
      ...(request.second === undefined ? [] : ['--plugin', request.second]),
      ...request.options.flatMap((option) => ['--option', option]),
      ...(request.asApi === undefined ? [] : ['--as-api', request.asApi]),
      ...[
        '--tests-from',
        'cases',
        '--output',
        'out',
        '--workers',
        String(request.workers ?? 1),
        '--no-fetch',
        '--quiet',
        ...DEADLINES,
      ],
      ...(request.limit === undefined ? [] : ['--strict', '--max-failures', String(request.limit)]),
    ];
    const began = performance.now();
    const child = spawn(process.execPath, args, {
      cwd: directory,
      env: {
        ...process.env,
        NO_COLOR: '1',
        TMPDIR: join(directory, 'tmp'),
        PJRT_FAULTS_REPORT: report,
        PJRT_FAULTS_TOGETHER: join(directory, 'together'),
        ...request.env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
    const exitCode = await new Promise<number | null>((resolve) => child.on('close', resolve));
    const log = join(directory, 'out', 'events.jsonl');
    const events: Event[] = existsSync(log) ? [...readEvents(log)] : [];
    if (events.length === 0) throw new Error(`the command wrote no log (exit code ${exitCode})\n${said}`);
    return {
      seen: observe(events, exitCode),
      report: readFaultReport(existsSync(report) ? readFileSync(report, 'utf8') : ''),
      seconds: (performance.now() - began) / 1000,
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** What programs consist of, as plugins/faults/programs.cc reads it. */
function partsOfPrograms(): string {
  const { programs } = readIndex();
  return programs
    .flatMap(({ name, members = [] }) =>
      members.map((member) => {
        const { artifacts, inputs, outputs } = programs.find((one) => one.name === member)!;
        const file = packagePath('fixtures', artifacts![0]!.file);
        return `${name.replace('/', '_')} ${file} ${inputs!.length} ${outputs!.length}\n`;
      }),
    )
    .join('');
}

/** Selects a plugin with this fault, or the clean one. */
export function pluginWith(
  fault: Pick<Fault, 'base' | 'plugins' | 'env' | 'asApi' | 'largeArrays'>,
  name: string,
  base: Base,
  libraries: { faults: string; clean: string; inside?: string },
): Pick<RunRequest, 'plugin' | 'second' | 'options' | 'env' | 'asApi'> {
  const { design } = base;
  const rest = {
    ...(fault.plugins > 1 ? { second: `companion=${base.companion!}` } : {}),
    // The manifest of a design has its options.
    options: design ? [] : (OPTIONS[base.name] ?? []),
    asApi: fault.asApi,
  };
  const inside = fault.base === 'inside' ? libraries.inside : undefined;
  const library = inside === undefined ? (name === '' ? libraries.clean : libraries.faults) : inside;
  const env =
    inside === undefined ? { PJRT_FAULTS_BASE: base.library, PJRT_FAULT: name } : { PJRT_REFERENCE_FAULT: name };
  // Not on designs, some of which store an array in several times its memory.
  const named = fault.largeArrays ? { name: base.name, library, largeArrays: true } : `${base.name}=${library}`;
  const plugin = design ? manifestWith(design.manifest, base, library, inside) : named;
  return { plugin, ...rest, env: { ...fault.env, ...env } };
}

/** A fault inside the base of a design is below the design, any other one above it. */
function manifestWith(
  manifest: NonNullable<Base['design']>['manifest'],
  base: Base,
  library: string,
  inside: string | undefined,
): Record<string, unknown> {
  if (inside === undefined) return { ...manifest, library };
  return { ...manifest, library: base.library, env: { ...manifest.env, PJRT_DESIGN_BASE: inside } };
}
