import { expect, test } from 'vitest';
import { demandSupportedHost } from './supported-host.ts';

test.each([
  ['win32-x64', undefined, '--plugin: this is Windows: plugins are loaded on Linux with glibc; use WSL 2, or a Linux'],
  [
    'linux-x64',
    'musl',
    '--plugin: this Node.js uses musl, as on Alpine: plugins are loaded on Linux with glibc; use an',
  ],
] as const)('%s with %s is refused', (platform, libc, message) => {
  expect(() => demandSupportedHost(platform, () => libc)).toThrow(message);
});

test.each([
  ['linux-x64', 'glibc 2.36'],
  ['linux-arm64', 'glibc 2.17'],
  // A Node.js that does not say.
  ['linux-x64', undefined],
  ['darwin-arm64', undefined],
] as const)('%s with %s is not', (platform, libc) => {
  expect(() => demandSupportedHost(platform, () => libc)).not.toThrow();
});
