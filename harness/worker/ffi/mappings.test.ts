import { expect, test } from 'vitest';
import { harmlessFunction } from './libc.ts';
import { mappingAt, parseMapping, readMappings } from './mappings.ts';

test('a line of the memory map', () => {
  expect(parseMapping('7f00-7fff r-xp 00000000 08:01 42     /usr/lib/a library.so')).toEqual({
    start: 0x7f00n,
    end: 0x7fffn,
    readable: true,
    executable: true,
    file: '/usr/lib/a library.so',
  });
  expect(parseMapping('10-20 ---p 00000000 00:00 0').file).toBe('');
  expect(() => parseMapping('nonsense')).toThrow('not a mapping: nonsense');
});

test.runIf(process.platform === 'linux')('a function is in executable memory, and nothing is at address 0', () => {
  const mappings = readMappings()!;
  expect(mappingAt(mappings, harmlessFunction())).toMatchObject({ executable: true, readable: true });
  expect(mappingAt(mappings, 0n)).toBeUndefined();
});
