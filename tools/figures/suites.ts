/** `npm run figures:suites -- REPORT.json`: the faults of the catalogue that each suite detects, against the time that it takes. */
import { readFileSync } from 'node:fs';
import { packagePath } from '../../harness/base/paths.ts';
import type { JsonReport } from '../../harness/report/index.ts';
import { perSecond, yieldOf } from './yield.ts';

const [file] = process.argv.slice(2);
if (file === undefined) {
  console.error('usage: npm run figures:suites -- REPORT.json, the JSON report of a whole run');
  process.exit(2);
}
const report = JSON.parse(readFileSync(file, 'utf8')) as JsonReport;
const score = JSON.parse(readFileSync(packagePath('plugins', 'faults', 'score.json'), 'utf8')) as {
  faults: Record<string, { failing: string[] }>;
};
const suites = yieldOf(
  report.suites.flatMap(({ cases }) => cases),
  new Map(Object.entries(score.faults).map(([name, { failing }]) => [name, failing])),
);
console.log('suite                            cases  seconds  faults  alone  faults/s');
for (const one of suites) {
  const { suite, cases, seconds, detected, alone } = one;
  const columns = [
    `${cases}`.padStart(5),
    seconds.toFixed(1).padStart(8),
    `${detected}`.padStart(7),
    `${alone}`.padStart(6),
  ];
  console.log(`${suite.padEnd(32)} ${columns.join(' ')} ${perSecond(one).toFixed(1).padStart(9)}`);
}
