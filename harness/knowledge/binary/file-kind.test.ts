import { expect, test } from 'vitest';
import { STRANGE_FILES } from '../../../tests/support/strange-files.ts';
import { bytesInMemory } from './byte-source.ts';
import { fileKind, unloadable } from './file-kind.ts';

const kindOf = (name: string) => fileKind(bytesInMemory(STRANGE_FILES[name]!.bytes));

test.each(Object.entries(STRANGE_FILES))('%s', (_, { bytes, description }) => {
  const kind = fileKind(bytesInMemory(bytes));
  expect(kind.description).toMatch(description);
  expect(unloadable(kind, { platform: 'linux', arch: 'x64' })).toBeDefined();
});

test('a library of the host is loadable on any host', () => {
  expect(unloadable(kindOf('mach-o.dylib'), { platform: 'darwin', arch: 'arm64' })).toBeUndefined();
  expect(unloadable(kindOf('universal.dylib'), { platform: 'darwin', arch: 'x64' })).toBeUndefined();
  expect(unloadable(kindOf('windows.dll'), { platform: 'win32', arch: 'x64' })).toBeUndefined();
  expect(unloadable(kindOf('narrow.so'), { platform: 'linux', arch: 'ia32' })).toBeUndefined();
  expect(unloadable(kindOf('big-endian.so'), { platform: 'linux', arch: 's390x' })).toBeUndefined();
});

test('a Java class is not a universal binary, and non-ASCII letters are text', () => {
  expect(fileKind(bytesInMemory(Buffer.from('cafebabe00000041', 'hex'))).format).toBe('other');
  expect(fileKind(bytesInMemory(Buffer.from(`${'größer '.repeat(600)}\n`))).format).toBe('text');
});
