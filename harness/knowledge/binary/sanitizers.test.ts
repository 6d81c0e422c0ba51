import { expect, test } from 'vitest';
import { sanitizersOf } from './sanitizers.ts';

const library = (imported: readonly string[], needed: readonly string[] = [], weak = false) => ({
  symbols: { exported: [], imported: imported.map((name, index) => ({ name, weak, index })) },
  needed: [...needed],
});
const found = (...args: Parameters<typeof library>): string[] =>
  sanitizersOf(library(...args) as unknown as Parameters<typeof sanitizersOf>[0]).map(
    ({ name, runtime }) => `${name} ${runtime}`,
  );

test.each<[string, string[], string[], string[]]>([
  ['none', ['malloc', 'PJRT_x'], ['libc.so.6'], []],
  ['of GCC', ['__asan_init'], ['libasan.so.8', 'libc.so.6'], ['AddressSanitizer libasan.so.8']],
  [
    'of Clang',
    ['__asan_init', '__ubsan_handle_add_overflow'],
    ['libc.so.6'],
    ['AddressSanitizer undefined', 'UndefinedBehaviorSanitizer undefined'],
  ],
  [
    'two of GCC',
    ['__asan_init', '__ubsan_handle_x'],
    ['libasan.so.8', 'libubsan.so.1'],
    ['AddressSanitizer libasan.so.8', 'UndefinedBehaviorSanitizer libubsan.so.1'],
  ],
  ['that imports nothing', [], ['liblsan.so.0'], ['LeakSanitizer liblsan.so.0']],
  ['of uninitialized memory', ['__msan_init'], [], ['MemorySanitizer undefined']],
  ['of races', ['__tsan_func_entry'], ['libtsan.so.2'], ['ThreadSanitizer libtsan.so.2']],
  [
    "Clang's as a shared library",
    ['__asan_init'],
    ['libclang_rt.asan-x86_64.so'],
    ['AddressSanitizer libclang_rt.asan-x86_64.so'],
  ],
])('%s', (_, imported, needed, names) => {
  expect(found(imported, needed)).toEqual(names);
});

test('what is only used where it is there needs no runtime', () => {
  expect(found(['__asan_poison_memory_region', '__lsan_ignore_object'], [], true)).toEqual([]);
});
