import { spawn } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';
import { scratchDirectory } from '../../harness/base/scratch.ts';
import { findFormat } from '../../harness/report/index.ts';
import { peakBytes, processorMs } from './process-cost.ts';
import { writeSyntheticLog } from './synthetic-log.ts';

const POLL_MS = 2;
/** In addition to JUnit and JSON, which `report` always writes. */
const FORMATS = ['html', 'markdown'].filter((name) => findFormat(name));

interface MeasuredReport {
  logBytes: number;
  wallMs: number;
  /** More reliable than wall time while other programs run. */
  processorMs: number;
  peakBytes: number;
}

/** Cost of writing JUnit, JSON, HTML and Markdown from a log of this many cases. */
export async function measureReport(cases: number): Promise<MeasuredReport> {
  const directory = scratchDirectory('bench');
  const log = join(directory, 'events.jsonl');
  try {
    writeSyntheticLog(log, cases);
    const args = ['report', log, '--quiet', '--no-github', ...FORMATS.flatMap((name) => ['--report', name])];
    const began = performance.now();
    const child = spawn(process.execPath, [packagePath('dist', 'cli', 'main.js'), ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    let peak = 0;
    let busyMs = 0;
    const poll = setInterval(() => {
      peak = Math.max(peak, peakBytes(child.pid!));
      busyMs = Math.max(busyMs, processorMs(child.pid!));
    }, POLL_MS);
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
    const wallMs = performance.now() - began;
    clearInterval(poll);
    // The run of the log violates MUSTs.
    if (code !== 1) throw new Error(`report ended with ${code}`);
    return { logBytes: statSync(log).size, wallMs, processorMs: busyMs, peakBytes: peak };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
