import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packagePath } from '../../harness/base/paths.ts';
import { cliMarkdown } from '../command-line/cli-markdown.ts';
import { describedCommands } from '../command-line/described.ts';
import { manPage } from '../command-line/man-page.ts';
import { keyTable, type Schema } from './schema-reference.ts';
import { suiteLanguage } from './suite-language.ts';

const NONE = { anchors: {}, schemas: {} };

test('a key has its path, what it takes, and its meaning, of a definition if it has none of its own', () => {
  const schema: Schema = {
    required: ['a'],
    properties: {
      a: {
        description: 'An a.',
        type: 'object',
        properties: { b: { type: ['integer', 'string'], description: 'A | b.' } },
      },
      c: { $ref: '#/$defs/kind' },
      d: { type: 'array', items: { $ref: '#/$defs/kind' }, description: 'Kinds.' },
      e: { description: 'Anything.' },
    },
  };
  const definitions = {
    anchors: { kind: 'the-kind' },
    schemas: { kind: { description: 'A kind.', enum: ['x', 'y'] } },
  };
  expect(keyTable(schema, definitions).slice(2)).toEqual([
    '| `a` (required) | object | An a. |',
    '| `a.b` | integer, or text | A \\| b. |',
    '| `c` | [kind](#the-kind) | A kind. |',
    '| `d` | list of [kind](#the-kind) | Kinds. |',
    '| `e` | any value | Anything. |',
    '',
  ]);
  expect(keyTable({}, NONE)).toEqual([]);
});

test('the schema of suites describes every key', () => {
  const rows = suiteLanguage()
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  expect(rows.length).toBeGreaterThan(300);
  expect(rows.filter((row) => /\| *\|/.test(row))).toEqual([]);
});

test('links within the references lead to headings', () => {
  for (const text of [suiteLanguage(), cliMarkdown()]) {
    const anchors = new Set(
      [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
        title!
          .toLowerCase()
          .replaceAll('`', '')
          .replace(/[^\w -]/g, '')
          .replaceAll(' ', '-'),
      ),
    );
    const dead = [...text.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor!).filter((one) => !anchors.has(one));
    expect(dead).toEqual([]);
  }
});

test('every command has its options, examples and exit codes in both references', () => {
  const texts = [cliMarkdown(), manPage().replaceAll('\\-', '-').replaceAll('\\e', '\\')];
  for (const { name, options, examples, exitCodes } of describedCommands().slice(1)) {
    expect([name, examples.length > 1, exitCodes.length > 1]).toEqual([name, true, true]);
    for (const text of texts) {
      const missing = [
        ...options.flatMap(({ rows }) => rows.map(({ term }) => term)),
        ...examples.map(({ line }) => line),
      ].filter((part) => !text.replaceAll('\\|', '|').includes(part));
      expect([name, missing]).toEqual([name, []]);
    }
  }
});

const hasMan = spawnSync('man', ['--version']).status === 0;
test.skipIf(!hasMan)(
  hasMan ? 'man shows the manual page without warnings' : 'man shows the manual page (skipped: man is not here)',
  () => {
    const { status, stdout, stderr } = spawnSync(
      'man',
      ['--warnings', '-E', 'UTF-8', '-l', packagePath('man', 'pjrt-conformance.1')],
      { encoding: 'utf8', env: { ...process.env, MANWIDTH: '100', LC_ALL: 'C.UTF-8', MANPAGER: 'cat' } },
    );
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout.replace(/.\x08/g, '')).toContain('--update-expectations');
    expect(readFileSync(packagePath('package.json'), 'utf8')).toContain('"man": "./man/pjrt-conformance.1"');
  },
);
