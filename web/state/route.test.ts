import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NO_FILTER } from '../data/filter.ts';
import { formatRoute, parseRoute, route, VIEWS } from './route.ts';

const text = fc.string({ unit: 'binary', maxLength: 30 });

test('every route can be written and read again', () => {
  const routes = fc.record({
    view: fc.constantFrom(...VIEWS),
    id: fc.option(fc.string({ unit: 'grapheme', minLength: 1 }), { nil: undefined }),
    filter: fc.record({
      q: text,
      suite: text,
      level: text,
      requirement: text,
      tag: text,
      call: text,
      cause: text,
      fails: fc.boolean(),
      status: fc.subarray(['pass', 'fail', 'crash'] as const),
    }),
    how: fc.constantFrom<Record<string, string>>({}, { sort: 'slowest' }, { group: 'call' }),
  });
  fc.assert(
    fc.property(routes, ({ id, ...rest }) => {
      const given = { ...rest, ...(id === undefined ? {} : { id }) };
      expect(parseRoute(formatRoute(given))).toEqual(given);
    }),
  );
});

test('ids stay readable in URLs', () => {
  expect(formatRoute(route('cases', { id: 'a/b:c[d=1,e=2x3]', filter: { status: ['fail'] } }))).toBe(
    '#/cases/a/b:c[d=1,e=2x3]?status=fail',
  );
});

test.each(['', '#', '#main', '#/nowhere?x=1', '#/%E0%A4%A'])('%j leads to the overview', (hash) => {
  expect(parseRoute(hash)).toEqual({ view: 'overview', filter: NO_FILTER, how: {} });
});
