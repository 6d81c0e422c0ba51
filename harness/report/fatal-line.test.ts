import { expect, test } from 'vitest';
import { fatalText, lastWords } from './fatal-line.ts';

const NOISE = 'WARNING: All log messages before absl::InitializeLog() is called are written to STDERR';

test.each([
  'F0000 00:00:1795816729.889839    3461 cpu_client.cc:1156] Check failed: src_buffers[i].IsConcrete()',
  'F1127 21:47:19.123456  3461 client.cc:12] Check failed: id >= 0 (-1 vs. 0)',
  "plugin: client.cc:12: int lookup(int): Assertion `id >= 0' failed.",
  'Assertion failed: (id >= 0), function lookup, file client.cc, line 12.',
  '==77==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000011',
  'client.cc:3:7: runtime error: index 9 out of bounds for type',
  'double free or corruption (fasttop)',
  'free(): invalid pointer',
  '*** stack smashing detected ***: terminated',
  '*** SIGSEGV received at time=1795816729 on cpu 3 ***',
  'LLVM ERROR: unknown target',
  "thread 'main' panicked at src/lib.rs:3:5:",
])('%s says why the process ended, whatever comes before and after', (line) => {
  const text = [NOISE, 'E0000 00:00:1 1 a.cc:1] odd', line, 'E0000 00:00:2 1 b.cc:1] later', '    @ 0x1 f()'].join(
    '\n',
  );
  expect(fatalText(text)).toEqual({
    fatal: [line],
    before: 2,
    after: ['E0000 00:00:2 1 b.cc:1] later', '    @ 0x1 f()'],
  });
  expect(lastWords(text)).toBe(line);
});

test('an exception has its message', () =>
  expect(
    lastWords("noise\nterminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n"),
  ).toBe("terminate called after throwing an instance of 'std::bad_alloc' what():  std::bad_alloc"));

test('without such a line it is the last before the stack trace; warnings and words that look alike are none', () => {
  const text = `${NOISE}\nW0000 00:00:1 1 a.cc:1] Check failed\nfreeing 3 buffers\n*** Begin stack trace ***\n\t@ 0x1 f()\n`;
  expect(fatalText(text).fatal).toEqual([]);
  expect(lastWords(text)).toBe('freeing 3 buffers');
  expect(lastWords('')).toBeUndefined();
});
