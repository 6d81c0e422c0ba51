import { describe, expect, test } from 'vitest';
import { NO_FILTER, Search } from './filter.ts';
import { groupsOf } from './groups.ts';
import type { Numeric, Row } from './report.ts';
import { tick, timelineOf } from './timeline.ts';
import { histogram, operations, share } from './ulp.ts';

const suite = { suite: 'buffers/copies' } as Row['suite'];
const row = (id: string, more: Partial<Row> = {}): Row => ({
  index: 0,
  id,
  name: id,
  title: `Title of ${id}`,
  suite,
  file: 'suites/load.yaml',
  line: 1,
  level: 'must',
  covers: [],
  tags: [],
  status: 'pass',
  breach: null,
  fails: false,
  accepted: false,
  informative: false,
  known: false,
  detailed: false,
  durationMs: 1,
  nativeMs: 1,
  calls: 1,
  startMs: 0,
  endMs: 1,
  worker: 1,
  message: '',
  about: [],
  breaks: [],
  cause: 0,
  ...more,
});

describe('searching and filtering', () => {
  const rows = [
    row('a/x:one', { covers: ['R-1'], tags: ['slow'] }),
    row('a/x:two', { index: 1, status: 'fail', fails: true, message: 'it Broke', breaks: ['R-2'], about: ['PJRT_F'] }),
    row('b/y:three', { index: 2, status: 'warn', level: 'should', suite: { suite: 'b/y' } as Row['suite'] }),
  ];
  const search = new Search(rows);
  const ids = (filter: object): string[] => search.select({ ...NO_FILTER, ...filter }).map(({ id }) => id);

  test.each([
    [{}, ['a/x:one', 'a/x:two', 'b/y:three']],
    [{ q: 'BROKE title' }, ['a/x:two']],
    [{ q: 'one two' }, []],
    [{ status: ['pass', 'warn'] }, ['a/x:one', 'b/y:three']],
    [{ suite: 'buffers/' }, ['a/x:one', 'a/x:two']],
    [{ suite: 'b' }, []],
    [{ suite: 'b/y' }, ['b/y:three']],
    [{ level: 'should' }, ['b/y:three']],
    [{ requirement: 'R-2' }, ['a/x:two']],
    [{ requirement: 'R-1' }, ['a/x:one']],
    [{ tag: 'slow' }, ['a/x:one']],
    [{ call: 'PJRT_F' }, ['a/x:two']],
    [{ fails: true }, ['a/x:two']],
  ])('%j', (filter, expected) => expect(ids(filter)).toEqual(expected));

  test('counts of statuses do not depend on which statuses are shown', () => {
    const counts = search.statusCounts({ ...NO_FILTER, status: ['fail'], suite: 'buffers/copies' });
    expect(Object.fromEntries(counts)).toEqual({ pass: 1, fail: 1 });
  });
});

test('failures that differ only in numbers are one group', () => {
  const rows = ['3 of 9 differ at 0x7f', '12 of 20 differ at 0xab', 'something else'].map((message, at) =>
    row(`c${at}`, { message }),
  );
  expect(groupsOf(rows, 'message').map((group) => group.rows.length)).toEqual([2, 1]);
});

test('a case that names no requirement or call is in a group too', () => {
  const rows = [row('a', { breaks: ['R-1', 'R-2'] }), row('b', { about: ['PJRT_F'] }), row('c')];
  const keys = (by: 'requirement' | 'call'): string[] => groupsOf(rows, by).map(({ key }) => key);
  expect(keys('requirement')).toEqual(['', 'R-1', 'R-2']);
  expect(keys('call')).toEqual(['', 'PJRT_F']);
});

test('root causes come in the order of their numbers, and cases without one come last', () => {
  const rows = [row('a'), row('b', { cause: 10 }), row('c', { cause: 2 }), row('d', { cause: 10 })];
  expect(groupsOf(rows, 'cause').map(({ key, rows: cases }) => [key, cases.length])).toEqual([
    ['2', 1],
    ['10', 2],
    ['', 1],
  ]);
  const ids = new Search(rows.map((one, index) => ({ ...one, index }))).select({ ...NO_FILTER, cause: '10' });
  expect(ids.map(({ id }) => id)).toEqual(['b', 'd']);
});

describe('distances', () => {
  const numeric = (
    maxUlp: number,
    allowedUlp: number,
    id = 'n:x[op=tanh,dtype=f32]',
    more: Partial<Numeric> = {},
  ): Numeric => ({
    row: row(id),
    what: 'y',
    maxUlp,
    allowedUlp,
    index: 0,
    expectedBits: '',
    actualBits: '',
    beyond: maxUlp > allowedUlp,
    op: null,
    dtype: null,
    nanMismatches: 0,
    infinityMismatches: 0,
    signMismatches: 0,
    withinAbsolute: 0,
    meets: null,
    ...more,
  });

  test('are counted in bins by powers of two, with both ends complete', () => {
    const bins = histogram([0, 0.5, 1, 2, 3, 4, 5, 8, Number.POSITIVE_INFINITY].map((ulp) => numeric(ulp, 4)));
    expect(bins).toEqual([
      { label: '0', inside: 1, beyond: 0 },
      { label: '1', inside: 2, beyond: 0 },
      { label: '2', inside: 1, beyond: 0 },
      { label: '3–4', inside: 2, beyond: 0 },
      { label: '5–8', inside: 0, beyond: 2 },
      { label: 'NaN, ∞, ±', inside: 0, beyond: 1 },
    ]);
  });

  test('of an operation are judged by the share of their bound, and any distance exceeds a bound of 0', () => {
    const [first, second] = operations([
      numeric(1, 0, 'n:x[op=abs,dtype=f16]'),
      numeric(10, 20),
      numeric(3, 4, 'n:x[dtype=f16,op=tanh]'),
    ]);
    expect([first!.name, first!.worst.maxUlp]).toEqual(['n:x[op=abs]', 1]);
    expect([second!.name, second!.comparisons, second!.worst.maxUlp]).toEqual(['n:x[op=tanh]', 2, 3]);
  });

  test('with NaN on one side are not exact, although all other elements are', () => {
    const nan = numeric(0, 4, 'n:x[op=max]', { beyond: true, nanMismatches: 8 });
    expect(share(nan)).toBe(Number.POSITIVE_INFINITY);
    expect(operations([nan, numeric(0, 4, 'n:x[op=max]')])).toMatchObject([{ exact: 1, comparisons: 2, worst: nan }]);
    expect(histogram([nan])).toEqual([{ label: 'NaN, ∞, ±', inside: 0, beyond: 1 }]);
  });

  test('that pass only by an absolute bound are neither exact nor beyond', () => {
    const near = numeric(0, 4, 'n:x[op=sine]', { withinAbsolute: 3 });
    expect(operations([near])).toMatchObject([{ exact: 0 }]);
    expect(histogram([near])).toEqual([{ label: '0', inside: 1, beyond: 0 }]);
  });
});

describe('the timeline', () => {
  test('reuses the row of a worker that has ended, and never draws two over each other', () => {
    const at = (worker: number, startMs: number, endMs: number): Row => row(`c${startMs}`, { worker, startMs, endMs });
    const { workers, lanes, endMs } = timelineOf([at(1, 0, 10), at(2, 5, 30), at(3, 12, 20)], [], 25);
    expect([lanes, endMs]).toEqual([2, 30]);
    expect(workers.map(({ lane }) => lane)).toEqual([0, 1, 0]);
  });

  test.each([
    [1000, 10, 100],
    [950, 5, 200],
    [7, 10, 1],
  ])('%d ms in about %d marks: one every %d ms', (span, marks, step) => expect(tick(span, marks)).toBe(step));
});
