import { PjrtError } from '../../pjrt/errors.ts';
import { CheckFailure, NotSupported } from '../../steps/outcome.ts';
import type { Replies } from './job.ts';
import type { NodeReply } from './node-process.ts';
import type { NodeResults, Refusal, TaskName } from './node-tasks.ts';

/** Codes of errors that a node has because of another one. */
const FOLLOWING: readonly string[] = ['DEADLINE_EXCEEDED', 'UNAVAILABLE', 'ABORTED', 'CANCELLED'];

/** The failure that the others follow from comes first. */
function rank(reply: NodeReply<unknown>): number {
  if ('value' in reply || 'absent' in reply) return 9;
  if ('died' in reply) return 0;
  if ('fault' in reply) return 1;
  if ('wrong' in reply) return 2;
  if ('refused' in reply) return FOLLOWING.includes(reply.refused.codeName) ? 5 : 3;
  if ('late' in reply) return reply.asking ? 6 : 4;
  return 7;
}

/**
 * Ends the case with the failure that the others follow from, if there is one.
 * @param patient whether a node may ask the store for as long as it likes: what it waits for will never come
 */
export function expectResults(replies: readonly NodeReply<unknown>[], patient = false): void {
  const failures = replies.map((reply, node) => ({ reply, node, rank: rank(reply) })).filter((one) => one.rank < 9);
  const [first] = failures.sort((a, b) => a.rank - b.rank);
  if (first) throw failureOf(first.reply, first.node, patient);
}

/** The results of all nodes that had the task. @throws what ends the case, if one has none */
export function resultsOf<T extends TaskName>(replies: Replies<T>): NodeResults[T][] {
  expectResults(replies);
  return replies.flatMap((reply) => ('value' in reply ? [reply.value] : []));
}

/** Ends the case if a node died, came to no end, or failed in itself; errors of the plugin are fine. */
export function expectEnds(replies: readonly NodeReply<unknown>[]): void {
  expectResults(
    replies.map((reply) => ('refused' in reply ? { value: null } : reply)),
    true,
  );
}

/** @returns what to throw for a node without a result */
function failureOf(reply: NodeReply<unknown>, node: number, patient: boolean): Error {
  if ('refused' in reply) return errorOf(reply.refused, node);
  if ('lacks' in reply) return new NotSupported(reply.lacks);
  if ('wrong' in reply)
    return new CheckFailure({
      type: 'pjrt.BadData',
      message: `node ${node}: ${reply.wrong}`,
      ...(reply.call === undefined ? {} : { call: reply.call }),
    });
  if ('died' in reply)
    return new CheckFailure({
      type: 'pjrt.Crash',
      message: `node ${node} ${reply.died} ${reply.call === undefined ? 'outside native calls' : `in ${reply.call}`}`,
      ...(reply.call === undefined ? {} : { call: reply.call }),
    });
  if ('late' in reply) {
    const seconds = `${reply.late / 1000} s`;
    if (reply.asking && patient)
      return new NotSupported(`node ${node} asks the store for more than ${seconds}, the deadline of this case`);
    return new CheckFailure({
      type: 'pjrt.Timeout',
      message: `node ${node} has not returned from ${reply.call ?? 'its task'} within ${seconds}`,
      ...(reply.call === undefined ? {} : { call: reply.call }),
    });
  }
  return new Error(`node ${node}: ${'fault' in reply ? reply.fault : 'no reply'}`);
}

const errorOf = ({ call, code, codeName, text }: Refusal, node: number): PjrtError =>
  new PjrtError(call, code, codeName, `node ${node}: ${text}`, []);
