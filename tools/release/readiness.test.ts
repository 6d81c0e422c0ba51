import { expect, test } from 'vitest';
import { unreadiness } from './readiness.ts';

const FILES = [
  'dist/worker/ffi/recorder-linux-x64.so',
  'dist/worker/ffi/recorder-linux-arm64.so',
  'dist/worker/ffi/recorder-darwin-x64.so',
  'dist/worker/ffi/recorder-darwin-arm64.so',
  'plugins/reference/prebuilt/linux-x64/pjrt-plugin-reference.so',
];
const READY = { version: '1.2.3', changes: '', tags: ['v1.2.3'], files: FILES };

test('a tagged commit without changes, with all native parts, may be published', () => {
  expect(unreadiness(READY)).toEqual([]);
});

test.each([
  ['a change', { changes: ' M README.md' }, 'files are not committed:\n M README.md'],
  ['another tag', { tags: ['v1.2.2'] }, 'the commit has no tag v1.2.3, the version of package.json'],
  [
    'no library',
    { files: FILES.slice(1) },
    `the package lacks ${FILES[0]} (docs/releasing.md says what it is built with)`,
  ],
])('%s is a reason not to', (_, source, reason) => {
  expect(unreadiness({ ...READY, ...source })).toEqual([reason]);
});
