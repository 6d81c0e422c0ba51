import { expect, test } from 'vitest';
import { foreignCode } from './foreign-code.ts';

const names = (...given: Parameters<typeof foreignCode>): string[] => foreignCode(...given).map(({ name }) => name);

test.each([
  '--require ./x.cjs',
  '--require=./x.cjs',
  '-r ./x.cjs',
  '--import ./x.mjs',
  '--loader ./x.mjs',
  '--experimental-loader=./x.mjs',
  '--no-warnings --import=data:text/javascript,1',
  '--openssl-config=/tmp/x.cnf',
  '--env-file=.env',
  '--inspect',
  '"--require" "./x.cjs"',
  '--an-option-of-the-future',
  './x.cjs',
  '[redacted]',
])('NODE_OPTIONS=%s can replace the harness', (value) => {
  expect(names({ NODE_OPTIONS: value })).toEqual(['NODE_OPTIONS']);
  expect(names({}, value.split(' '))).toEqual(['an option of Node']);
});

test.each(['', '  ', '--max-old-space-size=4096', '--max_old_space_size=4096 --no-warnings', '--use-system-ca'])(
  'NODE_OPTIONS=%s cannot',
  (value) => {
    expect(names({ NODE_OPTIONS: value })).toEqual([]);
  },
);

test.each(['LD_PRELOAD', 'LD_AUDIT', 'DYLD_INSERT_LIBRARIES', 'OPENSSL_CONF', 'NODE_COMPILE_CACHE'])(
  '%s can, if it is not empty',
  (name) => {
    expect([names({ [name]: 'x' }), names({ [name]: '' })]).toEqual([[name], []]);
  },
);

test('what plugins are given changes nothing', () => {
  expect(names({ LD_LIBRARY_PATH: '/opt/lib', ASAN_OPTIONS: 'a=1', NODE_ENV: 'test', XLA_FLAGS: '--x' })).toEqual([]);
});
