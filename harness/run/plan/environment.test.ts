import { expect, test } from 'vitest';
import { libcName } from '../../host/plugins/libc-name.ts';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import { relevantEnvironment } from './environment.ts';
import { settingsOf } from './preparation.ts';

test('relevant variables are kept, others are not', () => {
  const env = {
    PJRT_DEVICE: 'CPU',
    XLA_FLAGS: '--a=b',
    HOME: '/home/me',
    MY_VARIABLE: '1',
    LD_LIBRARY_PATH: '/opt/lib',
  };
  expect(relevantEnvironment(env)).toEqual({ LD_LIBRARY_PATH: '/opt/lib', PJRT_DEVICE: 'CPU', XLA_FLAGS: '--a=b' });
  expect(relevantEnvironment(env, ['MY_VARIABLE'])).toMatchObject({ MY_VARIABLE: '1' });
});

test.each([
  ['by name', 'PJRT_API_KEY', 'x'],
  ['by name', 'XLA_AUTH', 'x'],
  ['by name', 'NEURON_LICENSE_KEY', 'x'],
  ['by name', 'TPU_SESSION_PASSWORD', 'x'],
  ['a token of a code host', 'XLA_FLAGS', `--header=ghp_${'a1B2'.repeat(9)}`],
  ['a JSON web token', 'PJRT_X', 'eyJhbGciOiJIUzI1NiJ9.e30.abc'],
  ['a long run of letters of both cases and digits', 'JAX_X', `k=${'aB3'.repeat(12)}`],
  ['a key in PEM', 'TPU_X', '-----BEGIN PRIVATE KEY-----'],
])('a secret is redacted: %s', (_, name, value) => {
  expect(relevantEnvironment({ [name]: value })).toEqual({ [name]: '[redacted]' });
});

test('values from manifests are logged without secrets too', () => {
  const plugin = { options: {}, env: { FOO_LICENSE_KEY: 'x', FOO_MODE: 'fast' } } as unknown as ResolvedPlugin;
  expect(settingsOf({ plugin: [], binding: 'now', fetch: false }, [plugin], [])).toMatchObject({
    variables: [{ FOO_LICENSE_KEY: '[redacted]', FOO_MODE: 'fast' }],
  });
});

test('user and password are removed from URLs, and paths stay', () => {
  const path = '/opt/Foo-2.1/lib/x86_64-linux-gnu:/usr/local/cuda-13.0/lib64';
  expect(relevantEnvironment({ PJRT_PROXY: 'https://me:pw@example.com/x', LD_LIBRARY_PATH: path })).toEqual({
    PJRT_PROXY: 'https://[redacted]@example.com/x',
    LD_LIBRARY_PATH: path,
  });
});

test.runIf(process.platform === 'linux')('the C library has a name and a version', () => {
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork?: boolean };
  for (const before of [true, false]) {
    report.excludeNetwork = before;
    expect(libcName()).toMatch(/^(?:glibc \d+\.\d+|musl)$/);
    expect(report.excludeNetwork).toBe(before);
  }
});
