import { describe, expect, it } from 'vitest';
import { deviationFor, idleDeviations } from './deviations.ts';

describe('deviationFor', () => {
  const of = (cases: string, reason: string) => ({ cases, requirement: 'REQ-1', reason, evidence: 'measured' });
  const manifest = { deviations: [of('a:b[x=1]', 'exact'), of('a:*', 'general'), of('gone:*', 'idle')] };

  it('returns the first match, or undefined', () => {
    expect(deviationFor(manifest, 'a:b[x=1]')?.reason).toBe('exact');
    expect(deviationFor(manifest, 'a:b[x=2]')?.reason).toBe('general');
    expect(deviationFor(manifest, 'c:d')).toBeUndefined();
    expect(deviationFor(undefined, 'a:b')).toBeUndefined();
  });

  it('finds those that match no case', () => {
    expect(idleDeviations(manifest, ['a:b[x=1]', 'c:d']).map(({ reason }) => reason)).toEqual(['idle']);
  });
});
