import { expect, test } from 'vitest';
import type { SessionCall } from '../../knowledge/trace/session-graph.ts';
import { fewestCalls } from './fewest-calls.ts';

/** A client, then buffers, each asked and destroyed. */
function session(buffers: number): SessionCall[] {
  const calls: SessionCall[] = [{ order: 1, function: 'PJRT_Client_Create', needs: [], follows: false }];
  for (let i = 0; i < buffers; i++) {
    const at = 10 * (i + 1);
    calls.push(
      { order: at, function: 'PJRT_Client_BufferFromHostBuffer', needs: [1], follows: false },
      { order: at + 1, function: 'PJRT_Buffer_Dimensions', needs: [at], follows: false },
      { order: at + 2, function: 'PJRT_Buffer_Destroy', needs: [at], follows: true },
    );
  }
  return calls;
}

/** A failure that needs some calls, and how often it was asked for. */
function failure(needed: readonly number[]) {
  const asked = { parts: 0 };
  const fails = async (parts: readonly (readonly number[])[]): Promise<boolean[]> => {
    asked.parts += parts.length;
    return parts.map((part) => needed.every((one) => part.includes(one)));
  };
  return { asked, fails };
}

test('a call that fails by itself is left with what it needs', async () => {
  const { asked, fails } = failure([501]);
  expect(await fewestCalls(session(100), fails)).toEqual([1, 500, 501]);
  expect(asked.parts).toBeLessThan(20);
});

test('what an earlier call has spoiled is found, and what ends it stays', async () => {
  const { asked, fails } = failure([70, 701]);
  expect(await fewestCalls(session(100), fails)).toEqual([1, 70, 72, 700, 701]);
  expect(asked.parts).toBeLessThan(100);
});

test('a session of which all is needed stays as it is', async () => {
  const calls = session(3);
  const { fails } = failure(calls.map(({ order }) => order));
  expect(await fewestCalls(calls, fails)).toEqual(calls.map(({ order }) => order));
});
