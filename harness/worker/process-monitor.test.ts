import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { afterEach, expect, test } from 'vitest';
import type { Case } from '../suite/types.ts';
import { canReadProcessState, readProcessState } from './ffi/process-state.ts';
import { ProcessMonitor } from './process-monitor.ts';

const undo: (() => void)[] = [];
afterEach(() => {
  for (const step of undo.splice(0)) step();
});

const testCase = (id: string) => ({ id, line: 7 }) as Case;

function opened(): number {
  const fd = openSync('/dev/null', 'r');
  undo.push(() => closeSync(fd));
  return fd;
}

test.runIf(canReadProcessState)('a change is a finding of the case during which it happens, once', () => {
  const monitor = new ProcessMonitor(readProcessState(), () => {});
  undo.push(() => {
    delete process.env.PJRT_MONITOR_TEST;
  });
  expect(monitor.after(testCase('a:before'))).toEqual([]);
  process.env.PJRT_MONITOR_TEST = '1';
  expect(monitor.after(testCase('a:during'))).toEqual([
    {
      type: 'pjrt.ProcessChanged',
      level: 'should',
      message: 'since this case environment variables have changed: PJRT_MONITOR_TEST',
      detail: 'PJRT_MONITOR_TEST: not set → 1',
      requirements: ['HYG-ENV-001'],
      line: 7,
    },
  ]);
  process.env.PJRT_MONITOR_TEST = '2';
  expect(monitor.after(testCase('a:after'))).toEqual([]);
});

// Twice as many as any allowance.
const MANY = 64 + 8 * Math.max(availableParallelism(), cpus().length);

test.runIf(canReadProcessState)('descriptors that case after case leaves are a leak, which is named once', () => {
  const monitor = new ProcessMonitor(readProcessState(), () => {});
  const found = Array.from({ length: MANY }, (_, i) => {
    opened();
    return monitor.after(testCase(`a:${i}`));
  }).flat();
  expect(found).toMatchObject([{ type: 'pjrt.ResourceLeak', requirements: ['RES-001'], level: 'should' }]);
  expect(found[0]!.detail).toMatch(/^left by: a:0, a:1, .*\n\/dev\/null$/);
});

test.runIf(canReadProcessState)('child processes that case after case leaves are named once, one helper is not', () => {
  const monitor = new ProcessMonitor(readProcessState(), () => {});
  const found = (count: number) =>
    Array.from({ length: count }, (_, i) => {
      const child = spawn('sleep', ['60'], { stdio: 'ignore' });
      undo.push(() => child.kill('SIGKILL'));
      return monitor.after(testCase(`a:${i}`));
    }).flat();
  expect(found(1)).toEqual([]);
  expect(found(MANY / 2)).toMatchObject([
    { type: 'pjrt.ResourceLeak', requirements: ['HYG-CHD-001'], level: 'should', line: 7 },
  ]);
});

test.runIf(canReadProcessState)(
  'neither what a case opens and closes, nor what one case leaves, nor what is kept is a leak',
  () => {
    const kept: number[] = [];
    const monitor = new ProcessMonitor(readProcessState(), () => {
      for (const fd of kept.splice(0)) closeSync(fd);
    });
    for (let i = 0; i < MANY; i++) opened();
    const found = Array.from({ length: MANY }, (_, i) => {
      closeSync(openSync('/dev/null', 'r'));
      kept.push(openSync('/dev/zero', 'r'));
      return monitor.after(testCase(`a:${i}`));
    });
    for (const fd of kept) closeSync(fd);
    expect(found.flat()).toEqual([]);
  },
);
