import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { INJECTIONS, obeyed } from './ci-readers.test-helper.ts';
import { GuardedOutput, withoutCommands } from './guarded-output.ts';

describe('commands of CI systems', () => {
  test.each(INJECTIONS)('%j is none any more, and its text is still there', (text) => {
    expect(obeyed(text)).not.toEqual([]);
    expect(obeyed(withoutCommands(text))).toEqual([]);
    expect(withoutCommands(text).replace(/[ |]/g, '')).toBe(text.replace(/[ |]/g, ''));
    expect(withoutCommands(withoutCommands(text))).toBe(withoutCommands(text));
  });

  test('other text is not changed', () => {
    const text =
      'std::vector<a::b> #1 ##2 a: :b --xla\n---\n--x # heading\n## [a] section start: 1 +++\n\u001b[1mbold\u001b[0m';
    expect(withoutCommands(text)).toBe(text);
  });

  test('nor when they are written in pieces', () => {
    const cut = fc.tuple(fc.constantFrom(...INJECTIONS), fc.array(fc.nat(60), { maxLength: 5 }), fc.boolean());
    fc.assert(
      fc.property(cut, ([text, places, after]) => {
        const { stream, output } = guarded();
        if (after) stream.write('said: ');
        const at = [0, ...places.filter((place) => place < text.length).sort((a, b) => a - b), text.length];
        for (const [i, from] of at.slice(0, -1).entries()) stream.write(text.slice(from, at[i + 1]));
        stream.write('\n');
        expect(obeyed(output())).toEqual([]);
        expect(output().replace(/[ |]/g, '')).toBe(`${after ? 'said:' : ''}${text}\n`.replace(/[ |]/g, ''));
      }),
      { numRuns: 2000 },
    );
  });
});

test('commands of the harness itself reach the CI system; neither they nor text show credentials', () => {
  const { stream, output } = guarded();
  stream.command('::error file=a,line=1::token=abc12345');
  stream.write('::error::password=abc12345\n');
  expect(output()).toBe('::error file=a,line=1::token=[redacted]\n: :error::password=[redacted]\n');
});

test('it is a stream of the kind of the one behind it', () => {
  const { stream } = guarded({ isTTY: true, columns: 77 });
  expect([stream.isTTY, stream.columns]).toEqual([true, 77]);
});

function guarded(of: { isTTY?: boolean; columns?: number } = {}) {
  let text = '';
  const stream = new GuardedOutput({ ...of, write: (chunk) => (text += chunk) });
  return { stream, output: () => text };
}
