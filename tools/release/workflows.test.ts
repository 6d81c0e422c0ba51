import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packagePath } from '../../harness/base/paths.ts';
import { githubFaults } from '../../tests/support/github-parser.ts';

const DIRECTORY = packagePath('.github', 'workflows');

test.each(readdirSync(DIRECTORY))("GitHub's parser accepts %s", async (file) => {
  expect(await githubFaults('workflow', readFileSync(`${DIRECTORY}/${file}`, 'utf8'))).toEqual([]);
});
