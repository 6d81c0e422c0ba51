import { expect, test } from 'vitest';
import { backtraceOf, backtraceText, placeOf } from './backtrace.ts';
import { type GdbFrame, MOST_STACK, SIGNAL } from './gdb-stacks.ts';

/** Addresses by what lies there. */
const place = (address: bigint) => {
  const module = ['/vendor/libfoo.so', '/lib/libc.so.6', process.execPath][Number(address >> 12n)];
  return module === undefined ? undefined : { module, offset: `0x${(address & 0xfffn).toString(16)}` };
};
const plugin = (name: string | undefined, line?: number): GdbFrame => ({
  address: 0x10n,
  ...(name === undefined ? {} : { function: name }),
  ...(line === undefined ? {} : { file: '/src/foo/read.cc', line }),
});
const libc = (name: string): GdbFrame => ({ address: 0x1020n, function: name });
const node = (name: string): GdbFrame => ({ address: 0x2030n, function: name });
const signal: GdbFrame = { address: 0x1040n, function: SIGNAL };

test('of a process that died it is the thread on which the signal came, without the handler and the harness', () => {
  const stacks = [
    [node('idle')],
    [libc('nanosleep'), libc('died'), signal, libc('raise'), libc('abort'), plugin('foo::Check', 12), node('call')],
  ];
  const backtrace = backtraceOf(stacks, place, true)!;
  expect(backtraceText(backtrace)).toBe(`where it died, innermost call first:
    raise (libc.so.6+0x20)
    abort (libc.so.6+0x20)
    foo::Check (read.cc:12)`);
  expect(placeOf(backtrace)).toBe('foo::Check (read.cc:12)');
  expect(backtrace.threads[0]!.frames.at(-1)).toEqual({
    function: 'foo::Check',
    file: '/src/foo/read.cc',
    line: 12,
    module: '/vendor/libfoo.so',
    offset: '0x10',
  });
});

test('of one that stood it is every thread that was in the plugin, the same ones once', () => {
  const pool = [libc('futex_wait'), plugin('foo::Work', 7), libc('start_thread')];
  const stacks = [[libc('pause'), plugin(undefined), node('call')], [node('idle')], pool, pool, pool];
  expect(backtraceText(backtraceOf(stacks, place, false)!)).toBe(`where it stood, innermost call first:
    pause (libc.so.6+0x20)
    a function without a name (libfoo.so+0x10)
another thread, as 2 others are:
    futex_wait (libc.so.6+0x20)
    foo::Work (read.cc:7)`);
});

test('a process that stood in nothing of the plugin has none', () => {
  expect(backtraceOf([[libc('epoll_wait'), node('loop')]], place, false)).toBeUndefined();
  expect(backtraceOf([], place, true)).toBeUndefined();
});

test('where nothing of the plugin is seen, the innermost frames are kept', () => {
  const deep = Array.from({ length: 30 }, (_, i) => node(`f${i}`));
  expect(backtraceOf([[signal, ...deep]], place, true)!.threads[0]!.frames).toHaveLength(8);
});

test('names and numbers are bounded, and print nothing but text', () => {
  const many = Array.from({ length: 100 }, (_, i) => plugin(`${'x'.repeat(1000)}${i}`));
  const threads = Array.from({ length: 50 }, (_, i) => [plugin(`\x1b[2J\n${i}`)]);
  expect(backtraceOf([[signal, ...many]], place, true)!.threads[0]!.frames).toHaveLength(40);
  const [frame] = backtraceOf([[signal, ...many]], place, true)!.threads[0]!.frames;
  expect(frame!.function).toMatch(/^x{199}…$/);
  const text = backtraceText(backtraceOf(threads, place, false)!);
  expect(text).not.toMatch(/\x1b/);
  // A heading and a frame of each thread, and what is left out.
  expect(text.split('\n')).toHaveLength(33);
});

test('frames and threads that are left out are counted, or said to be', () => {
  const deep = Array.from({ length: 60 }, () => plugin('foo::Descend', 3));
  const died = backtraceOf([[signal, ...deep, node('call')]], place, true)!;
  expect(died.threads[0]!.more).toBe(true);
  expect(backtraceText(died).split('\n').at(-1)).toBe('    … and further ones');
  const unseen = Array.from({ length: 9 }, (_, i) => node(`f${i}`));
  expect(backtraceOf([[signal, ...unseen]], place, true)!.threads[0]!.more).toBe(true);
  expect(backtraceOf([[signal, ...unseen.slice(1)]], place, true)!.threads[0]!.more).toBeUndefined();
  // gdb writes so many: what is below is unknown, and matters if it may be the plugin's.
  const handler = Array.from({ length: 40 }, () => libc('handler'));
  const rest = (make: () => GdbFrame) => Array.from({ length: MOST_STACK - 42 }, make);
  const cut = (make: () => GdbFrame) => [...handler, signal, plugin('foo::Check'), ...rest(make)];
  expect(backtraceOf([cut(() => plugin('foo::Descend'))], place, true)!.threads[0]!.more).toBe(true);
  expect(backtraceOf([cut(() => node('call'))], place, true)!.threads[0]!.more).toBeUndefined();
  const pool = Array.from({ length: 18 }, (_, i) => [plugin(`f${i}`)]);
  const stood = backtraceOf([...pool, [plugin('f17')]], place, false)!;
  expect([stood.threads.length, stood.more]).toEqual([16, 3]);
  expect(backtraceText(stood).split('\n').at(-1)).toBe('and 3 further threads');
});

test('where the signal cannot be seen, no thread is said to have died', () => {
  const { kind, threads } = backtraceOf([[plugin('a')], [plugin('b')]], place, true)!;
  expect([kind, threads.length]).toEqual(['stood', 2]);
});
