import { expect, test } from 'vitest';
import { formatDiff } from './format-diff.ts';

const sum = { plugins: ['./a.so, PJRT C API 0.106'], calls: 40, executions: 10 };

test('what differs, the largest difference first, with calls an execution', () => {
  const diff = {
    first: sum,
    second: { ...sum, calls: 76, executions: 20 },
    calls: [
      { function: 'PJRT_A', first: 3, second: 0 },
      { function: 'PJRT_B', first: 0, second: 4 },
      { function: 'PJRT_C', first: 10, second: 20 },
      { function: 'PJRT_Long', first: 5, second: 40 },
    ],
    traits: [
      { trait: 'struct size' as const, where: 'PJRT_C_Args', first: ['24'], second: ['24', '32'] },
      { trait: 'compile option' as const, where: 'debugOptions.7', first: [], second: ['1'] },
      { trait: 'error' as const, where: 'PJRT_C, code 12: no', first: ['1 ×'], second: [] },
    ],
  };
  expect(formatDiff(diff, ['old', 'new'])).toBe(`first   old: 40 calls, 10 executions, of ./a.so, PJRT C API 0.106
second  new: 76 calls, 20 executions, of ./a.so, PJRT C API 0.106

only the first calls
  PJRT_A  3

only the second calls
  PJRT_B  4

  other numbers of calls  first  second  an execution
  PJRT_Long                   5      40           0.5  2.0
  PJRT_C                     10      20           1.0  1.0

struct sizes
  PJRT_C_Args: 24 → 24 | 32

compile options
  1 field without a known name: --format json has them

errors
  PJRT_C, code 12: no: 1 × → none
`);
});

test('no difference', () => {
  const diff = { first: sum, second: sum, calls: [], traits: [] };
  expect(formatDiff(diff, ['a', 'b'])).toMatch(/\n\nno difference in what is called\n$/);
});
