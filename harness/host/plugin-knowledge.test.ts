import { expect, test } from 'vitest';
import { PluginKnowledge } from './plugin-knowledge.ts';
import type { RunContext } from './run-plan.ts';

const COMPILE = 'PJRT_Client_Compile';

function knowledge(): PluginKnowledge {
  return new PluginKnowledge({ plan: { facts: [] }, emit: () => {} } as unknown as RunContext);
}

/** What is avoided after these cases have ended in a call. */
function after(
  known: PluginKnowledge,
  call: string,
  cases: readonly string[],
  how: 'crash' | 'hang' = 'hang',
): string[] {
  for (const id of cases) known.recordEnd(call, how, id);
  return known.avoided;
}

test('a call in which three cases have hung, and that never returned, is not made again', () => {
  const known = knowledge();
  expect(after(known, COMPILE, ['a', 'b'])).toEqual([]);
  // The repetition of a case is no further one.
  expect(after(known, COMPILE, ['b'])).toEqual([]);
  expect(after(known, COMPILE, ['c'])).toEqual([COMPILE]);
});

test('one that crashes is made in ten cases', () => {
  const known = knowledge();
  expect(after(known, COMPILE, [...'abcdefghi'], 'crash')).toEqual([]);
  expect(after(known, COMPILE, ['j'], 'crash')).toEqual([COMPILE]);
});

test.each(['OK', 'INVALID_ARGUMENT', 'UNIMPLEMENTED'])('one that has returned %s is made again', (answer) => {
  const known = knowledge();
  known.recordAnswers({ [COMPILE]: ['DEATH', answer] });
  expect(after(known, COMPILE, ['a', 'b', 'c', 'd'])).toEqual([]);
});

test('what only ended or hung never returned', () => {
  const known = knowledge();
  known.recordAnswers({ [COMPILE]: ['DEATH', 'HANG'] });
  expect(after(known, COMPILE, ['a', 'b', 'c'])).toEqual([COMPILE]);
});

test.each(['PJRT_Buffer_Destroy', 'PJRT_Buffer_Delete'])('%s is made whatever happens', (call) => {
  expect(after(knowledge(), call, ['a', 'b', 'c'])).toEqual([]);
});
