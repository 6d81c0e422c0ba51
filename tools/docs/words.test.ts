import { describe, expect, test } from 'vitest';
import {
  avoidedIn,
  avoidedWords,
  cCommentsOf,
  commentsOf,
  descriptionsOf,
  loadAvoided,
  markdownProse,
  messagesOf,
} from './words.ts';

const AVOIDED = loadAvoided('- words: tells?|told\n  use: report\n- words: broken (?:MUST|rule)s?\n  use: violated\n');
const found = (passages: ReturnType<typeof messagesOf>): string[] => avoidedIn('f', passages, AVOIDED);

describe('a word to avoid is found with its line and what to use', () => {
  test('in Markdown, across line ends, in any case', () => {
    expect(found(markdownProse('# Told\n\nIt is a broken\nMUST.\n'))).toEqual([
      'f:1: "Told": use report',
      'f:3: "broken MUST": use violated',
    ]);
  });

  test('in messages of a program', () => {
    const source = "const a = 'fine words';\nthrow new Error(`what ${a}\n  tells`);\nconst b = <b>it tells</b>;\n";
    expect(found(messagesOf(source))).toEqual(['f:3: "tells": use report', 'f:4: "tells": use report']);
  });

  test('in comments and test titles of TypeScript', () => {
    const source =
      "/**\n * It is a broken\n * rule.\n */\nconst a = 1; // told\n// a broken\n// MUST\ntest('it tells', () => {\n  // told\n});\n";
    expect(found(commentsOf(source))).toEqual([
      'f:2: "broken rule": use violated',
      'f:5: "told": use report',
      'f:6: "broken MUST": use violated',
      'f:9: "told": use report',
      'f:8: "tells": use report',
    ]);
    expect(found(commentsOf("test.each(rows)('%s is told', () => {});\n"))).toEqual(['f:1: "told": use report']);
    expect(found(commentsOf('const a = <b>{/* told */}</b>;\n'))).toEqual(['f:1: "told": use report']);
  });

  test('in comments of C++', () => {
    const source = 'int told = 1;  // told\n/* It is a broken\n * MUST. */\nconst char* text = "// told";\n';
    expect(found(cCommentsOf(source))).toEqual(['f:1: "told": use report', 'f:2: "broken MUST": use violated']);
  });

  test('in descriptions of suites and texts of requirements', () => {
    const source =
      'suite: told\ncases:\n  - id: told\n    description: It is told.\n    steps: [{tells: 1}]\n  - text: "it tells"\n    from: [told, it tells]\n';
    expect(found(descriptionsOf(source))).toEqual([
      'f:4: "told": use report',
      'f:6: "tells": use report',
      'f:7: "told": use report',
      'f:7: "tells": use report',
    ]);
  });
});

test.each([
  ['code of Markdown', markdownProse('`told` and [it](told.md)\n\n```sh\ntold\n```\n\n<!-- told\n -->\n')],
  ['names in a program', messagesOf("import { told } from './told it';\nconst told = 'told'; // it is told\n")],
  ['code around comments', commentsOf("const told = '// told'; // `told`, {@link told}\n/** @param told */\n")],
  ['names in a message', messagesOf("throw new Error('the key `told` is missing');\n")],
  ['longer words and paths', markdownProse('untold, told-off, build.told, storyteller\n')],
])('is not looked for in %s', (_, passages) => {
  expect(found(passages)).toEqual([]);
});

test('the texts of the project have none', () => {
  expect(avoidedWords()).toEqual([]);
});

test('every row has words and says what to use', () => {
  for (const { pattern, use } of loadAvoided()) {
    expect(''.match(pattern)).toBeNull();
    expect(use.length).toBeGreaterThan(3);
  }
});
