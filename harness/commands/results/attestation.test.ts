import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packagePath } from '../../base/paths.ts';
import { attestedBy } from './attestation.ts';

const read = (...path: string[]): string => readFileSync(packagePath(...path), 'utf8');
const bundle = read('fixtures', 'attestation', 'bundle.zip.sigstore.json');
/** Of the authorities that made this bundle; nobody else trusts them. */
const root = read('fixtures', 'attestation', 'trusted-root.json');
const sha256 = createHash('sha256').update('the bundle of a run\n').digest('hex');

const changed = (change: (value: Record<string, Record<string, unknown>>) => void): string => {
  const value = JSON.parse(bundle) as Record<string, Record<string, unknown>>;
  change(value);
  return JSON.stringify(value);
};
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

test('a valid attestation names the workflow and who vouches for it', () => {
  expect(attestedBy(bundle, ['00'.repeat(32), sha256], root)).toEqual({
    issuer: 'https://token.actions.githubusercontent.com',
    identity: 'https://github.com/example/foo/.github/workflows/conformance.yml@refs/heads/main',
  });
});

test('the trusted roots may be several, one a line', () => {
  const lines = [read('dist', 'trusted-root.json'), root].map((text) => JSON.stringify(JSON.parse(text)));
  expect(attestedBy(bundle, [sha256], lines.join('\n')).issuer).toMatch(/^https:/);
});

test.each<[string, string, string[], string]>([
  ['about another file', bundle, ['00'.repeat(32)], root],
  ['of authorities that nobody trusts', bundle, [sha256], read('dist', 'trusted-root.json')],
  [
    'with another statement',
    changed(({ dsseEnvelope }) => {
      dsseEnvelope!.payload = encoded({ subject: [{ name: 'bundle.zip', digest: { sha256: '11'.repeat(32) } }] });
    }),
    ['11'.repeat(32)],
    root,
  ],
  [
    'without its entry in the log',
    changed(({ verificationMaterial }) => {
      verificationMaterial!.tlogEntries = [];
    }),
    [sha256],
    root,
  ],
  ['that is something else', '{}', [sha256], root],
  ['that is no JSON', 'x', [sha256], root],
])('one %s is refused', (_, text, digests, trusted) => {
  expect(() => attestedBy(text, digests, trusted)).toThrow(/./);
});
