import { expect, test } from 'vitest';
import { stampVersion } from './stamp-version.ts';

const artifact = (version: string): Uint8Array =>
  Buffer.concat([Buffer.from('4d4cef520d', 'hex'), Buffer.from(`StableHLO_v${version}\0rest\0`, 'latin1')]);

test.each(['0.9.0', '1.0.0', '1.13.0', '10.20.30'])('a shorter, equal or longer version: %s', (version) => {
  expect(Buffer.from(stampVersion(artifact('1.0.0'), version))).toEqual(Buffer.from(artifact(version)));
});

test('bytes that are not an artifact are rejected', () => {
  expect(() => stampVersion(Buffer.from('4d4cef520d', 'hex'), '1.0.0')).toThrow('not a portable artifact');
  expect(() => stampVersion(Buffer.from('module @x {}\0'), '1.0.0')).toThrow('not a portable artifact');
});
