/**
 * `npm run record:samples`: runs real plugins and stores their reports in reports/samples. Paths in the reports are those of
 * a temporary directory.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, copyFileSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cacheDirectoryOf } from '../../harness/base/cache-directory.ts';
import { packagePath } from '../../harness/base/paths.ts';
import { buildFaults } from '../mutation/library.ts';
import { resolveHere } from '../resolve-here.ts';
import { COMPARISON, SAMPLES, type SamplePlugin, TREND } from './samples.ts';

const USAGE = `usage: record:samples [--only NAME]…
  --only   only these, of ${[...SAMPLES, COMPARISON, TREND].map(({ name }) => name).join(', ')} (repeatable)`;

const { values } = parseArgs({ options: { only: { type: 'string', multiple: true }, help: { type: 'boolean' } } });
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}

const COMMAND = packagePath('dist', 'cli', 'main.js');
const KEPT = packagePath('reports', 'samples');
const SCRATCH = join(tmpdir(), 'pjrt-conformance-samples');
/** 1: the run fails; 3: there is no device. */
const EXPECTED_EXITS = [0, 1, 3];

rmSync(SCRATCH, { recursive: true, force: true });
mkdirSync(join(SCRATCH, 'cache'), { recursive: true });
symlinkSync(cacheDirectoryOf(process.env), join(SCRATCH, 'cache', 'pjrt-conformance'));

const wanted = (name: string): boolean => values.only?.includes(name) ?? true;

for (const sample of SAMPLES.filter(({ name }) => wanted(name))) {
  keep(sample.name, await run(sample.name, sample), ['report.html', 'report.md', 'junit.xml']);
}
if (wanted(COMPARISON.name)) {
  const [old, now] = [await run('old', COMPARISON.old), await run('new', COMPARISON.new)];
  const files = ['comparison.html', 'comparison.md', 'comparison.json'];
  const reports = ['html', 'markdown', 'json'].flatMap((format, i) => [
    '--report',
    `${format}=${join(SCRATCH, files[i]!)}`,
  ]);
  command(['compare', join(SCRATCH, old), join(SCRATCH, now), ...reports]);
  keep(COMPARISON.name, '.', files);
}
if (wanted(TREND.name)) {
  const names: string[] = [];
  for (const [at, plugin] of TREND.runs.entries()) names.push(await run(`night-${at + 1}`, plugin));
  const files = ['trend.html', 'trend.txt', 'trend.json'];
  const reports = ['html', 'text', 'json'].flatMap((format, i) => ['--report', `${format}=${files[i]!}`]);
  // The names of the runs are those that are given.
  command(['trend', ...names, ...reports], {}, SCRATCH);
  keep(TREND.name, '.', files);
}
rmSync(SCRATCH, { recursive: true, force: true });

/** Runs the suites on a plugin. @returns the directory with its reports, relative to the scratch directory */
async function run(name: string, { plugin, args = [], minor, fault }: SamplePlugin): Promise<string> {
  console.log(`${name}: runs`);
  const env: Record<string, string> = minor === undefined ? {} : { PJRT_REFERENCE_API_MINOR: String(minor) };
  let spec = plugin;
  if (minor !== undefined || fault !== undefined) {
    mkdirSync(join(SCRATCH, name), { recursive: true });
    const base = (await resolveHere(plugin)).library;
    const library = join(SCRATCH, name, `pjrt-plugin-${plugin}.so`);
    copyFileSync(fault === undefined ? base : await buildFaults(), library);
    // Each fault is a build of its own.
    if (fault !== undefined) appendFileSync(library, fault);
    spec = `${plugin}=${library}`;
    if (fault !== undefined) Object.assign(env, { PJRT_FAULTS_BASE: base, PJRT_FAULT: fault });
  }
  const reports = [
    '--report',
    'html',
    '--report',
    'markdown',
    '--junit-hostname',
    'build-host',
    '--output',
    join(SCRATCH, name),
  ];
  command(['run', '--plugin', spec, ...args, ...reports], env);
  return name;
}

/** @param cwd paths of suites are relative to it */
function command(args: readonly string[], env: Record<string, string> = {}, cwd = packagePath()): void {
  const { status, signal } = spawnSync(process.execPath, [COMMAND, ...args, '--quiet'], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
    // The link above is the cache, wherever that is on this machine.
    env: {
      ...process.env,
      PJRT_CONFORMANCE_CACHE: undefined,
      XDG_CACHE_HOME: join(SCRATCH, 'cache'),
      TPU_SKIP_MDS_QUERY: '1',
      ...env,
    },
  });
  if (!EXPECTED_EXITS.includes(status as number)) throw new Error(`${args.join(' ')}: ended with ${signal ?? status}`);
}

function keep(name: string, directory: string, files: readonly string[]): void {
  mkdirSync(join(KEPT, name), { recursive: true });
  for (const file of files) {
    const from = join(SCRATCH, directory, file);
    if (readFileSync(from, 'utf8').includes(packagePath('/')))
      throw new Error(`${from} names a path of this checkout: remove plugins/reference/prebuilt, and record again`);
    copyFileSync(from, join(KEPT, name, file));
    console.log(`  ${name}/${file} ${Math.round(statSync(from).size / 1024)} KB`);
  }
}
