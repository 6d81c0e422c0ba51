import { errorOfAsync, PjrtError } from '../../pjrt/errors.ts';
import { untilItWaits } from '../../steps/execute.ts';
import { lacksHelper } from '../../steps/outcome.ts';
import { makePending } from '../../steps/pending.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { oneOf, optional, probe } from '../probe.ts';
import { hashed, same, violated } from '../support/checks.ts';

const MESSAGE = 'this one was lost on its way';

/** What a buffer is made of another one by, and what says so. */
const LINKS = {
  alias: { call: 'PJRT_Client_FulfillAliasBuffer', contents: 'BUF-ALI-002', error: 'BUF-ALI-003' },
  dependency: { call: 'PJRT_Buffer_DonateWithControlDependency', contents: 'BUF-DWC-003', error: 'BUF-DWC-002' },
} as const;

/**
 * A buffer is made of one that is still pending, in one or two links. It is ready when all have ended, from the first to the last or the
 * other way round, with the contents, or the error of one of them.
 */
export const pendingSource = probe(
  'pending-source',
  {
    link: oneOf('alias', 'dependency'),
    next: optional(oneOf('none', 'alias', 'dependency'), 'none'),
    order: optional(oneOf('first-to-last', 'last-to-first'), 'first-to-last'),
    failing: optional(oneOf('none', 'first', 'second'), 'none'),
  },
  async (context, { link, next, order, failing }) => {
    const data = hashed('f32', [6], 9);
    const vias = [link, ...(next === 'none' ? [] : [next])];
    const parts = [makePending(context, 'manager', { data })];
    for (const via of vias) parts.push(makePending(context, via, { data, source: parts.at(-1)!.buffer! }));
    const last = parts.at(-1)!;
    const { call, contents, error: ofError } = LINKS[vias.at(-1)!];
    const ends = parts.map((part, i) => ({ part, fails: failing !== 'none' && i === (failing === 'first' ? 0 : 1) }));
    if (order === 'last-to-first') ends.reverse();
    const running: Promise<void>[] = [];
    let refused: unknown;
    for (const [i, { part, fails }] of ends.entries()) {
      // An error may arrive as soon as it is known.
      const failed = ends.slice(0, i).some((one) => one.fails);
      if (!failed && !refused && last.event.isReady())
        violated(`the buffer is ready before ${i === 0 ? 'anything' : 'all'} that it is made of`, call, 'BUF-RDY-001');
      // Who is given something that is pending may wait for it.
      const ending = fails ? part.fail('DATA_LOSS', MESSAGE) : part.complete();
      ending.catch((error: unknown) => {
        refused ??= error;
      });
      running.push(ending);
      await context.yieldToCalls();
      await untilItWaits();
    }
    await Promise.allSettled(running);
    if (refused) throw refused instanceof PjrtError ? lacksHelper(refused) : refused;
    const error = await errorOfAsync(last.event.awaitAsync());
    if (failing === 'none') {
      if (error) throw error;
      same('the buffer', data, fetchArray(context, last.buffer!), call, contents);
      return;
    }
    if (!error) violated('the buffer became ready without the error of what it is made of', call, ofError);
    if (!error.text.includes(MESSAGE))
      context.report({
        type: 'pjrt.AssertionFailed',
        level: 'should',
        message: `the error of what a buffer is made of is not in its own: ${error.text}`,
        call,
        requirements: [ofError],
      });
  },
);
