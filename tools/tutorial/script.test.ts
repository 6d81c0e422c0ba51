import { expect, test } from 'vitest';
import { comparable, partOf, type Shown, stepsOf, withOutputs } from './script.ts';

const PAGE = `# Page

\`\`\`sh exit=1
tool --version
\`\`\`

\`\`\`text from="first line" to=last
first line
\`\`\`

Text.

\`\`\`text
all
\`\`\`

\`\`\`yaml
key: value
\`\`\`
`;

test('a step is a block of commands with its exit code and the outputs after it', () => {
  const [step, ...more] = stepsOf(PAGE);
  expect(more).toEqual([]);
  expect(step).toMatchObject({ commands: 'tool --version\n', exit: 1, line: 3 });
  expect(step!.shown.map(({ text, first, last }) => ({ text, first, last }))).toEqual([
    { text: 'first line\n', first: 'first line', last: 'last' },
    { text: 'all\n', first: undefined, last: undefined },
  ]);
  expect(() => stepsOf('```text\nx\n```\n')).toThrow('line 1: output without commands');
});

const shown = (first?: string, last?: string): Shown => ({ text: '', place: { from: 0, to: 0 }, first, last });

test('a part of an output shows that lines are left out', () => {
  const output = 'a\n\nb 1\nc\nb 2\n';
  expect(partOf(output, shown())).toBe('a\n\nb 1\nc\nb 2\n');
  expect(partOf(output, shown('b', 'c'))).toBe('…\nb 1\nc\n…\n');
  expect(partOf(output, shown('b', 'b'))).toBe('…\nb 1\n…\n');
  expect(partOf(output, shown(undefined, 'a'))).toBe('a\n…\n');
  expect(() => partOf(output, shown('d'))).toThrow('no line with "d"');
  expect(() => partOf(output, shown('c', 'a'))).toThrow('no line with "a"');
});

test('numbers, times, hashes, widths and installed debuggers do not count, words do', () => {
  const line = (count: string, time: string, sha: string): string =>
    `cases   ${count} in ${time}\n- about 2 min left\n${sha}`;
  expect(comparable(line('1,200', '1 min 2 s', '0123456789abcdef'))).toBe(
    comparable(line('7', '3.5 s', 'f'.repeat(16))),
  );
  expect(comparable('✓ no debugger is installed')).toBe(comparable('✓ debuggers that are installed: gdb, rr'));
  expect(comparable('3 passed')).not.toBe(comparable('3 failed'));
});

test('recorded outputs replace those of the page, and nothing else', () => {
  const [first, second] = stepsOf(PAGE)[0]!.shown;
  const now = withOutputs(
    PAGE,
    new Map([
      [first!, 'much\nlonger\n'],
      [second!, 'short\n'],
    ]),
  );
  expect(now).toBe(PAGE.replace('first line\n```', 'much\nlonger\n```').replace('all\n', 'short\n'));
});
