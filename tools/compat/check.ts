// Compares the predictions of `compat` with what JAX really does.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { packagePath } from '../../harness/base/paths.ts';
import type { ResolvedPlugin } from '../../harness/model/plugin.ts';
import { matchesCase } from '../../harness/suite/case-glob.ts';
import { buildDesigns } from '../designs/plugin.ts';
import { sourceDigests } from '../mutation/library.ts';
import { resolveHere } from '../resolve-here.ts';
import { compare } from './agreement.ts';
import type { Observation } from './observation.ts';
import { assemble, isDesigned, limitOf, loadComparison, type Recipe, type Subject } from './plugins.ts';
import { harnessDigest, predictionOf, type StoredView, viewOf } from './predictions.ts';
import { type Result, tableOf } from './report.ts';
import { runJax, SESSION } from './run-jax.ts';
import { Store } from './store.ts';

const USAGE = `usage: check:compat [--plugin GLOB]… [--group NAME]… [--release VERSION]… [--reference FILE] [--workers N] [--fresh] [--json FILE]
  --plugin     only plugins of tools/compat/plugins.yaml whose name matches (repeatable)
  --group      only plugins of this group (repeatable)
  --release    only these releases of JAX, of those in plugins.yaml (repeatable)
  --reference  a library of the reference plugin, instead of building one
  --workers    plugins at the same time (default 2), of which one runs JAX
  --fresh      find out everything again, instead of taking what build/compat has of earlier runs
  --json       where to write the result (default: build/compat/agreement.json)
Exit code 0: everything agrees, or is a limit that plugins.yaml explains. 1: it does not.`;

const { values } = parseArgs({
  options: {
    plugin: { type: 'string', multiple: true },
    group: { type: 'string', multiple: true },
    release: { type: 'string', multiple: true },
    reference: { type: 'string' },
    workers: { type: 'string', default: '2' },
    fresh: { type: 'boolean', default: false },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}

// The built command, whose workers need no translation of TypeScript.
process.execArgv = [];

const comparison = loadComparison();
const releases = comparison.releases.filter((version) => values.release?.includes(version) ?? true);
const subjects = comparison.subjects.filter(
  ({ name, group }) =>
    (values.plugin?.some((glob) => matchesCase(glob, name)) ?? true) && (values.group?.includes(group) ?? true),
);
if (releases.length === 0 || subjects.length === 0) {
  console.error(`no ${releases.length === 0 ? 'release' : 'plugin'} is selected\n${USAGE}`);
  process.exit(2);
}

const seen = new Store<Observation>(packagePath('build', 'compat', 'observations.jsonl'), values.fresh);
const views = new Store<StoredView>(packagePath('build', 'compat', 'views.jsonl'), values.fresh);
const digest = (...parts: unknown[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex');
const session = readFileSync(SESSION, 'utf8');
const harness = harnessDigest();
const known = new Map<string, Promise<ResolvedPlugin>>();

const resolvedOnce = (spec: string): Promise<ResolvedPlugin> => {
  const found = known.get(spec) ?? resolveHere(spec);
  known.set(spec, found);
  return found;
};

/** A plugin as `compat` and JAX load it, and a digest of everything it is made of. */
async function pluginOf(recipe: Recipe): Promise<{ plugin: ResolvedPlugin; env: Record<string, string>; key: string }> {
  const named = recipe.base === 'reference' && values.reference !== undefined ? resolve(values.reference) : recipe.base;
  const base = await resolvedOnce(named);
  const { library, env } = await assemble(recipe, base.library);
  const plugin = library === base.library ? base : await resolvedOnce(library);
  // New faults in the library do not affect this one.
  const fault = recipe.fault === undefined ? '' : sourceDigests().get(recipe.fault)!;
  const designs = isDesigned(recipe) ? (await resolvedOnce(await buildDesigns())).sha256 : '';
  return { plugin, env, key: digest(env, base.sha256, designs, fault) };
}

const results: Result[] = [];
async function compareOne(subject: Subject): Promise<void> {
  const { plugin, env, key } = await pluginOf(subject.recipe);
  const viewed = views.get(digest(key, harness, comparison.releases), () =>
    viewOf(plugin, { ...process.env, ...env }, comparison.releases),
  );
  for (const release of releases) {
    const observation = await seen.get(digest(key, session, release), () =>
      oneJax(() => runJax(release, plugin.library, env)),
    );
    const view = await viewed;
    const prediction = predictionOf(view, release);
    const agreement = compare(prediction, observation);
    const limit = agreement.agrees ? undefined : limitOf(comparison.limits, subject.name, release);
    results.push({ subject, release, prediction, observation, agreement, ...(limit ? { limit: limit.reason } : {}) });
    const mark = agreement.agrees ? 'agrees' : limit ? 'limit ' : 'DIFFERS';
    const lines = agreement.agrees ? [] : agreement.differences.map((difference) => `\n    ${difference}`);
    console.log(`${mark}  ${subject.name} with JAX ${release}: ${observation.outcome}${lines.join('')}`);
  }
}

/** One JAX at a time: each uses all processors, and a slow one looks like a hang. */
let last: Promise<unknown> = Promise.resolve();
function oneJax<T>(run: () => Promise<T>): Promise<T> {
  const mine = last.then(run);
  last = mine.catch(() => {});
  return mine;
}

const queue = [...subjects];
const lane = async (): Promise<void> => {
  for (let subject = queue.shift(); subject; subject = queue.shift()) await compareOne(subject);
};
await Promise.all(Array.from({ length: Number(values.workers) }, lane));

const file = values.json === undefined ? packagePath('build', 'compat', 'agreement.json') : resolve(values.json);
writeFileSync(file, `${JSON.stringify(results, null, 1)}\n`);
console.log(`\n${tableOf(results, releases)}\n${file}`);
process.exitCode = results.every(({ agreement, limit }) => agreement.agrees || limit) ? 0 : 1;
