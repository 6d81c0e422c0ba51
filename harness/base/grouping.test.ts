import { expect, test } from 'vitest';
import { groupedBy, tallied } from './grouping.ts';

test('groups and their things are in the order in which they occur', () => {
  const groups = groupedBy(['pear', 'fig', 'plum', 'apple', 'kiwi'], (word) => word.length);
  expect([...groups]).toEqual([
    [4, ['pear', 'plum', 'kiwi']],
    [3, ['fig']],
    [5, ['apple']],
  ]);
});

test('a tally counts each value once', () => {
  expect([...tallied(['b', 'a', 'b'])]).toEqual([
    ['b', 2],
    ['a', 1],
  ]);
  expect(tallied([])).toEqual(new Map());
});
