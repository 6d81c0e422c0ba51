import { expect, test } from 'vitest';
import { cArray, cString, cText, isPlainText } from './c-literals.ts';

test('texts are literals that no compiler reads otherwise', () => {
  expect(cString('say "hi"\\ ??/\n\x01\xff')).toBe('"say \\"hi\\"\\\\ \\?\\?/\\n\\001\\377"');
  expect(cText(Buffer.from('module {\n}'), '  ')).toBe('"module {\\n"\n  "}"');
  expect([Buffer.from('a\tb\n'), Buffer.from([0]), Buffer.from([])].map(isPlainText)).toEqual([true, false, false]);
});

test('bytes are elements of their type, or words', () => {
  const bytes = Buffer.alloc(16);
  bytes.writeBigInt64LE(-2n, 0);
  bytes.writeBigInt64LE(-(2n ** 63n), 8);
  expect(cArray(bytes, 'int64_t')).toBe('(const int64_t[]){-2, INT64_MIN}');
  expect(cArray(bytes.subarray(0, 4), 'unknown')).toBe('(const uint32_t[]){0xfffffffe}');
  expect(cArray(Buffer.from([1, 2, 3]), 'unknown')).toBe('(const uint8_t[]){1, 2, 3}');
});
