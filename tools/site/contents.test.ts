import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packagePath } from '../../harness/base/paths.ts';
import { contents, documentName, indexMarkdown } from './contents.ts';

test('the index lists every document once, and each exists', () => {
  const pages = contents().flatMap(({ pages: all }) => all);
  expect(pages.filter(({ file }) => !existsSync(packagePath('docs', file)))).toEqual([]);
  expect(new Set(pages.map(({ file }) => file)).size).toBe(pages.length);
  expect(new Set(pages.map(documentName)).size).toBe(pages.length);
  expect(indexMarkdown()).toContain('| [Tutorial](tutorial.md) |');
});

test('a document that no section lists is an error that names it', () => {
  expect(() => contents(['tutorial.md', 'README.md', 'lost.md', 'notes.txt'])).toThrow(
    'docs/contents.yaml does not list lost.md: add each to a section',
  );
});
