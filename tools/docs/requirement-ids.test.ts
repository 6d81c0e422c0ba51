import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packagePath } from '../../harness/base/paths.ts';
import { loadRequirements } from '../../harness/suite/requirements.ts';
import { commentsOf } from './words.ts';

const LIKE_AN_ID = /(?<![\w-])[A-Z][A-Z0-9]{1,4}(?:-[A-Z0-9]+)*-\d{3}(?![\w-])/g;
const OTHERS = ['SHA-256'];

const filesIn = (directory: string, ending: string): string[] =>
  readdirSync(packagePath(directory), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => `${directory}/${file}`);

const textOf = (file: string): string => {
  const source = readFileSync(packagePath(file), 'utf8');
  // Only a file that names one is worth being parsed.
  return file.endsWith('.ts') && source.search(LIKE_AN_ID) >= 0
    ? commentsOf(source, file)
        .map(({ text }) => text)
        .join('\n')
    : source;
};

test.each([
  ['designs', filesIn('plugins/designs', '.yaml')],
  ['known plugins', filesIn('plugins/known', '.yaml')],
  ['documents', filesIn('docs', '.md')],
  ['comments of the harness', filesIn('harness', '.ts')],
])('a requirement that is named exists: %s', (_, files) => {
  const requirements = loadRequirements();
  const unknown = files.flatMap((file) =>
    [...textOf(file).matchAll(LIKE_AN_ID)]
      .filter(([id]) => !requirements.has(id) && !OTHERS.includes(id))
      .map(([id]) => `${file}: ${id}`),
  );
  expect(files.length).toBeGreaterThan(5);
  expect(unknown).toEqual([]);
});
