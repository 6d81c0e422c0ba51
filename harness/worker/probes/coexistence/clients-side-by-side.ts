import type { Probe } from '../../steps/steps.ts';
import { doWork } from '../client/support.ts';
import { wordOption } from '../support.ts';
import { clientOf, type Member, onBehalf, othersOf } from './company.ts';

/**
 * Every plugin creates a client, in the order in which they were loaded, and all work by turns. Then one client after the
 * other is destroyed: those that are left must go on, and a client that is created again must work.
 */
export const clientsSideBySide: Probe = (context, options) => {
  const order = wordOption(options, 'destroy', ['first', 'last']);
  const members: Member[] = [];
  for (const seat of context.seats) {
    const others = othersOf(context, seat);
    onBehalf(context, seat, `creating a client beside ${others}`, () => {
      const client = clientOf(context, seat);
      if (client) members.push({ seat, client });
    });
  }
  const work = (when: string): void => {
    for (const { seat, client } of members) onBehalf(context, seat, when, () => doWork(context, client));
  };
  work('at work beside the others');
  work('at work for the second time beside the others');
  while (members.length > 0) {
    const { seat, client } = order === 'first' ? members.shift()! : members.pop()!;
    const { name } = seat.setup;
    onBehalf(context, seat, 'when its client is destroyed', () => client.destroy());
    work(`after the client of ${name} was destroyed`);
    onBehalf(context, seat, 'when it creates a client again', () => {
      const again = clientOf(context, seat);
      if (!again) return;
      try {
        doWork(context, again);
      } finally {
        again.destroy();
      }
    });
    work(`after a second client of ${name} was destroyed`);
  }
};
