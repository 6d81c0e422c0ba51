import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { tracePermission } from './permission.ts';

const directory = mkdtempSync(join(tmpdir(), 'pjrt-proc-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const proc = (name: string, status: string, scope?: string): string => {
  const at = join(directory, name);
  mkdirSync(join(at, 'self'), { recursive: true });
  writeFileSync(join(at, 'self', 'status'), status);
  if (scope !== undefined) {
    mkdirSync(join(at, 'sys', 'kernel', 'yama'), { recursive: true });
    writeFileSync(join(at, 'sys', 'kernel', 'yama', 'ptrace_scope'), scope);
  }
  return at;
};

test('what the system says of who may trace', () => {
  const user = proc('user', 'Name:\tnode\nCapEff:\t0000000000000000\nSeccomp:\t0\n', '1\n');
  expect(tracePermission(user)).toEqual({ scope: 1, capable: false, filtered: false });
  const container = proc('container', 'CapEff:\t00000000a80425fb\nSeccomp:\t2\n');
  expect(tracePermission(container)).toEqual({ scope: undefined, capable: false, filtered: true });
  const root = proc('root', 'CapEff:\t000001ffffffffff\nSeccomp:\t0\n', '3\n');
  expect(tracePermission(root)).toEqual({ scope: 3, capable: true, filtered: false });
  expect(tracePermission(join(directory, 'nowhere'))).toBeUndefined();
});
