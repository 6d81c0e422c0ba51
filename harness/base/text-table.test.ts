import { styleText } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { padded, shortened, textTable, textWidth, wrapped } from './text-table.ts';

const red = (text: string): string => styleText('red', text, { validateStream: false });

test('the cells of a column begin below each other, whatever their characters and colours', () => {
  const lines = textTable([
    ['name', 'what'],
    ['日本語', 'wide'],
    [red('red'), 'coloured'],
    ['e\u0301', 'combining'],
    ['👩‍🔬', 'one character of many'],
  ]);
  const starts = lines.map((line, i) =>
    textWidth(line.slice(0, line.indexOf(['what', 'wide', 'coloured', 'combining', 'one'][i]!))),
  );
  expect(new Set(starts)).toEqual(new Set([8]));
});

test('numbers end below each other; no line ends in blanks', () => {
  expect(
    textTable(
      [
        ['a', '1'],
        ['bb', '100'],
        ['c', ''],
      ],
      { align: ['left', 'right'] },
    ),
  ).toEqual(['a     1', 'bb  100', 'c']);
  expect(
    textTable(
      [
        ['a', ''],
        ['b', 'x'],
      ],
      { indent: '  ', atLeast: [4] },
    ),
  ).toEqual(['  a', '  b     x']);
  expect(textTable([])).toEqual([]);
});

test('a narrow terminal: the last cell continues below its beginning, between words', () => {
  expect(textTable([['label', 'the last cell has more words than the line']], { width: 30 })).toEqual([
    'label  the last cell has more',
    '       words than the line',
  ]);
  // Room for a few words remains, however narrow it is.
  expect(textTable([['a-long-label', 'some words']], { width: 10 })).toEqual(['a-long-label  some words']);
});

test('a line is cut between words, or parts of a name, and says so', () => {
  expect(shortened('short', 80)).toBe('short');
  expect(shortened('some words that go on', 14)).toBe('some words…');
  expect(shortened('some words that go on', 11)).toBe('some words…');
  expect(shortened('buffers/host-transfer:round-trip[dtype=f32]', 30)).toBe('buffers/host-transfer:…');
  expect(shortened('x'.repeat(50), 10)).toBe(`${'x'.repeat(9)}…`);
  expect(shortened('日本語日本語', 8)).toBe('日本語…');
});

test('nothing is wider than it may be', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 60 }).map((s) => s.replace(/\p{C}/gu, ''));
  fc.assert(
    fc.property(text, fc.integer({ min: 4, max: 40 }), (line, columns) => {
      expect(textWidth(shortened(line, columns))).toBeLessThanOrEqual(columns);
      expect(textWidth(padded(line, columns))).toBe(Math.max(columns, textWidth(line)));
      for (const part of wrapped(line, columns)) expect(textWidth(part)).toBeLessThanOrEqual(columns);
    }),
  );
});
