import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packagePath } from '../../harness/paths.ts';
import type { JsonReport } from '../../harness/report/index.ts';

/** What one run of the built command left behind. */
export interface CliRun {
  exitCode: number | null;
  stdout: string;
  stderr: string;
  report: JsonReport;
  junit: string;
}

/** Runs `pjrt-conformance run ARGS` as it is built, in an empty folder, and reads its reports. */
export async function runCli(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<CliRun> {
  const folder = mkdtempSync(join(tmpdir(), 'pjrt-cli-'));
  try {
    const child = spawn(process.execPath, [packagePath('dist', 'cli', 'main.js'), 'run', ...args, '--output', 'out'], {
      cwd: folder,
      env: { ...process.env, NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const exitCode = await new Promise<number | null>((resolve) => child.on('close', resolve));
    const read = (name: string): string => {
      const path = join(folder, 'out', name);
      if (!existsSync(path)) throw new Error(`the run wrote no ${name} (exit code ${exitCode})\n${stdout}${stderr}`);
      return readFileSync(path, 'utf8');
    };
    return {
      exitCode,
      stdout,
      stderr,
      report: JSON.parse(read('report.json')) as JsonReport,
      junit: read('junit.xml'),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
