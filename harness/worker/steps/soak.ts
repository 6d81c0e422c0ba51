import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Resource, StepBody } from '../../suite/types.ts';
import { Arena } from '../ffi/memory.ts';
import { collectGarbage, heapInUse, mappedBytes, residentBytes } from '../ffi/memory-use.ts';
import type { CallRecording } from '../pjrt/call-recording.ts';
import type { CaseContext } from './context.ts';
import { iterate, type RunStep } from './loop.ts';
import { CheckFailure } from './outcome.ts';

type Soak = Extract<StepBody, { verb: 'soak' }>;

const MIB = 1 << 20;
const KIB = 1 << 10;
/** A leak grows in every phase; a cache that fills up does not. */
const PHASES = 3;
/** Bytes of memory that a round must lose, unless the step says so. */
const LEAST = 2 * KIB;

/** Levels are read again, so often at most, so many milliseconds later, while they change by more than this part of a limit. */
const SETTLING = { reads: 10, ms: 5, part: 1 / 8 };

/** What a soak may use up, where the system says how much there is. */
interface Measure {
  name: string;
  now: () => number | undefined;
  /** Growth of a phase that proves nothing. */
  limit: (rounds: number, bytes: number, least: number) => number;
  show: (amount: number) => string;
}

const inKib = (amount: number): string => `${Math.round(amount / KIB)} KiB`;

// What is leaked must show against the allowance for caches and fragmentation, or the step would prove nothing. Allocators keep
// some of the memory that other threads free, in blocks as large as what was made.
const MEASURES: Readonly<Record<Resource, Measure>> = {
  threads: { name: 'the number of threads', now: () => entries('task'), limit: () => 0, show: String },
  descriptors: { name: 'the number of descriptors', now: () => entries('fd'), limit: () => 0, show: String },
  allocated: {
    name: 'allocated memory',
    now: heapInUse,
    limit: (rounds, _, least) => Math.max(24 * KIB, least * rounds),
    show: inKib,
  },
  memory: {
    name: 'memory',
    now: residentBytes,
    limit: (rounds, bytes) => Math.max(8 * MIB, (bytes * rounds) / 4),
    show: inKib,
  },
  addresses: {
    name: 'address space',
    now: mappedBytes,
    limit: (rounds, bytes) => Math.max(4 * MIB, 16 * KIB * rounds, (bytes * rounds) / 8),
    show: inKib,
  },
};

/** What is looked at in any case, because its growth explains that of memory. */
const EXPLAINS: readonly Resource[] = ['threads', 'descriptors'];

/** How often something is done, and what it may use up meanwhile. */
export interface Repetition extends Pick<Soak, 'bytes' | 'least' | 'mayNotGrow'> {
  rounds: number;
  /** Runs so many rounds. */
  phase(): Promise<void>;
  /** What is to know of the rounds. */
  recording: CallRecording | undefined;
}

/** What grew in every phase, the most specific first, and by how much; undefined if nothing did that may not. */
export async function growthOf(repetition: Repetition) {
  const { rounds, bytes = 0, least = LEAST, mayNotGrow, phase, recording } = repetition;
  const watched = mayNotGrow ?? (Object.keys(MEASURES) as Resource[]);
  // Threads and descriptors take memory, and memory is in the address space.
  const names = (Object.keys(MEASURES) as Resource[]).filter(
    (name) => EXPLAINS.includes(name) || watched.includes(name),
  );
  const measures = names.map((name) => MEASURES[name]);
  const limits = measures.map(({ limit }) => limit(rounds, bytes, least));
  const levelsNow = async (): Promise<(number | undefined)[]> => {
    await collectGarbage();
    // What the compiler of JavaScript takes for a moment would hide what a phase leaves.
    let levels = measures.map(({ now }) => now());
    for (let read = 1; read < SETTLING.reads; read++) {
      await delay(SETTLING.ms);
      const before = levels;
      levels = measures.map(({ now }) => now());
      if (levels.every((level = 0, i) => Math.abs(level - (before[i] ?? 0)) <= limits[i]! * SETTLING.part)) break;
    }
    return levels;
  };
  const known = {
    rounds,
    phases: PHASES,
    limits: Object.fromEntries(watched.map((name) => [name, MEASURES[name].limit(rounds, bytes, least)])),
  };
  recording?.growth({ edge: 'begin', ...known });
  // What earlier work has left to collect must not hide what the first phase leaves.
  await levelsNow();
  await phase();
  let levels = await levelsNow();
  const growth = measures.map((): number[] => []);
  let growing = measures.map((_, i) => i);
  for (let i = 0; i < PHASES && growing.length > 0; i++) {
    await phase();
    const after = await levelsNow();
    for (const j of growing) growth[j]!.push((after[j] ?? 0) - (levels[j] ?? 0));
    levels = after;
    growing = growing.filter((j) => growth[j]!.at(-1)! > limits[j]!);
  }
  const hasGrown = growing.some((i) => watched.includes(names[i]!));
  const [of] = growing.map((i) => measures[i]!.name);
  const what = `${of} grew in each of ${PHASES} phases of ${rounds} rounds`;
  recording?.growth({ edge: 'end', ...known, ...(hasGrown && { what }) });
  if (!hasGrown) return undefined;
  const details = growing.map((i) => {
    const { name, show } = measures[i]!;
    const grown = growth[i]!.map(show).join(', ');
    return `${name === of ? 'growth of the phases' : `growth of ${name}`}: ${grown}; allowed: ${show(limits[i]!)}`;
  });
  return { what, detail: details.join('\n') };
}

/** `soak`: the steps many times; what they use up may not grow in every phase of so many rounds. */
export async function soak(context: CaseContext, step: Soak, run: RunStep): Promise<void> {
  const { rounds, blames } = step;
  const { recording } = context.instrument;
  const phase = (): Promise<void> =>
    iterate(context, step, rounds, run, {
      label: (i) => `round ${i + 1} of ${rounds}`,
      begin: () => recording?.round(),
      memory: () => new Arena(),
    });
  const grown = await growthOf({ ...step, phase, recording });
  if (!grown) return;
  throw new CheckFailure({
    type: 'pjrt.AssertionFailed',
    // How much memory a process holds is no promise of the API; that it grows without end is strong evidence, not proof.
    level: 'should',
    message: `${grown.what} with ${blames}`,
    detail: grown.detail,
    call: blames,
  });
}

/** How many descriptors or threads the process has. */
function entries(kind: 'fd' | 'task'): number | undefined {
  return process.platform === 'linux' ? readdirSync(`/proc/self/${kind}`).length : undefined;
}
