import { expect, test } from 'vitest';
import { gdbStacks, SIGNAL } from './gdb-stacks.ts';

const frame = (address: string, fields = ''): string =>
  `frame={level="0",addr="${address}"${fields},arch="i386:x86-64"}`;
const done = (...frames: string[]): string => `^done,stack=[${frames.join(',')}]`;

test('each stack is a line among others', () => {
  const output = [
    '[New LWP 7]',
    '0x00007f in pause () at pause.c:29',
    done(
      frame('0x00007fee', ',func="h",file="t.c",fullname="/src/t.c",line="4"'),
      frame('0x7f00', `,func="${SIGNAL}"`),
      frame('0x56ff', ',func="??"'),
      frame('0x5700', ',func="foo::Read(char*)",from="/vendor/libfoo.so"'),
    ),
    done(frame('0x1')),
    '^error,msg="no thread"',
  ].join('\n');
  expect(gdbStacks(output)).toEqual([
    [
      { address: 0x7feen, function: 'h', file: 't.c', line: 4 },
      { address: 0x7f00n, function: SIGNAL },
      { address: 0x56ffn },
      { address: 0x5700n, function: 'foo::Read(char*)' },
    ],
    [{ address: 1n }],
  ]);
});

test('names are what the library says, whatever that is', () => {
  const names = [
    String.raw`operator\"\" _x`,
    String.raw`a\\b`,
    String.raw`\303\251t\303\251`,
    '},frame={level=',
    String.raw`\033[2J\n`,
  ];
  const output = done(...names.map((name) => frame('0x1', `,func="${name}"`)));
  expect(gdbStacks(output)[0]?.map((one) => one.function)).toEqual([
    'operator"" _x',
    String.raw`a\b`,
    'été',
    '},frame={level=',
    '\x1b[2J\n',
  ]);
});

test.each([
  '',
  '^done,stack=[',
  done('frame={'),
  done(frame('nowhere')),
  done(frame('0x1ffffffffffffffff')),
  '^done,stack=[]',
])('what is no stack has no frames: %s', (output) => expect(gdbStacks(output).flat()).toEqual([]));
