import { expect, test } from 'vitest';
import { deviceRows } from './device-rows.ts';

test('a range makes rows, which are named by the values in which they differ', () => {
  expect(deviceRows(['TPU=0..1 PORT=10..11 BOUNDS=1,1,1'])).toEqual([
    { name: '0_10', env: { TPU: '0', PORT: '10', BOUNDS: '1,1,1' }, text: 'TPU=0 PORT=10 BOUNDS=1,1,1' },
    { name: '1_11', env: { TPU: '1', PORT: '11', BOUNDS: '1,1,1' }, text: 'TPU=1 PORT=11 BOUNDS=1,1,1' },
  ]);
  expect(deviceRows(['A=GPU-1/0', 'A=']).map(({ name }) => name)).toEqual(['GPU-1-0', 'none']);
});

test.each([
  [['X'], 'expected NAME=VALUE'],
  [[''], 'expected NAME=VALUE'],
  [['A=0 A=1'], 'a variable has two values'],
  [['A=0..1 B=0..2'], 'the ranges differ in length'],
  [['A=5..3'], 'no range'],
  [['A=1', 'A=1'], 'are the same device'],
])('refuses %j', (rows, message) => {
  expect(() => deviceRows(rows)).toThrow(message);
});
