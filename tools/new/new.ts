/** `npm run new`: writes the files of a new thing with what CI will ask for (CONTRIBUTING.md). */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { makeDirectory } from '../../harness/base/make-directory.ts';
import { packagePath } from '../../harness/base/paths.ts';
import { UsageError } from '../../harness/base/usage-error.ts';
import { runTool } from '../run-tool.ts';
import { newCase } from './case.ts';
import { newFault } from './fault.ts';
import { newProbe } from './probe.ts';
import { newReportField } from './report-field.ts';
import { newRequirement } from './requirement.ts';
import type { Read, Scaffold, Values } from './scaffold.ts';

const USAGE = `usage: npm run new -- KIND NAME [options]
  requirement GROUP --api FUNCTION --text SENTENCE --source WHY [--level must] [--cpu m] [--area AREA]
  case SUITE:ID --covers ID[,ID…] [--description SENTENCE] [--about SENTENCE, of a new suite]
  fault NAME --area AREA --file SOURCE.cc --function PJRT_… --breaks ID --suites GLOB --defect SENTENCE [--from WHERE]
  probe AREA/NAME --text SENTENCE
  report-field NAME --of TYPE --text SENTENCE [--type string]
Writes the files, and prints what remains to be done.`;

const KINDS: Readonly<Record<string, (name: string, values: Values, read: Read) => Scaffold>> = {
  requirement: newRequirement,
  case: newCase,
  fault: newFault,
  probe: newProbe,
  'report-field': newReportField,
};

const text = { type: 'string' } as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...{ help: { type: 'boolean' }, about: text, api: text, area: text, breaks: text, covers: text, cpu: text },
    ...{ defect: text, description: text, file: text, from: text, function: text, level: text, source: text },
    ...{ of: text, suites: text, text, type: text },
  },
});

await runTool(USAGE, values.help === true, async () => {
  const [kind = '', name] = positionals;
  const make = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  if (!make || name === undefined)
    throw new UsageError(`${make ? 'a name is missing' : `unknown kind "${kind}"`}\n${USAGE}`);
  const read: Read = (path) => (existsSync(packagePath(path)) ? readFileSync(packagePath(path), 'utf8') : undefined);
  const { help, ...rest } = values;
  const { files, next } = make(name, rest, read);
  for (const [path, content] of Object.entries(files)) {
    makeDirectory(dirname(packagePath(path)));
    writeFileSync(packagePath(path), content);
    console.log(`wrote ${path}`);
  }
  console.log(['next:', ...next.map((step) => `  ${step}`)].join('\n'));
  return true;
});
