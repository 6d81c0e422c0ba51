import { spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';
import { scratchDirectory } from '../../harness/base/scratch.ts';
import type { Event } from '../../harness/model/events.ts';
import { readEvents } from '../../harness/report/index.ts';
import { writeManifest } from '../designs/plugin.ts';

/** A plugin, ids of cases, or globs, and variables. */
export interface Request {
  manifest: Record<string, unknown>;
  cases: readonly string[];
  env: NodeJS.ProcessEnv;
  /** The crash happens once. */
  once?: boolean;
}

/** Runs the built command. @returns its log; nothing, and a message, where it wrote none */
export async function run({ manifest, cases, env, once }: Request): Promise<Event[]> {
  const directory = scratchDirectory('blame');
  try {
    const command = [packagePath('dist', 'cli', 'main.js'), 'run', '--plugin', writeManifest(directory, manifest)];
    const which = ['--suites', packagePath('tools', 'blame', 'calls.yaml'), ...cases.flatMap((id) => ['--tests', id])];
    const how = ['--output', join(directory, 'out'), '--workers', '1', '--timeout-call', '10s', '--quiet'];
    const child = spawn(process.execPath, [...command, ...which, ...how], {
      env: { ...process.env, ...env, ...(once ? { PJRT_CRASH_ONCE: join(directory, 'once') } : {}) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk) => (said += chunk));
    await new Promise((resolve) => child.on('close', resolve));
    const log = join(directory, 'out', 'events.jsonl');
    if (existsSync(log)) return [...readEvents(log)];
    console.error(said);
    return [];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
