import { oneOf, probe } from '../probe.ts';
import { doWork } from '../support/client-work.ts';
import { clientOf, type Member, onBehalf, othersOf } from './company.ts';

/**
 * Every plugin creates a client, in the order in which they were loaded, and all work by turns. Then one client after the
 * other is destroyed: those that are left must go on, and a client that is created again must work.
 */
export const clientsSideBySide = probe(
  'clients-side-by-side',
  { destroy: oneOf('first', 'last') },
  (context, { destroy: order }) => {
    const members: Member[] = [];
    for (const subject of context.subjects) {
      const others = othersOf(context, subject);
      onBehalf(context, subject, `creating a client beside ${others}`, () => {
        const client = clientOf(context, subject);
        if (client) members.push({ subject, client });
      });
    }
    const work = (when: string): void => {
      for (const { subject, client } of members) onBehalf(context, subject, when, () => doWork(context, client));
    };
    work('at work beside the others');
    work('at work for the second time beside the others');
    while (members.length > 0) {
      const { subject, client } = order === 'first' ? members.shift()! : members.pop()!;
      const { name } = subject.setup;
      onBehalf(context, subject, 'when its client is destroyed', () => client.destroy());
      work(`after the client of ${name} was destroyed`);
      onBehalf(context, subject, 'when it creates a client again', () => {
        const again = clientOf(context, subject);
        if (!again) return;
        try {
          doWork(context, again);
        } finally {
          again.destroy();
        }
      });
      work(`after a second client of ${name} was destroyed`);
    }
  },
);
