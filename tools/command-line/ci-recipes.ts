import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { parse } from 'yaml';
import { CI_NAMES, CI_SYSTEMS, fillTemplate } from '../../harness/cli/init/ci.ts';
import { packagePath } from '../../harness/paths.ts';
import { TOOL } from '../../harness/tool.ts';
import { replaceBlock } from '../docs/blocks.ts';

/** Inserts the workflow of every CI system into a document, as `init` would write it. */
export function withRecipes(document: string): string {
  const values = { command: `npx --yes ${TOOL.name}@${TOOL.version}`, reports: 'reports/conformance' };
  return CI_NAMES.reduce((text, name) => {
    const { template } = CI_SYSTEMS[name];
    const language = extname(template) === '.yml' ? 'yaml' : 'groovy';
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
