// Puts every fault of plugins/faults into a working plugin and says which cases find it.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { packagePath } from '../../harness/paths.ts';
import { matchesCase } from '../../harness/suite/case-glob.ts';
import { type Fault, loadCatalogue, loadScore, SCORE_FILE } from './catalogue.ts';
import { couldCatch, type Judgement, judge } from './judge.ts';
import { asDefaultCaller, caseDigest, casesById, compiledSuites, type Plan, planFaults, resolveBase } from './plan.ts';
import { scoreOf, tableOf } from './report.ts';
import { type FaultRecord, ResultStore } from './results.ts';
import { limitOf, pluginWith, runCases, snapshotCommand } from './runs.ts';

const USAGE = `usage: mutation [--base xla-cpu|reference|PATH] [--fault GLOB]… [--area AREA]… [--full] [--workers N] [--resume] [--json FILE]
  --base     the plugin that faults are put into (default: reference, if it can be had, else xla-cpu)
  --fault    only faults whose name matches (repeatable)
  --area     only faults of this area (repeatable)
  --full     every case for every fault, instead of the suites that the catalogue names
  --workers  runs at the same time (default: two a core, as many a fault is waited for)
  --resume   take what build/mutation has of earlier runs with the same fault, base and cases
  --json     where to write the result (default: build/mutation/<base>.json)
  --record   write it to plugins/faults/score.json too, from which \`npm run docs\` makes docs/mutation.md`;

const { values } = parseArgs({
  options: {
    base: { type: 'string' },
    fault: { type: 'string', multiple: true },
    area: { type: 'string', multiple: true },
    full: { type: 'boolean', default: false },
    workers: { type: 'string', default: String(2 * availableParallelism()) },
    resume: { type: 'boolean', default: false },
    json: { type: 'string' },
    record: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}

const wanted = (fault: Fault): boolean =>
  (values.fault === undefined || values.fault.some((glob) => matchesCase(glob, fault.name))) &&
  (values.area === undefined || values.area.includes(fault.area));

const catalogue = loadCatalogue();
const base = await resolveBase(values.base);
const command = snapshotCommand(compiledSuites());
const file = packagePath('build', 'mutation', `${base.name}.jsonl`);
const store = new ResultStore(file);
const plans = await planFaults(catalogue.filter(wanted), base, { full: values.full });
if (plans.length === 0) {
  console.error(`no fault is selected\n${USAGE}`);
  process.exit(2);
}
const records = new Map<string, FaultRecord>();
/** Cases that ran on some fault. */
const ran = new Set<string>();
const began = performance.now();
await runClean();
await runFaults();

const score = scoreOf(base, records, ran);
const json = values.json === undefined ? packagePath('build', 'mutation', `${base.name}.json`) : resolve(values.json);
writeFileSync(json, `${JSON.stringify(score, null, 1)}\n`);
if (values.record) writeFileSync(SCORE_FILE, `${JSON.stringify(score, null, 1)}\n`);
console.log(tableOf(score, catalogue));
console.log(`${Math.round((performance.now() - began) / 1000)} s; ${json}`);
const open = Object.values(score.faults).filter(({ outcome }) => outcome !== 'detected' && outcome !== 'absent');
process.exitCode = open.length === 0 ? 0 : 1;

/** Runs the clean base on every case that some fault needs and nothing is known of yet. */
async function runClean(): Promise<void> {
  const groups = new Map<string, { plan: Plan; ids: Set<string> }>();
  for (const plan of plans.flatMap((p) => (p.fault.asApi === undefined ? [p] : [p, asDefaultCaller(p)]))) {
    const group = groups.get(plan.setting) ?? { plan, ids: new Set<string>() };
    for (const id of plan.cases) if (store.clean(cleanKey(plan, id)) === undefined) group.ids.add(id);
    groups.set(plan.setting, group);
  }
  for (const { plan, ids } of groups.values()) {
    if (ids.size === 0) continue;
    console.log(`the clean base: ${ids.size} cases`);
    const { seen } = await runCases({
      command,
      ...pluginWith(plan.fault, '', base, plan.libraries),
      cases: [...ids],
    });
    store.addClean(
      [...ids].map((id) => ({ key: cleanKey(plan, id), id, status: seen.statuses.get(id) ?? ('notrun' as const) })),
    );
  }
}

async function runFaults(): Promise<void> {
  // A long one at the end would be waited for alone.
  const long = loadScore().faults;
  const seconds = ({ fault }: Plan): number => long[fault.name]?.seconds ?? 0;
  const queue = plans.toSorted((a, b) => seconds(b) - seconds(a));
  let done = 0;
  const lane = async (): Promise<void> => {
    for (let plan = queue.shift(); plan; plan = queue.shift()) {
      const { fault } = plan;
      const cases = passing(plan);
      const key = digest(plan.key, cases);
      const known = values.resume ? store.fault(key) : undefined;
      const record = known ?? (await runFault(plan, cases, key));
      if (!known) store.addFault(record);
      records.set(fault.name, record);
      for (const id of cases) ran.add(id);
      done += 1;
      const by = record.trouble ?? record.caughtBy ?? '';
      console.log(
        `${String(done).padStart(3)}/${plans.length} ${record.outcome.padEnd(10)} ${fault.name}${by ? `  ${by}` : ''}${callerNote(fault, record)}  (${record.failing.length} of ${record.cases}, ${record.seconds.toFixed(1)} s)`,
      );
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Number(values.workers)) }, lane));
}

async function runFault(plan: Plan, cases: readonly string[], key: string): Promise<FaultRecord> {
  const { fault } = plan;
  const head = { kind: 'fault' as const, key, name: fault.name, cases: cases.length };
  if (cases.length === 0) return { ...head, outcome: 'absent', failing: [], seconds: 0 };
  const { judgement, seconds } = await judged(plan, cases);
  const record = { ...head, ...judgement, seconds: Math.round(seconds * 10) / 10 };
  if (fault.asApi === undefined) return record;
  const plain = asDefaultCaller(plan);
  return { ...record, byDefault: (await judged(plain, passing(plain))).judgement.outcome };
}

async function judged(plan: Plan, cases: readonly string[]): Promise<{ judgement: Judgement; seconds: number }> {
  const { fault } = plan;
  const request = { command, ...pluginWith(fault, fault.name, base, plan.libraries), limit: limitOf(fault) };
  const { seen, report, seconds } = await runCases({ ...request, cases });
  const judgement = judge(fault, cases, seen, report);
  // Other cases may have failed first, so many that the run ended before the cases it is about.
  const late = cases.filter((id) => couldCatch(fault, id, casesById.get(id)!.covers) && !seen.statuses.has(id));
  if (judgement.outcome !== 'wrong-case' || late.length === 0) return { judgement, seconds };
  const second = await runCases({ ...request, cases: late });
  const again = judge(fault, late, second.seen, second.report);
  const failing = [...judgement.failing, ...again.failing];
  return {
    judgement: again.outcome === 'missed' ? judgement : { ...again, failing },
    seconds: seconds + second.seconds,
  };
}

/** Cases of a plan that the clean base passes. */
function passing(plan: Plan): string[] {
  return plan.cases.filter((id) => store.clean(cleanKey(plan, id)) === 'pass');
}

/** What a fault for another caller did under it, and under the default one. */
function callerNote({ asApi }: Fault, { byDefault }: FaultRecord): string {
  return asApi === undefined ? '' : `  (as ${asApi}; by default: ${byDefault ?? 'not run'})`;
}

function cleanKey(plan: Plan, id: string): string {
  return digest(plan.setting, base.sha256, caseDigest(id));
}

function digest(...parts: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 24);
}
