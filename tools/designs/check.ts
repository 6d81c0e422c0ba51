/**
 * `npm run check:designs`: the suites on valid plugins of other designs than the plain base. A MUST that is violated there
 * and not on the base is a false alarm.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { OWN_FILES } from '../../harness/base/own-files.ts';
import { packagePath } from '../../harness/base/paths.ts';
import { packageSuites } from '../../harness/run/suites/package-suites.ts';
import { selectCases } from '../../harness/suite/select.ts';
import { snapshotCommand } from '../mutation/runs.ts';
import { resolveHere } from '../resolve-here.ts';
import { runTool } from '../run-tool.ts';
import { baseName, type Design, DesignError, designNames, loadDesign } from './design.ts';
import { newlyFailing, newNotes, type Outcome, outcomeOf } from './outcome.ts';
import { type Base, buildDesigns, directoryOf, manifestOf } from './plugin.ts';
import { type DesignResult, groupsOf, tableOf } from './report.ts';
import { runOn } from './run.ts';

const USAGE = `usage: check:designs [--base xla-cpu|reference]… [--design NAME[+NAME]…]… [--all-pairs] [--gaps N] [--suite ID]… [--fresh] [-- options of run]
  --base       the plugin that designs are made of (default: both)
  --design     only these, of plugins/designs; names joined by + make one plugin that is all of them (default: each)
  --all-pairs  every two designs together, as far as they do not contradict each other
  --gaps       N plugins that answer UNIMPLEMENTED to functions chosen by chance: the designs gaps-1 to gaps-N
  --suite      only this suite, or all below it (repeatable)
  --fresh      run again what build/designs has of an earlier time with the same libraries, harness and cases
Exit code 1 when a valid plugin violates a MUST that the plain base does not violate.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    base: { type: 'string', multiple: true, default: ['xla-cpu', 'reference'] },
    design: { type: 'string', multiple: true },
    'all-pairs': { type: 'boolean', default: false },
    gaps: { type: 'string' },
    suite: { type: 'string', multiple: true, default: [] },
    fresh: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
await runTool(USAGE, values.help, main);

async function main(): Promise<boolean> {
  const names = values.base.map(baseName);
  const designs = selected();
  const library = await buildDesigns();
  const command = snapshotCommand(readFileSync(packagePath('dist', 'suites.json'), 'utf8'));
  const harness = digestOf(OWN_FILES);
  const more = [...values.suite.flatMap((suite) => ['--suite', suite]), ...positionals];
  let good = true;
  for (const name of names) {
    const base: Base = { name, plugin: await resolveHere(name) };
    const fitting = designs.filter(({ bases }) => bases?.includes(name) ?? true);
    if (fitting.length === 0) continue;
    const plain = await outcome(undefined, base, base.plugin.library);
    console.log(tableOf([{ name: `plain ${name}`, ...plain, violated: plain.outcome.violated }]));
    const results: DesignResult[] = [];
    for (const design of fitting) {
      if (!isSelected(design)) {
        console.log(`none of its cases is selected  ${design.name} on ${name}`);
        continue;
      }
      const seen = await outcome(design, base, library);
      const violated = newlyFailing(seen.outcome, plain.outcome);
      results.push({ name: design.name, ...seen, violated });
      const notes = newNotes(seen.outcome, plain.outcome);
      console.log(
        `${violated.length === 0 && notes.length === 0 ? 'no false alarm' : 'FALSE ALARM   '}  ${design.name} on ${name}`,
      );
      if (violated.length > 0) console.log(groupsOf(violated));
      for (const { message } of notes) console.log(`  ${message}`);
      if ((violated.length > 0 || notes.length > 0) && design.defect === undefined) good = false;
    }
    const file = join(directoryOf(base), 'results.json');
    writeFileSync(file, `${JSON.stringify(results, undefined, 1)}\n`);
    console.log(`\non ${name}:\n${tableOf(results)}\n${file}\n`);
  }
  return good;

  /** Results of a design, or of the plain base; cached if nothing has changed. */
  async function outcome(
    design: Design | undefined,
    base: Base,
    plugin: string,
  ): Promise<{ outcome: Outcome; seconds: number }> {
    const manifest = manifestOf(design, base, plugin);
    const { library: _, env, ...said } = manifest;
    // Paths differ between checkouts; only the contents count.
    const { PJRT_DESIGN_BASE: __, ...settings } = env as Record<string, string>;
    const parts = [said, settings, digestOf(plugin), base.plugin.sha256, harness, design?.cases, more];
    const key = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
    const file = join(directoryOf(base), `${design?.name ?? 'plain'}.json`);
    const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Stored) : undefined;
    if (!values.fresh && known?.key === key) return known;
    const began = performance.now();
    const run = await runOn({ command, manifest, cases: design?.cases, workers: design?.workers, more });
    const stored: Stored = { key, outcome: outcomeOf(run), seconds: (performance.now() - began) / 1000 };
    mkdirSync(directoryOf(base), { recursive: true });
    writeFileSync(file, `${JSON.stringify(stored, undefined, 1)}\n`);
    return stored;
  }
}

interface Stored {
  key: string;
  outcome: Outcome;
  seconds: number;
}

/** Whether `--suite` leaves a design with cases of its own any of them. */
function isSelected({ cases }: Design): boolean {
  const { suite } = values;
  if (!cases || suite.length === 0) return true;
  return selectCases(packageSuites().cases, { suites: suite, ids: cases }).cases.length > 0;
}

/** The requested designs. Those with a defect only run if named. */
function selected(): Design[] {
  if (values.gaps !== undefined) {
    const count = Number(values.gaps);
    if (!Number.isInteger(count) || count < 1) throw new DesignError(`--gaps ${values.gaps}: expected 1, 2, 3…`);
    return Array.from({ length: count }, (_, i) => loadDesign(`gaps-${i + 1}`));
  }
  if (values.design) return values.design.map(loadDesign);
  const right = designNames()
    .map(loadDesign)
    .filter(({ defect }) => defect === undefined);
  if (!values['all-pairs']) return right;
  return right.flatMap((a, i) =>
    right.slice(i + 1).flatMap((b) => {
      try {
        return [loadDesign(`${a.name}+${b.name}`)];
      } catch (error) {
        if (error instanceof DesignError) return [];
        throw error;
      }
    }),
  );
}

function digestOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
