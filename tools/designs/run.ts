import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { scratchDirectory } from '../../harness/base/scratch.ts';
import { foldRun, type Run } from '../../harness/model/run.ts';
import { readEvents } from '../../harness/report/index.ts';
import { writeManifest } from './plugin.ts';

interface RunRequest {
  /** The built command. */
  command: string;
  manifest: Record<string, unknown>;
  cases?: readonly string[] | undefined;
  workers?: number | undefined;
  /** Further arguments of `run`. */
  more: readonly string[];
}

/** Runs the command on a plugin by its manifest, as a vendor would, and reads its log. */
export async function runOn(request: RunRequest): Promise<Run> {
  const directory = scratchDirectory('designs');
  try {
    mkdirSync(join(directory, 'tmp'));
    const args = [
      ...[request.command, 'run', '--plugin', writeManifest(directory, request.manifest), '--output', 'out'],
      ...['--quiet', '--no-fetch', '--no-config', '--no-github'],
      ...(request.cases ?? []).flatMap((glob) => ['--tests', glob]),
      ...(request.workers === undefined ? [] : ['--workers', String(request.workers)]),
      ...request.more,
    ];
    const child = spawn(process.execPath, args, {
      cwd: directory,
      env: { ...process.env, NO_COLOR: '1', TMPDIR: join(directory, 'tmp') },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk) => (said += chunk));
    const exitCode = await new Promise<number | null>((resolve) => child.on('close', resolve));
    const log = join(directory, 'out', 'events.jsonl');
    if (!existsSync(log)) throw new Error(`the command wrote no log (exit code ${exitCode})\n${said}`);
    return foldRun(readEvents(log));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
