// Plants every fault of plugins/faults in a working plugin and reports which cases detect it.
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { packagePath } from '../../harness/base/paths.ts';
import { textTable } from '../../harness/base/text-table.ts';
import { matchesCase } from '../../harness/suite/case-glob.ts';
import { DesignError } from '../designs/design.ts';
import { runTool } from '../run-tool.ts';
import { runCatalogue } from './campaign.ts';
import { type Fault, loadCatalogue } from './catalogue.ts';
import {
  DESIGNS_FILE,
  type DesignScore,
  designScoreOf,
  designTable,
  faultsFor,
  loadDesignScores,
  updated,
} from './design-score.ts';
import { companionOf, compiledSuites, designBase, resolveBase } from './plan.ts';
import { scoreProfile } from './profile-run.ts';
import { loadProfileScores, PROFILES_FILE, profileLine } from './profile-score.ts';
import { kindRows, loadScore, SCORE_FILE, scoreOf, tableOf, withFaults } from './report.ts';
import { type Base, snapshotCommand } from './runs.ts';

const USAGE = `usage: mutation [--base xla-cpu|reference|PATH] [--design NAME[+NAME]…]… [--profile NAME] [--fault GLOB]… [--area AREA]… [--kind KIND]… [--sample N] [--full] [--workers N] [--resume] [--json FILE] [--record]
  --base     the plugin that faults are put into (default: reference, if it can be had, else xla-cpu)
  --design   put them into a plugin of this design made of the base (plugins/designs; repeatable); the cases that could
             catch a fault run first then, up to the one that does
  --profile  of the faults that plugins/faults/score.json has as detected: which of them the cases of this profile detect;
             only what the recorded result leaves open is run
  --fault    only faults whose name matches (repeatable)
  --area     only faults of this area (repeatable)
  --kind     only faults of this kind (repeatable); prints how many of each kind were detected
  --sample   only about one in N of those
  --full     every case for every fault, instead of the suites that the catalogue names
  --workers  concurrent runs (default: twice the cores, because most faults wait for a deadline)
  --resume   take what build/mutation has of earlier runs with the same fault, base and cases
  --json     where to write the result (default: build/mutation/<base or design>.json; one design at most)
  --record   write it to plugins/faults/score.json too, or into plugins/faults/designs.json or profiles.json: \`npm run docs\`
             makes docs/mutation.md from them`;

const { values } = parseArgs({
  options: {
    base: { type: 'string' },
    design: { type: 'string', multiple: true },
    profile: { type: 'string' },
    fault: { type: 'string', multiple: true },
    area: { type: 'string', multiple: true },
    kind: { type: 'string', multiple: true },
    sample: { type: 'string', default: '1' },
    full: { type: 'boolean', default: false },
    workers: { type: 'string', default: String(2 * availableParallelism()) },
    resume: { type: 'boolean', default: false },
    json: { type: 'string' },
    record: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
/** Whether some faults were chosen, so that a recording renews these alone. */
const isPart = values.fault !== undefined || values.area !== undefined || values.kind !== undefined;

await runTool(USAGE, values.help, main);

/** Whether every applicable fault was detected. */
async function main(): Promise<boolean> {
  const every = Number(values.sample);
  if (!Number.isInteger(every) || every < 1) throw new DesignError(`--sample ${values.sample}: expected 1, 2, 3…`);
  const catalogue = loadCatalogue();
  const base: Base = await resolveBase(values.base);
  const faults = faultsFor(catalogue, base.name, every).filter(wanted);
  if (faults.length === 0) throw new DesignError(`no fault is selected\n${USAGE}`);
  if (faults.some(({ plugins }) => plugins > 1)) base.companion = await companionOf(base);
  const run = {
    command: snapshotCommand(compiledSuites()),
    faults,
    full: values.full,
    workers: Number(values.workers),
    resume: values.resume,
  };
  if (values.profile !== undefined) {
    const score = await scoreProfile(values.profile, base, run);
    if (values.record) writeFileSync(PROFILES_FILE, textOf({ ...loadProfileScores(), [values.profile]: score }));
    console.log(
      Object.entries(score.escaped)
        .map(([fault, by]) => `escapes    ${fault}  ${by}`)
        .join('\n'),
    );
    console.log(profileLine(values.profile, score));
    return true;
  }
  let open = 0;
  // All of them are built before the first run, which takes minutes.
  const designs: Base[] = [];
  for (const name of values.design ?? []) designs.push(await designBase(name, base));
  for (const target of values.design ? designs : [base]) {
    const began = performance.now();
    const { records, ran } = await runCatalogue(target, run);
    const results = [...records.values()];
    if (target.design) {
      const score = designScoreOf(target.design.of, every, results);
      write(target, score);
      if (values.record) recordDesign(target.name, score);
      console.log(designTable(target.name, score));
    } else {
      const score = scoreOf(target, records, ran);
      write(target, score);
      if (values.record) writeFileSync(SCORE_FILE, textOf(isPart ? withFaults(loadScore(), score) : score));
      console.log(tableOf(score, catalogue));
      if (values.kind) console.log(textTable(kindRows(score, catalogue, values.kind), { gap: ' ' }).join('\n'));
    }
    console.log(`${Math.round((performance.now() - began) / 1000)} s; ${jsonOf(target)}`);
    open += results.filter(({ outcome }) => outcome !== 'detected' && outcome !== 'absent').length;
  }
  return open === 0;
}

function wanted(fault: Fault): boolean {
  return (
    (values.fault === undefined || values.fault.some((glob) => matchesCase(glob, fault.name))) &&
    (values.area === undefined || values.area.includes(fault.area)) &&
    (values.kind === undefined || values.kind.includes(fault.kind ?? ''))
  );
}

function jsonOf({ name }: Base): string {
  return values.json === undefined ? packagePath('build', 'mutation', `${name}.json`) : resolve(values.json);
}

function textOf(score: unknown): string {
  return `${JSON.stringify(score, null, 1)}\n`;
}

function write(base: Base, score: unknown): void {
  writeFileSync(jsonOf(base), textOf(score));
}

/** The file is read again, because another run may have written it. */
function recordDesign(name: string, score: DesignScore): void {
  const kept = loadDesignScores();
  const all = { ...kept, [name]: isPart ? updated(kept[name], score) : score };
  writeFileSync(DESIGNS_FILE, textOf(Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)))));
}
