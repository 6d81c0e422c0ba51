/** `npm run figures`: how large the parts of the project are, and how far the language of suites carries (docs/architecture.md). */
import { readdirSync, readFileSync } from 'node:fs';
import { packagePath } from '../../harness/base/paths.ts';
import { packageSuites } from '../../harness/run/suites/package-suites.ts';
import { familiesOf, probesUsedOnce } from './families.ts';

const TEST = /\.test(-helper)?\.tsx?$/;

/** Lines of the files of a directory, and of those below it, without tests. */
function lines(directory: string, files: RegExp): number {
  return readdirSync(packagePath(directory), { recursive: true, encoding: 'utf8' })
    .filter((file) => files.test(file) && !TEST.test(file))
    .map((file) => readFileSync(packagePath(directory, file), 'utf8').split('\n').length - 1)
    .reduce((sum, count) => sum + count, 0);
}

const directories = (of: string): string[] =>
  readdirSync(packagePath(of), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${of}/${name}`);

const families = familiesOf(packageSuites().cases);
const withProbe = [...families.values()].filter((probes) => probes.size > 0).length;

const figures: readonly (readonly [string, number | string])[] = [
  ['harness/, lines without tests', lines('harness', /\.ts$/)],
  ...directories('harness').map((room) => [`  ${room}`, lines(room, /\.ts$/)] as const),
  ['suites/, lines', lines('suites', /\.yaml$/)],
  ['families of cases', families.size],
  ['  that need a probe', `${withProbe} (${((100 * withProbe) / families.size).toFixed(1)} %)`],
  ['probes that one family uses', probesUsedOnce(families).length],
];
const width = Math.max(...figures.map(([name]) => name.length));
for (const [name, figure] of figures) console.log(`${name.padEnd(width)}  ${String(figure).padStart(8)}`);
