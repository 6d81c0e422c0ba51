import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import koffi from 'koffi';
import { afterEach, expect, test } from 'vitest';
import { heapInUse } from './memory-use.ts';
import { canReadProcessState, floatControlsOfOtherThreads, readProcessState } from './process-state.ts';

const undo: (() => void)[] = [];
afterEach(() => {
  for (const step of undo.splice(0)) step();
});

const libc = canReadProcessState ? koffi.load('libc.so.6') : undefined;

test.runIf(canReadProcessState)('two readings are equal, and every kind of change is detected', () => {
  const before = readProcessState();
  const again = readProcessState();
  for (const key of [
    'signalHandlers',
    'roundingMode',
    'floatControl',
    'locale',
    'environment',
    'umask',
    'limits',
    'threadStates',
    'priority',
    'timers',
  ] as const) {
    expect(again[key]).toEqual(before[key]);
  }

  const fesetround = koffi.load('libm.so.6').func('int fesetround(int mode)');
  fesetround(0xc00);
  const rounded = readProcessState();
  fesetround(0);
  expect(rounded.roundingMode).not.toBe(before.roundingMode);
  expect(rounded.floatControl).not.toBe(before.floatControl);

  process.env.PJRT_CONFORMANCE_TEST = 'x';
  undo.push(() => delete process.env.PJRT_CONFORMANCE_TEST);
  expect(readProcessState().environment.PJRT_CONFORMANCE_TEST).toBe('x');

  const signal = libc!.func('void* signal(int number, intptr_t handler)');
  signal(30, 1);
  undo.push(() => signal(30, 0));
  expect(readProcessState().signalHandlers.get('SIGPWR')).toBe(1n);
});

test.runIf(canReadProcessState)('what belongs to a thread, and timers, are seen', async () => {
  const before = readProcessState();
  expect(before.threadStates.get(process.pid)).toMatchObject({ name: expect.stringMatching(/./) });
  expect(before.timers).toEqual([]);
  const setitimer = libc!.func('int setitimer(int which, void* value, void* old)');
  const timer = new Uint8Array(32);
  // A hundred days of CPU time.
  new DataView(timer.buffer).setBigInt64(16, 8640000n, true);
  setitimer(2, timer, null);
  undo.push(() => setitimer(2, new Uint8Array(32), null));
  expect(readProcessState().timers).toEqual(['ITIMER_PROF']);
  expect([...(await floatControlsOfOtherThreads())]).toEqual([before.floatControl]);
});

test.runIf(canReadProcessState)("the working directory is the system's, not Node's cached one", () => {
  const directory = mkdtempSync(join(tmpdir(), 'state-'));
  const then = readProcessState().workingDirectory;
  const chdir = libc!.func('int chdir(const char* path)');
  chdir(directory);
  undo.push(() => {
    chdir(then);
    rmSync(directory, { recursive: true });
  });
  expect(readProcessState().workingDirectory).toBe(directory);
});

test.runIf(canReadProcessState && heapInUse() !== undefined)('memory allocated by C code is counted', () => {
  const malloc = libc!.func('void* malloc(size_t size)');
  const free = libc!.func('void free(void* pointer)');
  const before = heapInUse()!;
  const held = Array.from({ length: 1000 }, () => malloc(1000));
  expect(heapInUse()! - before).toBeGreaterThanOrEqual(1_000_000);
  for (const pointer of held) free(pointer);
});
