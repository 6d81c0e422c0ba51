import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import { cli } from './support/cli.ts';
import { buildHostile } from './support/hostile.ts';

const LIMIT = 1_500_000_000;
const EATS = 3_000_000_000;

/** A control group with that limit, where this user can make one. */
function limitedGroup(): string | undefined {
  const lines = existsSync('/proc/self/cgroup') ? readFileSync('/proc/self/cgroup', 'utf8').split('\n') : [];
  const own = lines.find((line) => /:([^:]*,)?memory[,:]/.test(line)) ?? lines.find((line) => line.startsWith('0::'));
  const [first, second] = own?.startsWith('0::') ? ['', 'memory.max'] : ['memory', 'memory.limit_in_bytes'];
  const parent = join('/sys/fs/cgroup', first, dirname(own?.replace(/^\d+:[^:]*:/, '') ?? '/'));
  const group = join(parent, `pjrt-conformance-${process.pid}`);
  try {
    mkdirSync(group);
    writeFileSync(join(group, second), `${LIMIT}`);
    return group;
  } catch {
    if (existsSync(group)) rmdirSync(group);
    return undefined;
  }
}

const group = limitedGroup();
afterAll(() => {
  if (group) rmdirSync(group);
});

test.runIf(group)('a kill for want of memory is a finding of the case that ran', { timeout: 180_000 }, async () => {
  const suites = ['--suites', packagePath('tests', 'suites'), '--tests', 'hostile:round-trip', '--workers', '1'];
  const args = ['run', '--plugin', await buildHostile('eats-memory'), ...suites, '--output', 'out'];
  const run = await cli(args, {
    env: { PJRT_HOSTILE_EATS: `${EATS}` },
    started: ({ pid }) => execFileSync('sh', ['-c', `echo ${pid} > ${join(group!, 'cgroup.procs')}`]),
  });
  expect(run.exitCode).toBe(1);
  expect(run.report.suites[0]!.cases[0]).toMatchObject({
    status: 'crash',
    signal: 'SIGKILL',
    findings: [
      {
        type: 'pjrt.OutOfMemory',
        message: expect.stringContaining(
          'the process was killed by the kernel for want of memory in PJRT_Client_BufferFromHostBuffer',
        ),
        detail: expect.stringMatching(/the limit is 1\.4 GiB/),
      },
    ],
  });
});
