import { setTimeout as sleep } from 'node:timers/promises';

/**
 * What an ended process itself wrote is in its pipes by then: it has been read when nothing arrives for some turns of the event
 * loop, each of which looks at the pipes: a time alone may pass while this process stands still. Processes that it left behind may
 * hold its pipes open, and write on.
 */
const QUIET_TURNS = 5;
const TURN_MS = 10;
const GRACE_MS = 500;

/**
 * Waits until what is in the pipes of a process that has ended has been read.
 * @param closing fulfilled when all of them are closed
 * @param heard how often something has been read
 */
export async function untilQuiet(closing: Promise<unknown>, heard: () => number): Promise<void> {
  const began = performance.now();
  const closed = closing.then(() => true);
  let before = heard();
  for (let turns = 1, quiet = 0; quiet < QUIET_TURNS; turns++) {
    if (turns > QUIET_TURNS && performance.now() - began > GRACE_MS) return;
    if (await Promise.race([closed, sleep(TURN_MS, false)])) return;
    quiet = heard() === before ? quiet + 1 : 0;
    before = heard();
  }
}
