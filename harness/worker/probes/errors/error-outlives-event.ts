import { makePending } from '../../steps/pending.ts';
import { callForError } from '../../steps/raw-error.ts';
import { oneOf, probe } from '../probe.ts';
import { violated } from '../support/checks.ts';
import { demandSame, type Witness, witnessOf } from './errors-side-by-side.ts';

const CALLS = ['PJRT_Event_Await', 'PJRT_Event_Error'];

/** The errors that an event returns belong to who asked: they say the same when the event, and the buffer that it is about, are gone. */
export const errorOutlivesEvent = probe(
  'error-outlives-event',
  { via: oneOf('created', 'manager', 'alias', 'dependency') },
  async (context, { via }) => {
    const pending = makePending(context, via);
    await pending.fail('DATA_LOSS', 'this one was lost on its way');
    context.bind('event', pending.event);
    const witnesses = CALLS.map((call): Witness => {
      const error = callForError(context, call, { event: '$event' });
      if (!error) violated('an event that ended in an error gives none', call, 'EVT-ERR-001');
      return witnessOf(context, error);
    });
    pending.event.destroy();
    pending.buffer?.destroy();
    // What has been freed is used again.
    for (let i = 0; i < 8; i++) await makePending(context, via).complete();
    for (const witness of witnesses) demandSame(context, witness, 'since its event was destroyed');
  },
);
