import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { getPriority } from 'node:os';
import koffi from 'koffi';
import { c } from './libc.ts'; // also sets the stack sizes before anything is loaded

const linux = process.platform === 'linux';
const libc = koffi.load(linux ? 'libc.so.6' : 'libSystem.B.dylib');
const libm = linux ? koffi.load('libm.so.6') : libc;

const sigaction = libc.func('int sigaction(int signal, void* action, void* old)') as (
  signal: number,
  action: null,
  old: Uint8Array,
) => number;
const setlocale = libc.func('const char* setlocale(int category, void* locale)') as (
  category: number,
  locale: null,
) => string | null;
const getcwd = libc.func('void* getcwd(void* buffer, size_t size)') as (buffer: Uint8Array, size: number) => unknown;
const fegetround = libm.func('int fegetround()') as () => number;
const fegetenv = libm.func('int fegetenv(void* environment)') as ((environment: Uint8Array) => number) & {
  async(environment: Uint8Array, done: (error: unknown) => void): void;
};
const waitid = libc.func('int waitid(int type, unsigned int id, void* info, int options)') as (
  type: number,
  id: number,
  info: Uint8Array,
  options: number,
) => number;
const getitimer = libc.func('int getitimer(int which, void* value)') as (which: number, value: Uint8Array) => number;

/** State of the process, or of the calling thread, that a library should not change. */
export interface ProcessState {
  /** Address of each signal's handler: 0 default, 1 ignored. Only signals that can be handled. */
  signalHandlers: Map<string, bigint>;
  /** The rounding mode of this thread in words. */
  roundingMode: string;
  /** Control bits of this thread's floating-point unit: precision, masked exceptions, flushing of subnormals. */
  floatControl: string;
  locale: string;
  workingDirectory: string;
  environment: Record<string, string>;
  umask: number;
  /** Resource limits by name. */
  limits: Record<string, string>;
  /** Whether the symbols of a plugin are visible to libraries that are loaded later: where GetPjrtApi is, 0 for nowhere. */
  globalEntry: bigint;
  /** Open descriptors and their targets. */
  descriptors: Map<number, string>;
  threads: number[];
  /** What the system says of each thread, by its id. */
  threadStates: Map<number, ThreadState>;
  /** Processors that the parent of this process may use: no plugin changes them. */
  parentProcessors: string;
  /** The nice value of this thread. */
  priority: number;
  /** Interval timers that will send a signal. */
  timers: string[];
  /** Process ids of children that live, or that nobody has waited for. */
  children: number[];
}

/** What belongs to one thread, in the words of the system. */
interface ThreadState {
  name: string;
  blockedSignals: string;
  processors: string;
}

const SIGNALS: readonly [number, string][] = [
  [1, 'SIGHUP'],
  [2, 'SIGINT'],
  [3, 'SIGQUIT'],
  [4, 'SIGILL'],
  [5, 'SIGTRAP'],
  [6, 'SIGABRT'],
  [7, 'SIGBUS'],
  [8, 'SIGFPE'],
  [10, 'SIGUSR1'],
  [11, 'SIGSEGV'],
  [12, 'SIGUSR2'],
  [13, 'SIGPIPE'],
  [14, 'SIGALRM'],
  [15, 'SIGTERM'],
  [16, 'SIGSTKFLT'],
  [17, 'SIGCHLD'],
  [18, 'SIGCONT'],
  [20, 'SIGTSTP'],
  [21, 'SIGTTIN'],
  [22, 'SIGTTOU'],
  [23, 'SIGURG'],
  [24, 'SIGXCPU'],
  [25, 'SIGXFSZ'],
  [26, 'SIGVTALRM'],
  [27, 'SIGPROF'],
  [28, 'SIGWINCH'],
  [29, 'SIGIO'],
  [30, 'SIGPWR'],
  [31, 'SIGSYS'],
];

/** The name of a signal; its number if it has none, or cannot be handled. */
export const signalName = (signal: number): string =>
  SIGNALS.find(([number]) => number === signal)?.[1] ?? `signal ${signal}`;

/** The rounding modes of fegetround, by the order of their numbers. */
const ROUNDING =
  process.arch === 'x64' ? ['to nearest', 'down', 'up', 'to zero'] : ['to nearest', 'up', 'down', 'to zero'];
const ROUNDING_UNIT = process.arch === 'x64' ? 0x400 : 0x400000;

const LC_ALL = linux ? 6 : 0;
/** In the order of their numbers. */
const TIMERS = ['ITIMER_REAL', 'ITIMER_VIRTUAL', 'ITIMER_PROF'];
/** Of any child, whether it lives or not, without taking its end from who waits for it: WNOHANG, WEXITED, WNOWAIT, __WALL. */
const LOOK_AT_CHILDREN = 0x1 | 0x4 | 0x01000000 | 0x40000000;
/** Several times as many as there are threads for them, so that most of these threads take part. */
const CALLS_ON_OTHER_THREADS = 16;

/** Whether this system exposes the state (Linux). */
export const canReadProcessState = linux;

/**
 * Reads all of it without changing anything.
 * @param known look at these threads alone: the rest takes the longer the more threads there are
 */
export function readProcessState(known?: Iterable<number>): ProcessState {
  const threads = readdirSync('/proc/self/task').map(Number);
  return {
    signalHandlers: new Map(SIGNALS.map(([number, name]) => [name, handlerOf(number)])),
    roundingMode: ROUNDING[fegetround() / ROUNDING_UNIT] ?? 'unknown',
    floatControl: floatControl(),
    locale: setlocale(LC_ALL, null) ?? '',
    workingDirectory: workingDirectory(),
    environment: { ...process.env } as Record<string, string>,
    umask: process.umask(),
    limits: limits(),
    globalEntry: c.dlsym(0n, 'GetPjrtApi') ?? 0n,
    descriptors: descriptors(),
    threads,
    threadStates: threadStates(known ?? threads),
    parentProcessors: threadStateIn(`/proc/${process.ppid}/status`)?.processors ?? '',
    priority: getPriority(),
    timers: TIMERS.filter((_, which) => isArmed(which)),
    children: hasChildren() ? children(threads) : [],
  };
}

function handlerOf(signal: number): bigint {
  const old = new Uint8Array(256);
  if (sigaction(signal, null, old) !== 0) return 0n;
  return new DataView(old.buffer).getBigUint64(0, true);
}

function floatControl(): string {
  const environment = new Uint8Array(64);
  fegetenv(environment);
  return floatControlIn(environment);
}

/** The control bits of the floating-point units of threads that make native calls for this one. */
export async function floatControlsOfOtherThreads(): Promise<Set<string>> {
  const ask = () =>
    new Promise<string>((resolve, reject) => {
      const environment = new Uint8Array(64);
      fegetenv.async(environment, (error) => (error ? reject(error) : resolve(floatControlIn(environment))));
    });
  return new Set(await Promise.all(Array.from({ length: CALLS_ON_OTHER_THREADS }, ask)));
}

/** Without the sticky exception flags, which every computation sets. */
function floatControlIn(environment: Uint8Array): string {
  const view = new DataView(environment.buffer);
  if (process.arch === 'x64') {
    const x87 = view.getUint16(0, true);
    const mxcsr = view.getUint32(28, true) & ~0x3f;
    return `x87 control 0x${x87.toString(16)}, MXCSR 0x${mxcsr.toString(16)}`;
  }
  return `FPCR 0x${view.getUint32(0, true).toString(16)}`;
}

/** From the system: Node caches its own value. */
function workingDirectory(): string {
  const buffer = new Uint8Array(4096);
  getcwd(buffer, buffer.length);
  return Buffer.from(buffer.subarray(0, buffer.indexOf(0))).toString('utf8');
}

function limits(): Record<string, string> {
  const lines = readFileSync('/proc/self/limits', 'utf8').split('\n').slice(1);
  return Object.fromEntries(lines.filter(Boolean).map((line) => [line.slice(0, 26).trim(), line.slice(26).trim()]));
}

function descriptors(): Map<number, string> {
  const found = new Map<number, string>();
  for (const name of readdirSync('/proc/self/fd')) {
    try {
      found.set(Number(name), readlinkSync(`/proc/self/fd/${name}`));
    } catch {
      // The descriptor that the listing itself used is closed by now.
    }
  }
  return found;
}

const hasChildren = (): boolean => waitid(0, 0, new Uint8Array(128), LOOK_AT_CHILDREN) === 0;

function children(threads: Iterable<number>): number[] {
  const found: number[] = [];
  for (const task of threads) {
    try {
      const text = readFileSync(`/proc/self/task/${task}/children`, 'utf8');
      found.push(...text.split(' ').filter(Boolean).map(Number));
    } catch {
      // A thread that has just exited, or a kernel without this file.
    }
  }
  return found;
}

function threadStates(threads: Iterable<number>): Map<number, ThreadState> {
  const found = new Map<number, ThreadState>();
  for (const task of threads) {
    const state = threadStateIn(`/proc/self/task/${task}/status`);
    if (state) found.set(task, state);
  }
  return found;
}

/** Undefined for a thread that has just exited. */
function threadStateIn(file: string): ThreadState | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  const line = (name: string): string => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(text)?.[1] ?? '';
  return { name: line('Name'), blockedSignals: line('SigBlk'), processors: line('Cpus_allowed_list') };
}

/** A timer that will not go off holds zeros: the interval, and the time that is left. */
function isArmed(which: number): boolean {
  const value = new Uint8Array(32);
  return getitimer(which, value) === 0 && value.some((byte) => byte !== 0);
}
