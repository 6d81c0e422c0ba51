import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Backtrace } from '../model/backtrace.ts';
import type { CallTrace, CapturedText, CaseResult } from '../model/case-result.ts';
import { BreadcrumbReader, type Crumb, type Ended } from './breadcrumb-reader.ts';
import type { Missed } from './deadlines.ts';
import type { Examine } from './debuggers/examine.ts';
import type { Forked } from './fork-worker.ts';
import { countGarbage } from './garbage.ts';
import type { MemoryLimit, MemoryLoss } from './memory-limit.ts';
import { type Listener, OutputSplitter } from './output-splitter.ts';
import { untilQuiet } from './quiet-pipes.ts';
import { vitalSigns } from './vital-signs.ts';
import { DEBUGGER } from './wire/breadcrumb-layout.ts';
import { Channel } from './wire/channel.ts';
import type { FromWorker, ToWorker, WorkerSetup } from './wire/protocol.ts';

/** What a worker wrote. */
type Output = Pick<CaseResult, 'stdout' | 'stderr'>;

/** How a worker process ended. */
export interface Death {
  signal: NodeJS.Signals | undefined;
  /** Also set if the process called `exit` and then died or hung in it. */
  exitCode: number | undefined;
  /** Last breadcrumb. */
  crumb: Crumb | undefined;
  /** Last native calls. */
  trace: CallTrace | undefined;
  /** What the handler of the signal saw, unless the plugin has one of its own. */
  ended: Ended | undefined;
  /** What became of its channel to the parent while it was alive: it was closed, or something came that is no message. */
  channel: 'closed' | { noise: string } | undefined;
  /** The error of the harness itself that ended it, with its stack. */
  fault: string | undefined;
  /** Why the parent killed it, if it did. */
  killedFor: string | undefined;
  /** The missed deadline. */
  missed: Missed | undefined;
  /** Still alive, because the kernel has not released it. */
  stillAlive: boolean;
  /** The kernel killed it for want of memory. */
  memory: MemoryLoss | undefined;
  /** Where it was when a signal ended it, or a deadline had passed. */
  backtrace: Backtrace | undefined;
}

/** A dying worker closes its channel a little before it has died. */
const CLOSING_MS = 500;
/** A process that a driver holds in the kernel, or a debugger, survives SIGKILL. */
const KILL_GRACE_MS = 3000;
const OUTPUT_GRACE_MS = 1000;

/** Process groups of living workers: whatever ends this process, they end with it. */
const groups = new Set<number>();

const killGroup = (group: number): void => {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // No process is left.
  }
};

/** What others have to do with a worker process. */
interface Attendants {
  memory: MemoryLimit;
  listen?: ((worker: number, stream: 'stdout' | 'stderr') => Listener) | undefined;
  /** Looks at it before it ends. */
  examine?: Examine | undefined;
  /** A debugger will attach to it. */
  traceable?: boolean;
}

process.on('exit', () => groups.forEach(killGroup));

/** The parent's side of one worker process. Knows nothing about cases. */
export class WorkerProcess {
  readonly number: number;
  readonly pid: number;
  /** In the environment of its children, and of no others. */
  readonly mark: string;
  readonly #memory: MemoryLimit;
  readonly #examine: Examine | undefined;
  /** In progress, or over. */
  #examination: Promise<Backtrace | undefined> | undefined;
  readonly #child: ChildProcess;
  readonly #channel: Channel;
  readonly #reader: BreadcrumbReader;
  readonly #stdout: OutputSplitter;
  readonly #stderr: OutputSplitter;
  readonly ended: Promise<Death>;
  #fault: string | undefined;
  #killedFor: string | undefined;
  #missed: Missed | undefined;
  #heard = 0;
  #giveUp: () => void = () => {};
  /** Whether it was stopped when it was last looked at, and whether it was killed for that. */
  #halted = false;
  #stopped = false;
  #peakBytes: number | undefined;
  #channelFault: Death['channel'];
  #dead = false;
  #released = false;
  #debugged: Promise<void> | undefined;
  #closedStreams: string[] = [];
  /** @param question number of the question that it belongs to, as `send` returned it */
  onMessage: (message: FromWorker, question: number) => void = () => {};

  constructor(
    number: number,
    setup: Omit<WorkerSetup, 'marker'>,
    { child, breadcrumb, mark }: Forked,
    { memory, listen, examine, traceable = false }: Attendants,
  ) {
    this.number = number;
    this.mark = mark;
    this.#memory = memory;
    const marker = randomBytes(12).toString('hex');
    this.#reader = new BreadcrumbReader(breadcrumb);
    this.#examine = examine;
    if (examine) this.#reader.askFor(DEBUGGER.waits);
    else if (traceable) this.#reader.askFor(DEBUGGER.mayAttach);
    this.#stdout = new OutputSplitter(marker, listen?.(number, 'stdout'));
    this.#stderr = new OutputSplitter(marker, listen?.(number, 'stderr'));
    this.#child = child;
    this.pid = this.#child.pid ?? 0;
    if (this.pid > 0) groups.add(this.pid);
    this.#child.stdout!.on('data', (chunk: Buffer) => this.#captured(this.#stdout, chunk));
    this.#child.stderr!.on('data', (chunk: Buffer) => this.#captured(this.#stderr, chunk));
    this.#child.stdout!.on('close', () => this.#streamClosed('stdout', this.#stdout));
    this.#child.stderr!.on('close', () => this.#streamClosed('stderr', this.#stderr));
    this.#child.on('error', () => {});
    this.#channel = new Channel(child, {
      message: (message, question) => {
        this.#heard++;
        // It was to be killed, and a debugger looks at it first.
        if (this.#missed && this.#examination) return;
        if (message.type === 'fault') this.#fault = message.error;
        else this.onMessage(message, question);
      },
      noise: (noise) => this.#spoil({ noise }, 'it sent something that is no message'),
      closed: () => this.#closing(),
    });
    this.ended = this.#watch();
    this.send({ type: 'setup', setup: { ...setup, marker } });
  }

  /** @returns the number of the question, which its answers have */
  send(message: ToWorker): number {
    return this.#channel.send(message);
  }

  /** A message came that answers nothing. @param what what is wrong with it */
  refuse(what: string): void {
    this.#channel.noise(what);
  }

  /** A dying worker closes its channel too; one that stays alive has closed it. */
  #closing(): void {
    setTimeout(() => {
      if (this.#dead || this.#killedFor !== undefined) return;
      const signs = vitalSigns(this.pid);
      if (signs?.ending) this.#closing();
      else this.#spoil('closed', 'its message channel was closed');
    }, CLOSING_MS).unref();
  }

  #spoil(fault: Death['channel'], reason: string): void {
    if (this.#dead || this.#channelFault !== undefined) return;
    this.#channelFault = fault;
    this.kill(reason);
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** Streams that the plugin has closed since the last call. */
  takeClosedStreams(): string[] {
    return this.#closedStreams.splice(0);
  }

  #captured(splitter: OutputSplitter, chunk: Buffer): void {
    this.#heard++;
    splitter.add(chunk);
    countGarbage(chunk.length);
  }

  #streamClosed(name: string, splitter: OutputSplitter): void {
    splitter.close();
    if (!this.#dead) this.#closedStreams.push(name);
  }

  crumb(): Crumb | undefined {
    return this.#dead ? undefined : this.#reader.read();
  }

  /** The last native calls of the running case; for a dead worker, see its death. */
  trace(): CallTrace | undefined {
    return this.#dead ? undefined : this.#reader.trace();
  }

  /** Kills the worker and everything in its process group. */
  kill(reason: string, missed?: Missed): void {
    if (this.#killedFor === undefined) {
      this.#killedFor = reason;
      this.#missed = missed;
      if (missed && this.#examine && !this.#examination) {
        this.#examination = this.#examine(this.pid, false);
        void this.#examination.finally(() => this.#end());
        return;
      }
    }
    this.#end();
  }

  /** It is in a debugger, until the promise resolves: it has not ended before the user has left that. */
  inDebugger(ended: Promise<void>): void {
    this.#debugged = ended;
  }

  /** Whether a debugger looks at it: it stands still meanwhile. */
  get examined(): boolean {
    return this.#examination !== undefined && !this.#released;
  }

  /** To be called often: has a process looked at that is about to die. */
  attend(): void {
    if (!this.#examine || this.#examination || this.#dead || !this.#reader.dying) return;
    this.#examination = this.#examine(this.pid, true);
    void this.#examination.finally(() => {
      this.#released = true;
      if (!this.#dead) this.#reader.askFor(DEBUGGER.mayAttach);
    });
  }

  #end(): void {
    setTimeout(() => this.#giveUp(), KILL_GRACE_MS).unref();
    this.#killGroup();
  }

  /** To be called from time to time: only a living process shows how much memory it holds, and whether it is stopped. */
  look(): void {
    const signs = this.#dead ? undefined : vitalSigns(this.pid);
    this.#peakBytes = signs?.peakBytes ?? this.#peakBytes;
    // Twice, because what stopped this process too may continue both.
    if (signs?.stopped && this.#halted && !this.#stopped) {
      this.#stopped = true;
      this.#end();
    }
    this.#halted = signs?.stopped === true;
  }

  #killGroup(): void {
    if (this.pid > 0) killGroup(this.pid);
  }

  /** Both streams of a case, complete up to the end marker (or whatever has arrived after a short grace period). */
  async output(number: number): Promise<Output> {
    const over = new AbortController();
    const grace = sleep(OUTPUT_GRACE_MS, undefined, { signal: over.signal }).catch(() => {});
    await Promise.race([Promise.all([this.#stdout.whenComplete(number), this.#stderr.whenComplete(number)]), grace]);
    over.abort();
    return this.outputSoFar(number);
  }

  outputSoFar = (number: number): Output => this.#both((stream) => stream.take(number));

  /** Output outside cases. */
  outputBetween = (): Output => this.#both((stream) => stream.takeBetween());

  #both(take: (stream: OutputSplitter) => CapturedText | undefined): Output {
    const [stdout, stderr] = [take(this.#stdout), take(this.#stderr)];
    return { ...(stdout ? { stdout } : {}), ...(stderr ? { stderr } : {}) };
  }

  async #watch(): Promise<Death> {
    const closing = new Promise((resolve) => this.#child.once('close', resolve));
    let stillAlive = false;
    const [exitCode, last] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
      this.#child.once('exit', (code, by) => resolve([code, by]));
      this.#child.once('error', () => resolve([null, null]));
      this.#giveUp = () => {
        stillAlive = true;
        resolve([null, 'SIGKILL']);
      };
    });
    const signal = this.#stopped && this.#killedFor === undefined && last === 'SIGKILL' ? 'SIGSTOP' : last;
    const crumb = this.#reader.read();
    const trace = this.#reader.trace();
    const ended = signal === null ? undefined : this.#reader.ended(signal);
    this.#dead = true;
    this.#killGroup();
    const backtrace = await this.#examination;
    await this.#debugged;
    if (!stillAlive) groups.delete(this.pid);
    await untilQuiet(closing, () => this.#heard);
    this.#stdout.close();
    this.#stderr.close();
    this.#letGo();
    this.#reader.close();
    // What ended by itself was not killed for what it had sent.
    const killed = this.#channelFault === undefined || signal === 'SIGKILL';
    const channel = crumb?.closed && signal === 'SIGKILL' ? 'closed' : killed ? this.#channelFault : undefined;
    const exited = channel ? undefined : crumb?.exited;
    return {
      signal: exited === undefined ? (signal ?? undefined) : undefined,
      exitCode: exitCode ?? exited,
      crumb,
      trace,
      // A fault while the process exits says nothing of why it does.
      ended: exited === undefined ? ended : undefined,
      channel,
      fault: this.#fault,
      killedFor: exited === undefined && killed ? this.#killedFor : undefined,
      missed: exited === undefined ? this.#missed : undefined,
      stillAlive,
      // What the plugin has survived is not why it ended.
      backtrace: ended || this.#missed ? backtrace : undefined,
      memory: signal === 'SIGKILL' && this.#killedFor === undefined && !channel ? this.#memoryLoss() : undefined,
    };
  }

  #memoryLoss(): MemoryLoss | undefined {
    return this.#memory.takeKill() ? { heldBytes: this.#peakBytes, limitBytes: this.#memory.bytes } : undefined;
  }

  /** Releases everything that others may hold open indefinitely, which would keep this process alive. */
  #letGo(): void {
    this.#child.stdout!.destroy();
    this.#child.stderr!.destroy();
    this.#channel.close();
    this.#child.unref();
  }
}
