/**
 * `npm run record:evidence -- NAME=RUN…`: stores what runs show about requirements, for docs/coverage.md. NAME is the plugin's
 * name there, RUN a log or an output directory of a full run. Plugins that are not named keep what is stored of them.
 * NAME+=RUN adds to what is stored or named before: runs with `largeArrays`, with `--nodes`, or beside another plugin.
 */
import { writeFileSync } from 'node:fs';
import { runsIn } from '../../harness/report/compare/read-runs.ts';
import { type Evidence, evidenceOf, united } from './evidence.ts';
import { EVIDENCE_FILE, loadEvidence } from './load.ts';

const runs = process.argv.slice(2).map((word) => {
  const [, name, adds, path] = /^([^=+]+)(\+?)=(.+)$/.exec(word) ?? [];
  if (name === undefined || path === undefined) throw new Error(`${JSON.stringify(word)} is not NAME=RUN or NAME+=RUN`);
  return { name, adds: adds !== '', path };
});
const evidence: Evidence = loadEvidence();
for (const { name, adds, path } of runs) {
  const seen = evidenceOf(runsIn([path], process.cwd())[0]!.run);
  const stored = evidence[name];
  evidence[name] = adds && stored ? united(stored, seen) : seen;
}
const sorted = Object.fromEntries(Object.entries(evidence).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(EVIDENCE_FILE, `${JSON.stringify(sorted, null, 1)}\n`);
