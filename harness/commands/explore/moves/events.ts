/** Events, and callbacks on them. */
import type { RawStep } from '../../../suite/raw.ts';
import type { Move } from '../move.ts';
import {
  type BufferThing,
  type EventThing,
  endOf,
  type Gate,
  isFailed,
  isLive,
  isOpen,
  type ListenerThing,
  lossOf,
  type Thing,
} from '../world.ts';

const isLiveEvent = (thing: Thing): thing is EventThing => thing.kind === 'event' && thing.state === 'live';
/** One of which everything is known. */
const isKnown = (thing: Thing): boolean => isLiveEvent(thing) && thing.open === undefined;
export const isOver = (thing: Thing): boolean => isKnown(thing) && !isOpen((thing as EventThing).waits);

const isToBeSet = ({ via, state }: Gate): boolean => via === 'created' && state === 'open';

/** More than a small list holds. */
const MOST_LISTENERS = 9;

export const EVENTS: Readonly<Record<string, Move>> = {
  'ready-event': {
    weight: 3,
    needs: { buffer: isLive },
    play: ({ world, id, things }) => {
      const { id: buffer, waits } = things.buffer as BufferThing;
      world.things.set(id, { kind: 'event', id, state: 'live', waits });
      return [
        {
          call: 'PJRT_Buffer_ReadyEvent',
          with: { buffer: `$${buffer}` },
          as: { [id]: 'event' },
          breaks: ['BUF-RDY-001'],
        },
      ];
    },
  },
  listen: {
    weight: 3,
    needs: { event: isLiveEvent },
    draw: (random) => ({ count: random.once(4) ? MOST_LISTENERS : 1 }),
    distinguishes: ['count'],
    play: ({ world, id, things, settings }) => {
      const { waits, open } = things.event as EventThing;
      return Array.from({ length: settings.count as number }, (_, i): RawStep => {
        const as = `${id}_${i}`;
        world.things.set(as, { kind: 'listener', id: as, state: 'live', waits, ...(open ? { open } : {}) });
        return { listen: `$${things.event!.id}`, as };
      });
    },
  },
  wait: {
    weight: 2,
    needs: { event: isOver },
    play: ({ things }) => waited(things.event as EventThing),
  },
  'destroy-event': {
    weight: 2,
    // An event of the session's own is still to be set.
    needs: { event: (thing) => isLiveEvent(thing) && !thing.waits.some(isToBeSet) },
    play: ({ things }) => {
      (things.event as EventThing).state = 'gone';
      return [{ destroy: `$${things.event!.id}`, breaks: ['EVT-DST-002'] }];
    },
  },
  // Nobody can set an event of the session's own any more: who waits for it gets an error.
  'abandon-event': {
    weight: 1,
    releases: true,
    needs: { event: (thing) => isLiveEvent(thing) && thing.waits.some(isToBeSet) },
    play: ({ world, things }) => {
      const { id, waits } = things.event as EventThing;
      (things.event as EventThing).state = 'gone';
      for (const gate of waits) Object.assign(gate, { state: 'failed', free: true });
      const listeners = [...world.things.values()].filter(
        (thing): thing is ListenerThing => thing.kind === 'listener' && thing.state === 'live' && thing.waits === waits,
      );
      return [
        { destroy: `$${id}`, breaks: ['EVT-SET-004'] },
        ...listeners.map((listener) => ({ ...heardOf(listener), breaks: ['EVT-SET-004'] })),
      ];
    },
  },
};

/** Waits for an event whose end is due, and asks for it. */
export function waited({ id, waits }: EventThing): RawStep[] {
  const event = `$${id}`;
  const fails = isFailed(waits);
  return [
    { await: { event, ...endOf(waits) }, breaks: [fails ? 'RUN-ERR-006' : 'EVT-AWT-001'] },
    { call: 'PJRT_Event_IsReady', with: { event }, expect: { is_ready: { equals: true } }, breaks: ['EVT-RDY-002'] },
    {
      call: 'PJRT_Event_Error',
      with: { event },
      ...endOf(waits),
      breaks: [fails ? 'EVT-ERR-003' : 'EVT-ERR-001'],
    },
  ];
}

/** What must have become of a callback. */
export function heardOf({ id, waits }: ListenerThing): RawStep {
  const fails = !isOpen(waits) && isFailed(waits);
  // On its way through other things an error may get another message.
  const [own] = waits.filter(({ via, free }) => waits.length === 1 && via === 'created' && !free);
  return {
    heard: `$${id}`,
    times: isOpen(waits) ? 0 : 1,
    ...(fails ? { error: 'any' } : {}),
    ...(fails && own ? { message: lossOf(own) } : {}),
    breaks: ['EVT-CB-001'],
  };
}
