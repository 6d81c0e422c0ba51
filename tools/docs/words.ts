/** Words that docs/glossary.md replaces must not come back: searches documents, messages, comments and test titles. */
import { readdirSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import ts from 'typescript';
import { isScalar, isSeq, LineCounter, parse, parseDocument, visit } from 'yaml';
import { packagePath } from '../../harness/base/paths.ts';

/** Words to avoid, and what to write instead. */
interface Avoided {
  pattern: RegExp;
  use: string;
}

/** Text that people read, with the line where it begins. */
interface Passage {
  line: number;
  text: string;
}

/** The rows of words.yaml, or of a text of that form. */
export function loadAvoided(source = readFileSync(packagePath('tools/docs/words.yaml'), 'utf8')): Avoided[] {
  const rows = parse(source) as { words: string; use: string }[];
  return rows.map(({ words, use }) => ({
    pattern: new RegExp(`(?<![\\w.-])(?:${words.replaceAll(' ', '\\s+')})(?![\\w-])`, 'gi'),
    use,
  }));
}

/** `file:line: "word": use …` for each word to avoid. */
export function avoidedIn(file: string, passages: readonly Passage[], avoided: readonly Avoided[]): string[] {
  return passages.flatMap(({ line, text }) =>
    avoided
      .flatMap(({ pattern, use }) => [...text.matchAll(pattern)].map((match) => ({ match, use })))
      .map(({ match, use }) => ({
        at: line + linesBefore(text, match.index),
        word: match[0].replace(/\s+/g, ' '),
        use,
      }))
      .sort((a, b) => a.at - b.at)
      .map(({ at, word, use }) => `${file}:${at}: "${word}": use ${use}`),
  );
}

const linesBefore = (text: string, index: number): number => text.slice(0, index).split('\n').length - 1;

/** The prose of a Markdown file: without code, comments and the targets of links. */
export function markdownProse(source: string): Passage[] {
  const blank = (text: string): string => text.replace(/[^\n]/g, ' ');
  const text = source
    .replace(/^( *)(```|~~~)[\s\S]*?^\1\2.*$/gm, blank)
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/`[^`]*`/g, blank)
    .replace(/(?<=\])\([^)\n]*\)/g, blank);
  return [{ line: 1, text }];
}

/** The texts of a TypeScript file that hold a space: messages, help and pages, but no names. */
export function messagesOf(source: string, name = 'source.tsx'): Passage[] {
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true);
  const found: Passage[] = [];
  const walk = (node: ts.Node): void => {
    const text =
      ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isJsxText(node)
        ? node.text
        : ts.isTemplateExpression(node)
          ? [node.head, ...node.templateSpans.map(({ literal }) => literal)].map((part) => part.text).join('…')
          : '';
    if (text.includes(' ') && !ts.isImportDeclaration(node.parent)) {
      found.push({ line: file.getLineAndCharacterOfPosition(node.getStart()).line + 1, text: withoutCode(text) });
    }
    ts.forEachChild(node, walk);
  };
  walk(file);
  return found;
}

/** Text between backticks is a name. */
const withoutCode = (text: string): string => text.replace(/`[^`\n]*`/g, (code) => ' '.repeat(code.length));

/** Comments of a TypeScript file, and titles of its tests. */
export function commentsOf(source: string, name = 'source.tsx'): Passage[] {
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true);
  const comments = new Map<number, string>();
  const titles: Passage[] = [];
  const lineAt = (position: number): number => file.getLineAndCharacterOfPosition(position).line + 1;
  const walk = (node: ts.Node): void => {
    const ranges = [
      ...(ts.getLeadingCommentRanges(source, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(source, node.getEnd()) ?? []),
    ];
    // Text of JSX is not a comment, whatever it looks like.
    if (!ts.isJsxText(node)) for (const { pos, end } of ranges) comments.set(pos, source.slice(pos, end));
    const title =
      ts.isCallExpression(node) && /^(?:describe|it|test)\b/.test(node.expression.getText()) && node.arguments[0];
    if (title && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title))) {
      titles.push({ line: lineAt(title.getStart()), text: withoutCode(title.getText()) });
    }
    for (const child of node.getChildren()) walk(child);
  };
  walk(file);
  return [...passagesOf(comments, lineAt), ...titles];
}

/** Comments of a C or C++ file. */
export function cCommentsOf(source: string): Passage[] {
  const tokens = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
  const comments = [...source.matchAll(tokens)].filter(([text]) => text.startsWith('/'));
  return passagesOf(
    new Map(comments.map(({ index, 0: text }) => [index, text])),
    (position) => 1 + linesBefore(source, position),
  );
}

/** Comments by position as passages; successive lines of `//` are one, since sentences continue on the next line. */
function passagesOf(comments: ReadonlyMap<number, string>, lineAt: (position: number) => number): Passage[] {
  const found: Passage[] = [];
  let end = 0;
  for (const [position, comment] of [...comments].sort(([a], [b]) => a - b)) {
    const line = lineAt(position);
    const text = withoutCode(comment.replace(/^\/[/*]+|^[ \t]*\*+\/?|@param \w+|\{@link [^}]*\}/gm, ''));
    const isLine = comment.startsWith('//');
    if (isLine && line === end) found.at(-1)!.text += `\n${text}`;
    else found.push({ line, text });
    end = isLine ? line + 1 : 0;
  }
  return found;
}

/** Keys of YAML files whose values people read, also as lists. */
const READ_KEYS = [
  ...['description', 'title', 'text'],
  ...[
    'about',
    'advice',
    'because',
    'defect',
    'evidence',
    'from',
    'notes',
    'reason',
    'source',
    'survives',
    'survivesOn',
  ],
];

/** Descriptions, titles and reasons in a suite, the requirements, a manifest, a design or the catalogue of faults. */
export function descriptionsOf(source: string): Passage[] {
  const lines = new LineCounter();
  const found: Passage[] = [];
  visit(parseDocument(source, { lineCounter: lines }), {
    Pair(_, { key, value }) {
      if (!isScalar(key) || !READ_KEYS.includes(String(key.value))) return;
      for (const item of isSeq(value) ? value.items : [value]) {
        if (!isScalar(item) || typeof item.value !== 'string') continue;
        found.push({ line: lines.linePos(item.range![0]).line, text: withoutCode(item.value) });
      }
    },
  });
  return found;
}

/** The searched files, by a pattern of their path from the root of the package, and the searched parts of them. */
const READ: readonly { files: RegExp; passages: (source: string, file: string) => Passage[] }[] = [
  { files: /^(?!docs\/mutation\.md$)(?:[A-Z]+|docs\/[a-z-]+|plugins\/[a-z]+\/README)\.md$/, passages: markdownProse },
  { files: /^(?:harness|tools|web)\/.*(?<!\.test|\.test-helper)\.tsx?$/, passages: messagesOf },
  { files: /^(?:plugins|suites)\/.*\.yaml$/, passages: descriptionsOf },
  { files: /^(?:examples|fixtures|harness|tests|tools|web)\/.*\.tsx?$/, passages: commentsOf },
  { files: /^(?:fixtures|plugins)\/(?!.*\/generated\/).*\.(?:cc|c|h)$/, passages: cCommentsOf },
];

/** Every word to avoid in the texts of the project, as `file:line: …`. */
export function avoidedWords(avoided = loadAvoided()): string[] {
  const roots = ['docs', 'examples', 'fixtures', 'harness', 'plugins', 'suites', 'tests', 'tools', 'web'];
  const files = [
    ...readdirSync(packagePath('.')),
    ...roots.flatMap((root) =>
      readdirSync(packagePath(root), { recursive: true, encoding: 'utf8' }).map((file) => `${root}/${file}`),
    ),
  ];
  return files
    .map((file) => file.split(sep).join('/'))
    .sort()
    .flatMap((file) => {
      const kinds = READ.filter(({ files: pattern }) => pattern.test(file));
      if (kinds.length === 0) return [];
      const source = readFileSync(packagePath(file), 'utf8');
      return kinds.flatMap(({ passages }) => avoidedIn(file, passages(source, file), avoided));
    });
}
