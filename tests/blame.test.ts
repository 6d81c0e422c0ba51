import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';

test('an assert is one violated requirement, and a plugin with a handler of its own is seen through', () => {
  const tool = packagePath('tools', 'blame', 'check.ts');
  const args = ['--import', 'tsx', tool, '--part', 'assert', '--part', 'handled'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(status, `${stdout}${stderr}`).toBe(0);
});
