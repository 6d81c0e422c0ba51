import { describe, expect, it } from 'vitest';
import { NEWEST_MINOR } from './abi.ts';
import { ABI_TABLE } from './abi-table.ts';
import { expectedTableBytes, versionStanding } from './version-policy.ts';

describe('expectedTableBytes', () => {
  it.each([
    [34, [792]],
    [35, [800, 792]],
    [36, [808]],
    [40, [816, 808]],
    [55, [840, 808]],
    [56, [848, 816, 808]],
    [57, [848]],
    [114, [1144]],
    [117, [1144]],
    [NEWEST_MINOR + 1, []],
  ])('0.%i: %j', (minor, bytes) => {
    expect(expectedTableBytes(minor)).toEqual(bytes);
  });
});

describe('versionStanding', () => {
  it.each([
    [0, 30, 'older'],
    [0, 31, 'known'],
    [0, NEWEST_MINOR, 'known'],
    [0, NEWEST_MINOR + 1, 'newer'],
    [1, 0, 'newer'],
    [-1, 100, 'older'],
  ] as const)('%i.%i is %s', (major, minor, standing) => {
    expect(versionStanding(major, minor)).toBe(standing);
  });
});

it('the table names the minors that stood for more than one layout', () => {
  expect(ABI_TABLE.reused.map(({ minor }) => minor)).toEqual([56, 61, 70]);
});
