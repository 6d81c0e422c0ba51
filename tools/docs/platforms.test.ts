import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packagePath } from '../../harness/base/paths.ts';

const BOUND =
  /process\.(?:platform|arch)|['"`]\/?proc\/|sys\/fs\/cgroup|['"`][\w-]+\.so\.\d|\bLD_[A-Z]+|\bprctl\(|ldconfig/;
const COMMENT = /^\s*(?:\*|\/\*|\/\/)/;
const ROW = /^\| `([\w/-]+\.ts)` \|/gm;

test('docs/platforms.md lists every file that asks the system for what others have not, and no other', () => {
  const sources = readdirSync(packagePath('harness'), { recursive: true, encoding: 'utf8' });
  const bound = sources.filter((file) => {
    if (!file.endsWith('.ts') || /\.test(-helper)?\.ts$/.test(file)) return false;
    const lines = readFileSync(packagePath('harness', file), 'utf8').split('\n');
    return lines.some((line) => BOUND.test(line) && !COMMENT.test(line));
  });
  const listed = [...readFileSync(packagePath('docs', 'platforms.md'), 'utf8').matchAll(ROW)].map(([, file]) => file);
  expect(listed.toSorted()).toEqual(bound.toSorted());
});
