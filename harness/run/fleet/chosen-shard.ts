import { UsageError } from '../../base/usage-error.ts';
import { SCHEDULERS, type Scheduler } from './schedulers.ts';
import { parseShard, type Shard, shardText } from './shard.ts';

/** The shard that `--shard` asks for. */
export interface ChosenShard extends Shard {
  /** Where a scheduler gave it: `Slurm array, SLURM_ARRAY_TASK_ID=2`. Absent if the command line did. */
  from?: string;
  /** The id of all tasks together, for schedulers that run a task again. */
  job?: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Whether the scheduler is asked for the shard. */
export const isAuto = (text: string | undefined): text is string => text !== undefined && /^auto(\/|$)/.test(text);

/**
 * The shard of `--shard`: `3/8`, `auto` (from the variables of the scheduler), or `auto/8` (only the index is from it).
 * @throws UsageError if the variables do not give one shard: none, several schedulers, contradictions
 */
export function chosenShard(text: string, variables: Variables): ChosenShard {
  if (!isAuto(text)) return parseShard(text);
  const count = text === 'auto' ? undefined : parseShard(`1/${text.slice('auto/'.length)}`).count;
  const tasks = SCHEDULERS.filter(({ index }) => isSet(variables[index])).map((scheduler) =>
    taskOf(scheduler, variables, count),
  );
  // Some systems count the task of every job, as one of one.
  const parallel = tasks.filter((task) => task.count > 1);
  const found = parallel.length > 0 ? parallel : tasks.slice(0, 1);
  if (found.length === 1) return found[0]!;
  if (found.length === 0) throw refused(noScheduler(variables));
  const all = found.map((task) => `shard ${shardText(task)} (${task.from})`).join(', ');
  throw refused(`several schedulers give this task a shard: ${all}; write the right one, as in --shard 3/8`);
}

/** Grid Engine says `undefined` outside arrays. */
const isSet = (value: string | undefined): value is string =>
  value !== undefined && value !== '' && value !== 'undefined';

const refused = (message: string): UsageError => new UsageError(`--shard auto: ${message}`, { options: ['shard'] });

function noScheduler({ GITHUB_ACTIONS }: Variables): string {
  if (GITHUB_ACTIONS === 'true') {
    return `a GitHub matrix has no variables of its own; add to the step: env: {STRATEGY_JOB_INDEX: '\${{ strategy.job-index }}', STRATEGY_JOB_TOTAL: '\${{ strategy.job-total }}'}`;
  }
  const names = SCHEDULERS.map(({ title, index }) => `${index} (${title})`).join(', ');
  return `no scheduler gives this task a shard: expected one of the variables ${names}; start the command as a task of an array, or write the shard, as in --shard 3/8`;
}

function taskOf(scheduler: Scheduler, variables: Variables, given: number | undefined): ChosenShard {
  const number = (name: string): number | undefined => {
    const value = variables[name];
    if (!isSet(value)) return undefined;
    if (!/^\d{1,9}$/.test(value)) throw refused(`${name} is ${JSON.stringify(value)}; expected a whole number`);
    return Number(value);
  };
  const { title, job } = scheduler;
  const of = (name: string | undefined): number | undefined => (name === undefined ? undefined : number(name));
  const first = typeof scheduler.first === 'number' ? scheduler.first : (of(scheduler.first) ?? 0);
  const step = of(scheduler.step) ?? 1;
  const last = of(scheduler.last);
  const counted = of(scheduler.count) ?? (last === undefined ? undefined : Math.floor((last - first) / step) + 1);
  const at = of(scheduler.index)!;
  const seen = [scheduler.index, scheduler.first, scheduler.last, scheduler.step, scheduler.count]
    .flatMap((name) => (typeof name === 'string' && isSet(variables[name]) ? [`${name}=${variables[name]}`] : []))
    .join(', ');
  const contradiction = (why: string): UsageError =>
    refused(`${title}: ${why} (${seen}); write the shard of each task, as in --shard 3/8`);
  const count = given ?? counted;
  if (count === undefined) throw refused(`${title}: ${scheduler.help ?? `${scheduler.count} is not set`}`);
  if (counted !== undefined && counted !== count) {
    throw contradiction(`--shard auto/${given} says ${given} tasks, the scheduler ${counted}`);
  }
  if (last !== undefined && first + (count - 1) * step !== last) {
    throw contradiction('the indices of its tasks have gaps, so the index does not say which of the tasks this is');
  }
  const index = (at - first) / step + 1;
  if (!Number.isInteger(index) || index < 1 || index > count) {
    throw contradiction(`${scheduler.index} is not one of ${count} tasks from ${first}`);
  }
  const id = job === undefined ? undefined : variables[job];
  return { index, count, from: `${title}, ${scheduler.index}=${at}`, ...(isSet(id) ? { job: jobOf(id) } : {}) };
}

/** The id of an AWS Batch child is `parent:index`. */
const jobOf = (id: string): string => id.replace(/:\d+$/, '');
