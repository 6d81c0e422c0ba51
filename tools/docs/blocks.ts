import { CHANGE_KINDS, CHANGES } from '../../harness/report/compare/change.ts';
import { EXIT_CODES, exitMeaning } from '../../harness/verdict/exit-codes.ts';
import { VERDICT_WORDS } from '../../harness/verdict/words.ts';

/** Replaces the text between `<!-- name … -->` and `<!-- /name -->`. */
export function replaceBlock(text: string, name: string, content: string): string {
  const pattern = new RegExp(`(<!-- ${name}\\b[^>]*-->)[\\s\\S]*?(<!-- /${name} -->)`);
  if (!pattern.test(text)) throw new Error(`the document has no block <!-- ${name} --> … <!-- /${name} -->`);
  return text.replace(pattern, (_, begin: string, end: string) => `${begin}\n\n${content}\n${end}`);
}

/** What the words of a verdict are said of. */
export const verdictWordTable = (): string =>
  [
    '| Words | Said of |',
    '| --- | --- |',
    ...Object.values(VERDICT_WORDS).map(({ word, said }) => `| ${word} | ${said} |`),
    '',
  ].join('\n');

/** The exit codes as a Markdown table. */
export const exitCodeTable = (): string =>
  [
    '| Code | Name | Meaning |',
    '| --- | --- | --- |',
    ...EXIT_CODES.map(
      ({ code, name }) => `| ${code} | \`${name}\` | ${exitMeaning(code).replace(/(--[a-z-]+)/g, '`$1`')} |`,
    ),
    '',
  ].join('\n');

/** The kinds of change as Markdown, with their actions in the default policy. */
export function changeTable(): string {
  const rows = CHANGE_KINDS.map((kind) => `| \`${kind}\` | ${CHANGES[kind].action} | ${CHANGES[kind].description} |`);
  return ['| Change | Default | What it is |', '|---|---|---|', ...rows, ''].join('\n');
}
