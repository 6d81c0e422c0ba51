import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packagePath } from '../../harness/base/paths.ts';

const text = readFileSync(packagePath('README.md'), 'utf8');
const { scripts } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

test('the README is read in two minutes: what is longer is in docs/', () => {
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(100);
});

test('the first block is what a fresh machine needs, and ends with a run', () => {
  const [, first] = /```sh\n([\s\S]*?)```/.exec(text)!;
  expect(first).toBe('npm ci\nnpm start\n');
  expect(scripts.start).toMatch(
    /^npm run --silent build && node dist\/cli\/main\.js run --plugin xla-cpu --profile smoke$/,
  );
});
