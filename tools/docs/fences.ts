/** A fenced block of code in Markdown. */
export interface Fence {
  /** First word after the fence: `sh`, `text`, `yaml`. */
  language: string;
  /** The words that follow; renderers ignore them. */
  attributes: Readonly<Record<string, string>>;
  /** Text between the fences, which ends with a line feed unless it is empty. */
  text: string;
  /** Line of the opening fence, from 1. */
  line: number;
  /** Where `text` begins and ends in the document. */
  from: number;
  to: number;
}

/** The fenced blocks of a Markdown text, in order; those within lists or quotes are not found. */
export function fencesOf(markdown: string): Fence[] {
  return [...markdown.matchAll(/^(```+)(\w*)([^\n]*)\n([\s\S]*?)^\1[ \t]*$/gm)].map((match) => {
    const [whole, , language = '', attributes = '', text = ''] = match;
    const from = match.index + whole.indexOf('\n') + 1;
    return {
      language,
      attributes: attributesOf(attributes),
      text,
      line: markdown.slice(0, match.index).split('\n').length,
      from,
      to: from + text.length,
    };
  });
}

/** `exit=1 from="cases "` as an object; a value with spaces is in quotes. */
const attributesOf = (words: string): Record<string, string> =>
  Object.fromEntries([...words.matchAll(/([\w-]+)=(?:"([^"]*)"|(\S+))/g)].map(([, key, a, b]) => [key!, a ?? b!]));

/** The lines of a shell block that begin with a word, without comments. */
export const commandLines = (fences: readonly Fence[], word: string): string[] =>
  fences
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.split('\n'))
    .filter((line) => line.startsWith(`${word} `))
    .map((line) => line.replace(/\s+#.*$/, ''));
