import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { asJson } from '../../base/as-json.ts';
import { display } from '../../base/display.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import { PACKAGE_ROOT, packagePath } from '../../base/paths.ts';
import { refuseDash } from '../../base/refuse-dash.ts';
import { cleanLine } from '../../base/sanitize.ts';
import { scratchDirectory } from '../../base/scratch.ts';
import { TOOL } from '../../base/tool.ts';
import { UsageError } from '../../base/usage-error.ts';
import { foldRun, type Run } from '../../model/run.ts';
import { findFormat, lockLog, recoverLog } from '../../report/index.ts';
import { logFile } from '../../run/files/log-file.ts';
import { writeReports } from '../../run/files/report-files.ts';
import { checkStatement, readStatement } from '../../run/files/submission.ts';
import { type BundledFile, bundleManifest } from './manifest.ts';
import { writeZip } from './write-zip.ts';

export interface BundleOptions {
  /** Path of the archive. Default: `bundle.zip` beside the log. */
  output?: string;
  withPlugin?: boolean;
  /** Statement of a submission. Default: that of the run. */
  statement?: string;
}

/** A written archive. */
export interface Bundle {
  path: string;
  bytes: number;
  sha256: string;
}

/** Reports in a bundle: those that `verify` checks, and those for people. */
const FORMATS = ['junit', 'json', 'markdown', 'html'] as const;

/** Files that the expansion of the suites depends on. */
const SUITE_DATA = ['requirements.yaml', 'sets.yaml'] as const;

/** A file to be packed, before it is hashed. */
interface Source extends Omit<BundledFile, 'bytes' | 'sha256'> {
  from: string;
}

/** Packs a run, with everything needed to check it, into one archive. @throws UsageError, EventLogError, WriteFileError */
export async function bundle(log: string, options: BundleOptions, environment: CommandEnvironment): Promise<Bundle> {
  const path = logFile(log, 'bundle', environment.cwd);
  if (options.output !== undefined) refuseDash('output', options.output);
  const target = resolve(environment.cwd, options.output ?? join(dirname(path), 'bundle.zip'));
  if (target === path)
    throw new UsageError(`--output ${options.output}: that is the log; give the bundle a different name`, {
      options: ['output'],
    });
  const staging = scratchDirectory('bundle');
  const lock = await lockLog(path);
  try {
    const { events, footer } = recoverLog(path);
    const shown = display(environment.cwd, path);
    if (!footer) {
      throw new UsageError(`${shown}: the run is unfinished: ${TOOL.name} run --resume ${shown} finishes it`, {
        paths: [shown],
      });
    }
    const run = foldRun([...events, footer]);
    const sources: Source[] = [
      { path: 'events.jsonl', role: 'log', from: path },
      ...(await reportSources(run, staging, environment)),
      ...suiteSources(shown, run, environment.cwd),
      ...expectationSources(run, environment.cwd),
      ...statementSources(shown, run, options.statement, environment.cwd),
      ...(options.withPlugin ? pluginSources(run) : []),
    ];
    const files: BundledFile[] = [];
    for (const source of sources) files.push(await hashed(source));
    checkHashes(shown, run, files);
    const manifest = bundleManifest(run.header!, footer, run.plugins, files);
    await writeZip(target, [{ path: 'manifest.json', from: Buffer.from(asJson(manifest)) }, ...sources]);
  } finally {
    await lock.release();
    rmSync(staging, { recursive: true, force: true });
  }
  const { sha256, bytes } = await hashed({ path: '', role: 'log', from: target });
  return { path: target, bytes, sha256 };
}

/** The reports are written from the log again, so that none of another run is packed. */
async function reportSources(run: Run, staging: string, environment: CommandEnvironment): Promise<Source[]> {
  const formats = FORMATS.flatMap((name) => findFormat(name) ?? []);
  const files = formats.map((format) => ({ format, path: join(staging, format.file) }));
  await writeReports(run, files, { github: false }, environment);
  return files.map(({ format, path }) => ({
    path: `reports/${format.file}`,
    role: 'report',
    of: format.name,
    from: path,
  }));
}

function suiteSources(log: string, run: Run, cwd: string): Source[] {
  const suites = run.suites.map(({ suite, file, sha256: used }): Source => {
    const directories = [run.header?.invocation?.cwd ?? cwd, cwd, PACKAGE_ROOT];
    const there = directories.map((directory) => resolve(directory, file)).filter((path) => isFile(path));
    // The user's suite may have the path of one of the package: the hash shows which was run.
    const from =
      there.find((path) => createHash('sha256').update(readFileSync(path)).digest('hex') === used) ?? there[0];
    if (from === undefined)
      throw new UsageError(`${log}: a suite of the run is missing, and a bundle must contain it: ${cleanLine(file)}`, {
        paths: [log],
      });
    return { path: `suites/${plain(suite)}.yaml`, role: 'suite', of: suite, from };
  });
  const data = SUITE_DATA.map(
    (name): Source => ({ path: `suite-data/${name}`, role: 'suite-data', from: packagePath('suites', name) }),
  );
  return [...suites, ...data];
}

function expectationSources(run: Run, cwd: string): Source[] {
  const files = run.header?.expectations?.files ?? [];
  return files.map(({ file }, index) => {
    const from = resolve(run.header?.invocation?.cwd ?? cwd, file);
    if (!existsSync(from))
      throw new UsageError(`${cleanLine(file)}: the expectations file is missing, and a bundle must contain it`, {
        paths: [file],
      });
    return { path: `expectations/${index + 1}-${plain(basename(file))}`, role: 'expectations', of: file, from };
  });
}

/** The statement of a submission, which must be about this run. @throws UsageError, SuiteError */
function statementSources(log: string, run: Run, given: string | undefined, cwd: string): Source[] {
  const { mustpass, invocation } = run.header!;
  const recorded = invocation?.options.statement;
  const [file, directory] =
    given !== undefined ? [given, cwd] : [recorded as string | undefined, invocation?.cwd ?? cwd];
  if (file === undefined) return [];
  if (!mustpass) {
    const message = `--statement ${file}: ${log} is not a run for a submission: run --mustpass makes one`;
    throw new UsageError(message, { options: ['statement'] });
  }
  const { path, sha256 } = run.plugins[0]!;
  const list = { profile: mustpass.profile, release: { version: mustpass.version } };
  checkStatement(readStatement(file, directory), file, list, { library: path, sha256 });
  return [{ path: 'statement.yaml', role: 'statement', from: resolve(directory, file) }];
}

function pluginSources(run: Run): Source[] {
  return run.plugins.map(({ name, path }) => {
    if (!existsSync(path)) throw new UsageError(`--with-plugin: ${cleanLine(path)} no longer exists`);
    return { path: `plugin/${plain(name)}/${plain(basename(path))}`, role: 'plugin', of: name, from: path };
  });
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    // A path that cannot be examined, for example because its name is too long, is not a file either.
    return false;
  }
}

/** A file name that is valid on every system and stays in its directory. */
const plain = (name: string): string =>
  name
    .split('/')
    .map((part) => part.replace(/[^\w.+@-]/g, '_').replace(/^\.+$/, '_') || '_')
    .join('/');

async function hashed({ from, ...file }: Source): Promise<BundledFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(from)) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { ...file, bytes, sha256: hash.digest('hex') };
}

/** What is packed must be what the run used. */
function checkHashes(log: string, run: Run, files: readonly BundledFile[]): void {
  const used = new Map<string, string>();
  for (const { suite, sha256 } of run.suites) used.set(`suite ${suite}`, sha256);
  for (const { name, sha256 } of run.plugins) used.set(`plugin ${name}`, sha256);
  for (const { file, sha256 } of run.header?.expectations?.files ?? []) used.set(`expectations ${file}`, sha256);
  const changed = files.filter(({ role, of, sha256 }) => (used.get(`${role} ${of}`) ?? sha256) !== sha256);
  if (changed.length === 0) return;
  const lines = changed.map(
    ({ role, of, sha256 }) =>
      `  ${role} ${cleanLine(String(of))}: sha256 ${sha256}, in the run ${cleanLine(used.get(`${role} ${of}`)!)}`,
  );
  throw new UsageError(
    `${log}: files that the run used have changed:\n${lines.join('\n')}\n  restore them, or run again and bundle that run`,
    { paths: [log] },
  );
}
