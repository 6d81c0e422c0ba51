/**
 * `npm run record:evidence -- NAME=RUN…`: stores what runs show about requirements, for docs/coverage.md. NAME is the plugin's
 * name there, RUN a log or an output directory of a full run. Plugins that are not named keep what is stored of them.
 * A plugin named twice has the evidence of both runs: the usual one, and one for which its manifest says `largeArrays`.
 */
import { writeFileSync } from 'node:fs';
import { runsIn } from '../../harness/compare/read-runs.ts';
import { type Evidence, evidenceOf, united } from './evidence.ts';
import { EVIDENCE_FILE, loadEvidence } from './load.ts';

const runs = process.argv.slice(2).map((word) => {
  const [name, path] = word.split('=');
  if (!name || !path) throw new Error(`${JSON.stringify(word)} is not NAME=RUN`);
  return { name, path };
});
const evidence: Evidence = loadEvidence();
const named = new Set<string>();
for (const { name, path } of runs) {
  const seen = evidenceOf(runsIn([path], process.cwd())[0]!.run);
  evidence[name] = named.has(name) ? united(evidence[name]!, seen) : seen;
  named.add(name);
}
const sorted = Object.fromEntries(Object.entries(evidence).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(EVIDENCE_FILE, `${JSON.stringify(sorted, null, 1)}\n`);
