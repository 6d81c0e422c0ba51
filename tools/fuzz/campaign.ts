import { type ChildProcess, fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { scratchDirectory } from '../../harness/base/scratch.ts';
import { exitCode } from '../../harness/verdict/exit-codes.ts';
import { processorMs } from '../bench/process-cost.ts';
import type { Message, Work } from './worker.ts';

/** An input with an incorrect answer. */
export interface Defect {
  index: number;
  surface: string;
  fault: string;
  /** The input, if known. */
  bytes?: Buffer;
}

/** Results of the inputs of one kind. */
export interface Tally {
  inputs: number;
  refused: number;
  accepted: number;
  /** Distinct answers, without input-specific parts: a measure of how deep into the readers the inputs get. */
  words: Set<string>;
  slowestMs: number;
  totalMs: number;
}

export interface Campaign {
  defects: Defect[];
  tallies: Map<string, Tally>;
}

/** CPU time after which an input counts as hanging, on any machine; and the time of waiting without CPU use. */
interface Patience {
  processorMs: number;
  waitMs: number;
}

const PATIENCE: Patience = { processorMs: 10_000, waitMs: 120_000 };
const POLL_MS = 200;
/** Below this CPU use between two checks a process is only waiting. */
const IDLE_MS = 20;
const MAX_HEAP_MB = 1024;

type CampaignWork = Omit<Work, 'from' | 'to'> & { count: number; from?: number };

/** Reads a number of inputs, in a process that is replaced if one of them kills it. */
export async function runCampaign(
  work: CampaignWork,
  progress: () => void = () => {},
  patience = PATIENCE,
): Promise<Campaign> {
  const { count, from = 0, ...rest } = work;
  const total: Campaign = { defects: [], tallies: new Map() };
  for (let next = from; next < from + count; ) {
    next = await runWorker({ ...rest, from: next, to: from + count }, total, progress, patience);
  }
  return total;
}

/** @returns the next input: the one after the one that killed the process */
async function runWorker(work: Work, total: Campaign, progress: () => void, patience: Patience): Promise<number> {
  const directory = scratchDirectory('fuzz');
  const child = fork(fileURLToPath(new URL('./worker.ts', import.meta.url)), [JSON.stringify(work)], {
    execArgv: ['--import', import.meta.resolve('tsx'), `--max-old-space-size=${MAX_HEAP_MB}`],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { ...process.env, TMPDIR: directory },
  });
  let stderr = '';
  child.stderr!.on('data', (chunk) => (stderr = `${stderr}${chunk}`.slice(-4000)));
  let reading: { index: number; surface: string } | undefined;
  let done = false;
  let hang: string | undefined;
  const watch = watchdog(child, patience, (why) => (hang = why));
  child.on('message', (message: Message) => {
    if (message.type === 'reads') {
      reading = message;
      tallyOf(total, message.surface).inputs++;
      watch.restart();
      progress();
    } else if (message.type === 'answered') {
      const tally = tallyOf(total, reading!.surface);
      if (message.exitCode === exitCode('usage')) tally.refused++;
      else tally.accepted++;
      tally.words.add(message.words);
      tally.totalMs += message.ms;
      tally.slowestMs = Math.max(tally.slowestMs, message.ms);
    } else if (message.type === 'defect') {
      const { index, surface, fault, input } = message;
      total.defects.push({ index, surface, fault, bytes: Buffer.from(input, 'base64') });
    } else done = true;
  });
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.on('close', (...end) => resolve(end)),
  );
  watch.stop();
  rmSync(directory, { recursive: true, force: true });
  if (done) return work.to;
  if (!reading) throw new Error(`the worker did not start: ${code ?? signal}\n${stderr}`);
  total.defects.push({ ...reading, fault: hang ?? `the process ended with ${code ?? signal}:\n${stderr}` });
  return reading.index + 1;
}

function tallyOf({ tallies }: Campaign, surface: string): Tally {
  const known = tallies.get(surface);
  if (known) return known;
  const tally: Tally = { inputs: 0, refused: 0, accepted: 0, words: new Set(), slowestMs: 0, totalMs: 0 };
  tallies.set(surface, tally);
  return tally;
}

function watchdog(
  child: ChildProcess,
  patience: Patience,
  hangs: (why: string) => void,
): { restart(): void; stop(): void } {
  let busy = 0;
  let last = 0;
  let idleSince: number | undefined;
  const timer = setInterval(() => {
    // Work before the first input does not count.
    if (idleSince === undefined) return;
    const now = processorMs(child.pid!);
    if (now - last >= IDLE_MS) idleSince = performance.now();
    last = now;
    const [took, waited] = [now - busy, performance.now() - idleSince];
    if (took < patience.processorMs && waited < patience.waitMs) return;
    hangs(
      took < patience.processorMs
        ? `does nothing for ${patience.waitMs} ms`
        : `takes the processor for ${patience.processorMs} ms`,
    );
    child.kill('SIGKILL');
  }, POLL_MS);
  return {
    restart: () => {
      busy = processorMs(child.pid!);
      last = busy;
      idleSince = performance.now();
    },
    stop: () => clearInterval(timer),
  };
}
