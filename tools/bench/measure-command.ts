import { spawn } from 'node:child_process';
import { packagePath } from '../../harness/base/paths.ts';
import { peakBytes, processorMs } from './process-cost.ts';

const POLL_MS = 2;

/** What a command took. */
export interface MeasuredCommand {
  wallMs: number;
  /** More reliable than wall time while other programs run. */
  processorMs: number;
  peakBytes: number;
}

/** Runs the built command, which must end with this exit code. */
export async function measureCommand(args: readonly string[], exitCode: number): Promise<MeasuredCommand> {
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
  if (code !== exitCode) throw new Error(`${args[0]} ended with ${code}`);
  return { wallMs, processorMs: busyMs, peakBytes: peak };
}
