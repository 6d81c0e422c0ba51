import { expect, test } from 'vitest';
import { memoryMap } from './memory-map.ts';

const MAPS = `00400000-00452000 r-xp 00000000 08:02 173521 /usr/bin/node
7f0000001000-7f0000003000 r--p 00000000 08:02 1 /vendor/lib foo.so
7f0000003000-7f0000008000 r-xp 00002000 08:02 1 /vendor/lib foo.so
7f0000009000-7f000000a000 rw-p 00000000 00:00 0
7f000000b000-7f000000c000 rw-p 00000000 00:00 0 [stack]
`;

test('an address is a place in the file that is mapped there', () => {
  const place = memoryMap(MAPS);
  expect(place(0x7f0000003010n)).toEqual({ module: '/vendor/lib foo.so', offset: '0x2010' });
  expect(place(0x7f0000001000n)).toEqual({ module: '/vendor/lib foo.so', offset: '0x0' });
  expect(place(0x400010n)).toEqual({ module: '/usr/bin/node', offset: '0x10' });
});

test('a file that has been replaced since, as by a build, has the name that it had', () => {
  const place = memoryMap('7f0000001000-7f0000003000 r-xp 00000000 08:02 1 /vendor/libfoo.so (deleted)\n');
  expect(place(0x7f0000001010n)).toEqual({ module: '/vendor/libfoo.so', offset: '0x10' });
});

test('memory without a file is no place', () => {
  const place = memoryMap(MAPS);
  for (const address of [0n, 0x7f0000008000n, 0x7f0000009000n, 0x7f000000b000n]) expect(place(address)).toBeUndefined();
  expect(memoryMap('nothing of the kind')(1n)).toBeUndefined();
});
