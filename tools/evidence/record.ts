/**
 * `npm run record:evidence -- NAME=RUN…`: stores what runs show about requirements, for docs/coverage.md. NAME is the plugin's
 * name there, RUN a log or an output directory of a full run. Plugins that are not named keep what is stored of them.
 */
import { writeFileSync } from 'node:fs';
import { runsIn } from '../../harness/compare/read-runs.ts';
import { type Evidence, evidenceOf } from './evidence.ts';
import { EVIDENCE_FILE, loadEvidence } from './load.ts';

const runs = process.argv.slice(2).map((word) => {
  const [name, path] = word.split('=');
  if (!name || !path) throw new Error(`${JSON.stringify(word)} is not NAME=RUN`);
  return { name, path };
});
const evidence: Evidence = loadEvidence();
for (const { name, path } of runs) evidence[name] = evidenceOf(runsIn([path], process.cwd())[0]!.run);
const sorted = Object.fromEntries(Object.entries(evidence).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(EVIDENCE_FILE, `${JSON.stringify(sorted, null, 1)}\n`);
