import { UsageError } from '../../harness/base/usage-error.ts';
import { needed, type Read, type Scaffold, type Values } from './scaffold.ts';

/** Where the members of logs and reports are declared. */
const FILES = ['events', 'case-result', 'finding', 'plugin-facts'].map((name) => `harness/model/${name}.ts`);
const SOURCES = [...FILES, 'harness/report/json.ts'];

/** An optional member of the log or of report.json, at the end of the interface that `--of` names. */
export function newReportField(name: string, values: Values, read: Read): Scaffold {
  if (!/^[a-z][A-Za-z0-9]*$/.test(name))
    throw new UsageError(`"${name}" is not the name of a member, such as startedAt`);
  const known = SOURCES.flatMap((file) =>
    [...read(file)!.matchAll(/^export interface (\w+)/gm)].map((match) => ({ file, type: match[1]!, at: match.index })),
  );
  const names = known.map(({ type }) => type).join(', ');
  const of = needed(values, 'of', `the type that gets it: ${names}`);
  const found = known.find(({ type }) => type === of);
  if (!found) throw new UsageError(`there is no type ${of}: --of is one of ${names}`);
  const text = read(found.file)!;
  const end = text.indexOf('\n}', found.at) + 1;
  if (text.slice(found.at, end).includes(`\n  ${name}?: `)) throw new UsageError(`${of} has a member ${name} already`);
  const sentence = needed(values, 'text', 'what it is, for readers of the schema').replace(/\.?$/, '.');
  const member = `  /** ${sentence} */\n  ${name}?: ${values.type ?? 'string'};\n`;
  return {
    files: { [found.file]: `${text.slice(0, end)}${member}${text.slice(end)}` },
    next: [
      'write it where values of that type are made; `npm run check:types` names every place that must know it',
      'npm run docs    # writes the schemas',
      'docs/reports.md and CHANGELOG.md    # what readers should know',
      'after a release the first new member makes a new minor of the log (CONTRIBUTING.md)',
    ],
  };
}
