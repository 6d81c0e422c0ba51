import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { packagePath } from '../../harness/base/paths.ts';
import { type Fault, RUN } from './catalogue.ts';
import { couldCatch, type Judgement, judge } from './judge.ts';
import { wrappingFaults } from './library.ts';
import { asDefaultCaller, caseDigest, casesById, type Extent, type Plan, planFaults } from './plan.ts';
import { loadScore } from './report.ts';
import { type FaultRecord, ResultStore } from './results.ts';
import { type Base, limitOf, pluginWith, runCases } from './runs.ts';

export interface Request extends Extent {
  /** The built command. */
  command: string;
  faults: readonly Fault[];
  /** Maximum number of concurrent runs. */
  workers: number;
  /** Reuse results of earlier runs with the same fault, base and cases. */
  resume: boolean;
}

interface Outcome {
  records: ReadonlyMap<string, FaultRecord>;
  /** Cases that ran on some fault. */
  ran: ReadonlySet<string>;
}

/** Plants faults in a plugin, one after another, and runs the cases that could detect them and pass without the fault. */
export async function runCatalogue(base: Base, request: Request): Promise<Outcome> {
  const campaign = new Campaign(base, request, await planFaults(request.faults, base, request));
  await campaign.runClean();
  await campaign.runFaults();
  return campaign;
}

class Campaign implements Outcome {
  readonly records = new Map<string, FaultRecord>();
  readonly ran = new Set<string>();
  readonly #base: Base;
  readonly #request: Request;
  readonly #plans: readonly Plan[];
  readonly #store: ResultStore;
  readonly #wrapping = wrappingFaults();

  constructor(base: Base, request: Request, plans: readonly Plan[]) {
    this.#base = base;
    this.#request = request;
    this.#plans = plans;
    this.#store = new ResultStore(packagePath('build', 'mutation', `${base.name}.jsonl`));
  }

  /** Runs the clean base on every case that some fault needs and that has no result yet. */
  async runClean(): Promise<void> {
    const groups = new Map<string, { plan: Plan; ids: Set<string> }>();
    for (const plan of this.#plans.flatMap((p) => (p.fault.asApi === undefined ? [p] : [p, asDefaultCaller(p)]))) {
      const group = groups.get(plan.setting) ?? { plan, ids: new Set<string>() };
      for (const id of plan.cases) if (this.#store.clean(this.#cleanKey(plan, id)) === undefined) group.ids.add(id);
      groups.set(plan.setting, group);
    }
    for (const { plan, ids } of groups.values()) {
      if (ids.size === 0) continue;
      console.log(`the clean base: ${ids.size} cases`);
      const { seen } = await runCases({
        command: this.#request.command,
        ...pluginWith(plan.fault, '', this.#base, plan.libraries),
        cases: [...ids],
        workers: availableParallelism(),
      });
      this.#store.addClean(
        [...ids].map((id) => ({
          key: this.#cleanKey(plan, id),
          id,
          status: seen.statuses.get(id) ?? ('notrun' as const),
        })),
      );
    }
  }

  async runFaults(): Promise<void> {
    // A long one at the end would run alone.
    const long = loadScore().faults;
    const seconds = ({ fault }: Plan): number => long[fault.name]?.seconds ?? 0;
    const queue = this.#plans.toSorted((a, b) => seconds(b) - seconds(a));
    let done = 0;
    const lane = async (): Promise<void> => {
      for (let plan = queue.shift(); plan; plan = queue.shift()) {
        const { fault } = plan;
        const cases = this.#passing(plan);
        const key = digest(plan.key, cases);
        const known = this.#request.resume ? this.#store.fault(key) : undefined;
        const record = known ?? (await this.#runFault(plan, cases, key));
        if (!known) this.#store.addFault(record);
        this.records.set(fault.name, record);
        for (const id of cases) this.ran.add(id);
        done += 1;
        const by = record.trouble ?? record.caughtBy ?? '';
        console.log(
          `${String(done).padStart(3)}/${this.#plans.length} ${record.outcome.padEnd(10)} ${fault.name}${by ? `  ${by}` : ''}${callerNote(fault, record)}  (${record.failing.length} of ${record.cases}, ${record.seconds.toFixed(1)} s)`,
        );
      }
    };
    await Promise.all(Array.from({ length: Math.max(1, this.#request.workers) }, lane));
  }

  async #runFault(plan: Plan, cases: readonly string[], key: string): Promise<FaultRecord> {
    const { fault } = plan;
    const head = { kind: 'fault' as const, key, name: fault.name, cases: cases.length };
    if (!this.#applies(plan, cases))
      return { ...head, outcome: 'absent', reason: this.#idleReason(plan), failing: [], seconds: 0 };
    const { judgement, seconds } = await this.#judged(plan, cases);
    const record = { ...head, ...judgement, seconds: Math.round(seconds * 10) / 10 };
    if (fault.asApi === undefined) return record;
    const plain = asDefaultCaller(plan);
    return { ...record, byDefault: (await this.#judged(plain, this.#passing(plain))).judgement.outcome };
  }

  async #judged(plan: Plan, cases: readonly string[]): Promise<{ judgement: Judgement; seconds: number }> {
    const { fault } = plan;
    const run = {
      command: this.#request.command,
      ...pluginWith(fault, fault.name, this.#base, plan.libraries),
      limit: this.#request.within ? 1 : limitOf(fault),
    };
    const catching = cases.filter((id) => couldCatch(fault, id, casesById.get(id)!.covers));
    let seconds = 0;
    if (this.#base.design && catching.length > 0) {
      // One that detects it is enough here, and there nearly always is one.
      const first = await runCases({ ...run, limit: 1, cases: catching });
      const judgement = judge(fault, catching, first.seen, first.report);
      seconds += first.seconds;
      if (judgement.outcome === 'detected') return { judgement, seconds };
    }
    const { seen, report, seconds: all } = await runCases({ ...run, cases });
    const judgement = judge(fault, cases, seen, report);
    seconds += all;
    // On another design, what is offered may never be asked for by a case that passes there.
    const idle = this.#base.design && (report.marks || this.#wrapping.has(fault.name)) && !report.reached;
    if (idle && judgement.outcome === 'missed') {
      return { judgement: { outcome: 'absent', reason: 'no case calls what it changes', failing: [] }, seconds };
    }
    // Other cases may have failed first, so many that the run ended before the cases of the fault, or a function was not called again.
    const late = catching.filter((id) => (seen.statuses.get(id) ?? 'skip') === 'skip');
    if (judgement.outcome !== 'wrong-case' || late.length === 0) return { judgement, seconds };
    const second = await runCases({ ...run, cases: late });
    const again = judge(fault, late, second.seen, second.report);
    const failing = [...judgement.failing, ...again.failing];
    return {
      judgement: again.outcome === 'missed' ? judgement : { ...again, failing },
      seconds: seconds + second.seconds,
    };
  }

  /** Whether these cases, which pass without the fault, can decide on it. On another design one must be about it. */
  #applies({ fault }: Plan, cases: readonly string[]): boolean {
    if (this.#request.within && cases.length === 0) return false;
    if (!this.#base.design || fault.cases.includes(RUN)) return cases.length > 0;
    return cases.some((id) => couldCatch(fault, id, casesById.get(id)!.covers));
  }

  /** Why a fault cannot be decided: results on the clean base of the cases that could detect it. */
  #idleReason(plan: Plan): string {
    const catching = plan.cases.filter((id) => couldCatch(plan.fault, id, casesById.get(id)!.covers));
    const statuses = new Set(catching.map((id) => this.#store.clean(this.#cleanKey(plan, id)) ?? 'notrun'));
    return `no case that could catch it passes: ${[...statuses].sort().join(', ') || 'there is none'}`;
  }

  /** Cases of a plan that pass on the clean base. */
  #passing(plan: Plan): string[] {
    return plan.cases.filter((id) => this.#store.clean(this.#cleanKey(plan, id)) === 'pass');
  }

  #cleanKey(plan: Plan, id: string): string {
    return digest(plan.setting, this.#base.sha256, caseDigest(id));
  }
}

/** Result of a fault for another consumer with that consumer, and with the default one. */
function callerNote({ asApi }: Fault, { byDefault }: FaultRecord): string {
  return asApi === undefined ? '' : `  (as ${asApi}; by default: ${byDefault ?? 'not run'})`;
}

function digest(...parts: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 24);
}
