import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { processorMs } from '../bench/process-cost.ts';
import type { Message, Work } from './worker.ts';

/** An input that the command does not answer as it should. */
export interface Defect {
  index: number;
  surface: string;
  fault: string;
  /** The input, where it is known. */
  bytes?: Buffer;
}

export interface Campaign {
  defects: Defect[];
  refused: number;
  accepted: number;
}

/** An input that takes the processor for longer hangs, on any machine; so does one that waits for longer. */
const MAX_PROCESSOR_MS = 20_000;
const MAX_WAIT_MS = 120_000;
const LOOK_MS = 200;
const MAX_HEAP_MB = 1024;

/** Reads so many inputs, in a process that is replaced when one of them takes it down. */
export async function runCampaign(
  work: Omit<Work, 'from' | 'to'> & { count: number; from?: number },
  progress: () => void = () => {},
): Promise<Campaign> {
  const { count, from = 0, ...rest } = work;
  const total: Campaign = { defects: [], refused: 0, accepted: 0 };
  for (let next = from; next < from + count; ) {
    next = await runWorker({ ...rest, from: next, to: from + count }, total, progress);
  }
  return total;
}

/** @returns the input to go on with: the one after the one that ended the process */
async function runWorker(work: Work, total: Campaign, progress: () => void): Promise<number> {
  const child = fork(fileURLToPath(new URL('./worker.ts', import.meta.url)), [JSON.stringify(work)], {
    execArgv: ['--import', 'tsx', `--max-old-space-size=${MAX_HEAP_MB}`],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let stderr = '';
  child.stderr!.on('data', (chunk) => (stderr = `${stderr}${chunk}`.slice(-4000)));
  let reading: { index: number; surface: string } | undefined;
  let done = false;
  let hang: string | undefined;
  const watch = watchdog(child, (why) => (hang = why));
  child.on('message', (message: Message) => {
    if (message.type === 'reads') {
      reading = message;
      watch.restart();
      progress();
    } else if (message.type === 'defect') {
      const { index, surface, fault, input } = message;
      total.defects.push({ index, surface, fault, bytes: Buffer.from(input, 'base64') });
    } else {
      done = true;
      total.refused += message.refused;
      total.accepted += message.accepted;
    }
  });
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.on('close', (...end) => resolve(end)),
  );
  watch.stop();
  if (done) return work.to;
  if (!reading) throw new Error(`the worker did not start: ${code ?? signal}\n${stderr}`);
  total.defects.push({ ...reading, fault: hang ?? `the process ended with ${code ?? signal}:\n${stderr}` });
  return reading.index + 1;
}

function watchdog(child: ChildProcess, hangs: (why: string) => void): { restart(): void; stop(): void } {
  let busy = 0;
  let since = performance.now();
  const timer = setInterval(() => {
    const took = processorMs(child.pid!) - busy;
    const waited = performance.now() - since;
    if (took < MAX_PROCESSOR_MS && (waited < MAX_WAIT_MS || took > 1000)) return;
    hangs(took < MAX_PROCESSOR_MS ? `waits for ${MAX_WAIT_MS} ms` : `takes the processor for ${MAX_PROCESSOR_MS} ms`);
    child.kill('SIGKILL');
  }, LOOK_MS);
  return {
    restart: () => {
      busy = processorMs(child.pid!);
      since = performance.now();
    },
    stop: () => clearInterval(timer),
  };
}
