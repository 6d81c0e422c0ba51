import { describe, expect, it } from 'vitest';
import { deviationFor, idleDeviations, matchesCase } from './deviations.ts';

describe('matchesCase', () => {
  const id = 'buffers/host:round-trip[dtype=f32,shape=[2,3]]';
  it.each([
    [id, true],
    ['buffers/host:round-trip[dtype=f32,shape=[2,3]', false],
    ['buffers/host:round-trip[dtype=f3,shape=[2,3]]', false],
    ['buffers/host:round-trip*', true],
    ['buffers/host:*', true],
    ['buffers/*', true],
    ['*/host:*', true],
    ['*', false],
    ['**', true],
    ['buffers/**', true],
    ['buffers/host:round-trip[dtype=?32,*]', true],
    ['buffers/host:round-trip[dtype={f32,f64},*', true],
    ['buffers/host:round-trip[dtype={s8,f64},*', false],
    ['other/**', false],
    ['buffers/host:round-trip', false],
  ])('%s: %s', (glob, expected) => {
    expect(matchesCase(glob, id)).toBe(expected);
  });

  it('takes the characters of globs and of regular expressions in ids literally', () => {
    const odd = 'a/b:c[value=1+2i,name=x(y)|z!,neg=-0.5,of=$^]';
    expect(matchesCase(odd, odd)).toBe(true);
    expect(matchesCase('a/b:c[value=1+2i,*', odd)).toBe(true);
    expect(matchesCase('a/b:c[value=112i,*', odd)).toBe(false);
    expect(matchesCase('a/b:c[value=1+2i,*', odd.replace('1+2i', '112i'))).toBe(false);
    expect(matchesCase('!a/b:*', odd)).toBe(false);
  });

  it('lets a star after the colon span slashes, but not one in the suite path', () => {
    const program = 'compile/programs:run[program=elementwise/add_f32]';
    expect(matchesCase('compile/programs:*', program)).toBe(true);
    expect(matchesCase('compile/programs:run[program=elementwise/*', program)).toBe(true);
    expect(matchesCase('compile*', program)).toBe(false);
    expect(matchesCase('a*:x', 'a/b:x')).toBe(false);
  });
});

describe('deviationFor', () => {
  const of = (cases: string, reason: string) => ({ cases, requirement: 'REQ-1', reason, evidence: 'measured' });
  const manifest = { deviations: [of('a:b[x=1]', 'exact'), of('a:*', 'general'), of('gone:*', 'idle')] };

  it('gives the first that fits, and nothing for others', () => {
    expect(deviationFor(manifest, 'a:b[x=1]')?.reason).toBe('exact');
    expect(deviationFor(manifest, 'a:b[x=2]')?.reason).toBe('general');
    expect(deviationFor(manifest, 'c:d')).toBeUndefined();
    expect(deviationFor(undefined, 'a:b')).toBeUndefined();
  });

  it('finds those that fit no case', () => {
    expect(idleDeviations(manifest, ['a:b[x=1]', 'c:d']).map(({ reason }) => reason)).toEqual(['idle']);
  });
});
