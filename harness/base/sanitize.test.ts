import fc from 'fast-check';
import { expect, test } from 'vitest';
import { capturedText } from '../report/captured-text.ts';
import { cleanLine, cleanText, cut, decodeUtf8, lastLines, truncate } from './sanitize.ts';

test.each([
  ['colours', '\x1b[1;31mred\x1b[0m', 'red'],
  ['cursor movement', 'a\x1b[2K\x1b[?25lb', 'ab'],
  ['window title', '\x1b]0;title\x07text', 'text'],
  ['hyperlink', '\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\', 'link'],
  ['unterminated title keeps the text', '\x1b]0;title\nnext', '\\x1b]0;title\nnext'],
  ['charset switch', '\x1b(Btext', 'text'],
  ['lone ESC', 'a\x1b', 'a\\x1b'],
  ['NUL, BEL, DEL', '\0\x07\x7f', '\\x00\\x07\\x7f'],
  ['C1', 'a\x85b\x9b31mc', 'a\\x85bc'],
  ['line ends', 'a\r\nb\rc\nd', 'a\nb\nc\nd'],
  ['noncharacters', '\ufffe\uffff\ufffd', '\\u{fffe}\\u{ffff}\ufffd'],
  ['lone surrogates', '\ud800a\udc00 \ud834\udd1e \udc00\ud800', '\\u{d800}a\\u{dc00} 𝄞 \\u{dc00}\\u{d800}'],
  ['bidirectional controls', 'a\u202eb\u2066c\u2069\u200fd\u061c', 'a\\u{202e}b\\u{2066}c\\u{2069}\\u{200f}d\\u{61c}'],
  ['what has no width', 'a\u200bb\u2060\ufeff\xad', 'a\\u{200b}b\\u{2060}\\u{feff}\\xad'],
  ['separators of lines', 'a\u2028b\u2029', 'a\\u{2028}b\\u{2029}'],
  ['tags and fillers', '\u{e0001}\u{e0041}\u3164', '\\u{e0001}\\u{e0041}\\u{3164}'],
  ['joiners between letters of ASCII', 'ab\u200dc\u200c', 'ab\\u{200d}c\\u{200c}'],
  [
    'joiners of scripts and pictures',
    '👩\u200d💻 ❤\ufe0f 1\ufe0f\u20e3 می\u200cخواهم क्\u200dष',
    '👩\u200d💻 ❤\ufe0f 1\ufe0f\u20e3 می\u200cخواهم क्\u200dष',
  ],
  ['what is fine', 'tab\t é 漢 😀 <&>"', 'tab\t é 漢 😀 <&>"'],
])('%s', (_, given, clean) => {
  expect(cleanText(given)).toBe(clean);
});

test('clean text has only characters that XML 1.0 allows, and cleaning it again changes nothing', () => {
  const allowed = /^[\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;
  const units = fc.array(
    fc.oneof(
      fc.integer({ min: 0, max: 0xffff }),
      fc.constantFrom(0x1b, 0x5b, 0x5d, 0x0d, 0xd800, 0xdc00, 0x200b, 0x200d, 0xfe0f, 0x3164),
    ),
  );
  fc.assert(
    fc.property(units, (codes) => {
      const clean = cleanText(String.fromCharCode(...codes));
      expect(clean).toMatch(allowed);
      expect(cleanText(clean)).toBe(clean);
    }),
  );
});

test('a line remains one line', () => {
  expect(cleanLine(' a\r\n\tb\n')).toBe('a\\n b');
});

test('invalid UTF-8 becomes the replacement character', () => {
  expect(decodeUtf8(Uint8Array.of(0x61, 0xff, 0xe6, 0xbc, 0x62))).toBe('a\ufffd\ufffdb');
});

test('truncation keeps head and tail, whole code points, and the size of the gap', () => {
  expect(truncate('abcdef', 3, 3)).toBe('abcdef');
  expect(truncate('abcdefgh', 2, 3, ' here')).toBe('ab\n… [3 bytes omitted here]\nfgh');
  for (let head = 0; head < 6; head++) expect(truncate('😀😀😀😀😀', head, 3)).not.toMatch(/\p{Surrogate}/u);
});

test('captured streams show their gap; without one, escape sequences across head and tail are recognised', () => {
  expect(capturedText(undefined)).toBe('');
  expect(capturedText({ head: 'a\x1b[3', tail: '1mb', omittedBytes: 0 })).toBe('ab');
  expect(capturedText({ head: 'a\n', tail: 'z', omittedBytes: 7 })).toBe('a\n… [7 bytes omitted]\nz');
});

test('last lines and truncated lines', () => {
  expect(lastLines('', 3)).toEqual([]);
  expect(lastLines('a\nb\nc\n\n', 2)).toEqual(['b', 'c']);
  expect(lastLines(`${'x'.repeat(1e6)}\nend`, 2, 5)).toEqual(['xxxx…', 'end']);
  expect(cut('a😀b', 3)).toBe('a…');
});
