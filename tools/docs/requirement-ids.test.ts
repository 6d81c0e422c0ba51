import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packagePath } from '../../harness/base/paths.ts';
import { loadRequirements } from '../../harness/suite/requirements.ts';

const LIKE_AN_ID = /(?<![\w-])[A-Z][A-Z0-9]{1,4}(?:-[A-Z0-9]+)*-\d{3}(?![\w-])/g;
const OTHERS = ['SHA-256', 'IEEE-754'];

const filesIn = (directory: string, ending: string): string[] =>
  readdirSync(packagePath(directory), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => `${directory}/${file}`);

test.each([
  ['designs', filesIn('plugins/designs', '.yaml')],
  ['known plugins', filesIn('plugins/known', '.yaml')],
  ['documents', filesIn('docs', '.md')],
  ['sources of the harness', filesIn('harness', '.ts').filter((file) => !/\.test(-helper)?\.ts$/.test(file))],
])('a requirement that is named exists: %s', (_, files) => {
  const requirements = loadRequirements();
  const unknown = files.flatMap((file) =>
    [...readFileSync(packagePath(file), 'utf8').matchAll(LIKE_AN_ID)]
      .filter(([id]) => !requirements.has(id) && !OTHERS.includes(id))
      .map(([id]) => `${file}: ${id}`),
  );
  expect(files.length).toBeGreaterThan(5);
  expect(unknown).toEqual([]);
});
