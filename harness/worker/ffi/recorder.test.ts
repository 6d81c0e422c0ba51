import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { eventLoopRecorder } from './event-loop-recorder.ts';
import { functionAt, pjrtFunctionAt } from './function.ts';
import { libcAddress, mapPages } from './libc.ts';
import { writeBytes } from './memory.ts';
import { nativeRecorder } from './native-recorder.ts';
import { record } from './recorder.ts';
import { recorderLibrary } from './recorder-library.ts';
import type { Recorder, RecorderOptions } from './recording.ts';

const call = (address: bigint, ...words: bigint[]): unknown =>
  functionAt(
    address,
    'uint64_t PjrtSix(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f)',
  )(...Array.from({ length: 6 }, (_, i) => words[i] ?? 0n));

const text = (of: string): bigint => {
  const { address } = mapPages(64);
  writeBytes(address, Buffer.from(of));
  return address;
};

describe.each<[string, (options: RecorderOptions) => Recorder | undefined]>([
  ['native', nativeRecorder],
  ['of the event loop', eventLoopRecorder],
])('a recorder, %s', (kind, make) => {
  const record = (options: RecorderOptions = {}): Recorder => make(options)!;

  it('records each call and returns null', () => {
    const recorder = record();
    expect(recorder.count()).toBe(0);
    expect(pjrtFunctionAt(recorder.address)(7n)).toBeNull();
    call(recorder.address, 1n, 2n, 3n, 4n, 5n, 2n ** 63n);
    expect(recorder.count()).toBe(2);
    const [first, second] = recorder.firings();
    expect(first!.arguments[0]).toBe(7n);
    expect(second!.arguments).toEqual([1n, 2n, 3n, 4n, 5n, 2n ** 63n]);
    expect(second).toMatchObject({ own: kind === 'native', changed: [] });
    recorder.release();
  });

  it('makes its inner calls once, in order', () => {
    const inner = (name: string, argument: bigint) => ({ function: libcAddress(name), arguments: argument, name: 0 });
    const recorder = record({ calls: [inner('labs', -7n & (2n ** 64n - 1n)), inner('atol', text('24'))] });
    expect(recorder.answer(0)).toBeUndefined();
    pjrtFunctionAt(recorder.address)(1n);
    pjrtFunctionAt(recorder.address)(1n);
    expect([recorder.answer(0), recorder.answer(1), recorder.answer(2)]).toEqual([7n, 24n, undefined]);
    recorder.release();
  });

  it('copies what it is shown, call by call, and forgets it', () => {
    const recorder = record({ copying: true });
    call(recorder.address, text('key'), 3n, text('value'), 5n);
    call(recorder.address, text('k'), 1n, 0n, 0n);
    expect(recorder.copies().map(String)).toEqual(['107,101,121', '118,97,108,117,101', '107', '']);
    recorder.reset();
    expect(recorder.copies()).toEqual([]);
    call(recorder.address, text('x'), 1n, text('y'), 1n);
    expect(recorder.copies().map(String)).toEqual(['120', '121']);
    recorder.release();
  });
});

it('gives out every native slot, and goes on without', () => {
  const many = Array.from({ length: 600 }, () => record());
  expect(new Set(many.map(({ address }) => address)).size).toBe(600);
  for (const recorder of many) {
    pjrtFunctionAt(recorder.address)(1n);
    expect(recorder.count()).toBe(1);
    recorder.release();
  }
  const again = record();
  expect(again.firings()).toEqual([]);
  expect(again.count()).toBe(0);
});

it('is called from another thread while this one is busy', async () => {
  const recorder = record();
  const native = pjrtFunctionAt(recorder.address);
  const back = new Promise((resolve) => native.async(3n, (_error, result) => resolve(result)));
  const until = performance.now() + 5000;
  while (recorder.count() === 0 && performance.now() < until);
  expect(recorder.firings()).toMatchObject([{ own: false }]);
  expect(await back).toBeNull();
});

it('makes calls that come while it is open, on the thread of its caller', async () => {
  const recorder = nativeRecorder({ open: true })!;
  const back = new Promise((resolve) =>
    pjrtFunctionAt(recorder.address).async(3n, (_error, result) => resolve(result)),
  );
  const inside = nativeRecorder({})!;
  for (const argument of [5n, 6n]) {
    const place = recorder.make({ function: inside.address, arguments: argument, name: 0 });
    while (recorder.answer(place) === undefined) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(recorder.entries()).toMatchObject([{ own: false }]);
  expect(recorder.firings()).toEqual([]);
  expect(inside.firings().map((firing) => [firing.arguments[0], firing.own])).toEqual([
    [5n, false],
    [6n, false],
  ]);
  recorder.close();
  expect(await back).toBeNull();
  expect(recorder.firings()).toHaveLength(1);
});

it('native code that the loader refuses is an error, and none is none', () => {
  expect(recorderLibrary('/no/such/file.so')).toBeNull();
  expect(() => recorderLibrary(fileURLToPath(import.meta.url))).toThrow(
    /^the native code of this package does not load: .*recorder\.test\.ts/,
  );
});
