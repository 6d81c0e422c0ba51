import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { parse } from 'yaml';
import { packagePath } from '../../harness/base/paths.ts';
import { NPX, TARBALL } from '../../harness/base/tool.ts';
import { CI_NAMES, CI_SYSTEMS, type CiName, fillTemplate } from '../../harness/cli/init/ci.ts';
import { SCHEDULERS } from '../../harness/run/fleet/schedulers.ts';
import { replaceBlock } from '../docs/blocks.ts';

/** Languages of code blocks, by the extension of templates. */
const LANGUAGES: Readonly<Record<string, string>> = { '.yml': 'yaml', '.groovy': 'groovy', '.sh': 'sh' };

/** Schedulers of machines, which docs/fleet.md is about; docs/ci.md has the other systems. */
export const FLEET_NAMES: readonly CiName[] = ['slurm', 'kubernetes'];
export const OTHER_NAMES = CI_NAMES.filter((name) => !FLEET_NAMES.includes(name));

/** Inserts the workflows of CI systems and schedulers into a document, as `init` would write them. */
export function withRecipes(document: string, names: readonly CiName[]): string {
  const values = { tool: NPX, tarball: TARBALL, command: NPX, reports: 'reports/conformance' };
  return names.reduce((text, name) => {
    const { template } = CI_SYSTEMS[name];
    const language = LANGUAGES[extname(template)]!;
    return replaceBlock(text, `ci-${name}`, `\`\`\`${language}\n${fillTemplate(join('ci', template), values)}\`\`\`\n`);
  }, document);
}

/** Inputs and outputs of action.yml as Markdown tables. */
export function actionTable(): string {
  const { inputs, outputs } = parse(readFileSync(packagePath('action.yml'), 'utf8')) as Record<
    'inputs' | 'outputs',
    Record<string, { description: string; default?: string }>
  >;
  const code = (text: string | undefined): string => (text ? `\`${text}\`` : '');
  return [
    '| Input | Default | Meaning |',
    '| --- | --- | --- |',
    ...Object.entries(inputs).map(([name, input]) => `| \`${name}\` | ${code(input.default)} | ${input.description} |`),
    '',
    '| Output | Meaning |',
    '| --- | --- |',
    ...Object.entries(outputs).map(([name, { description }]) => `| \`${name}\` | ${description} |`),
    '',
  ].join('\n');
}

/** The schedulers that `--shard auto` knows, as a Markdown table. */
export const schedulerTable = (): string =>
  [
    '| Scheduler | Index of a task (of the first) | Number of tasks |',
    '| --- | --- | --- |',
    ...SCHEDULERS.map(({ title, index, first, count, last }) => {
      const from = typeof first === 'number' ? first : `\`${first}\``;
      return `| ${title} | \`${index}\` (${from}) | \`${count ?? last}\` |`;
    }),
    '',
  ].join('\n');
