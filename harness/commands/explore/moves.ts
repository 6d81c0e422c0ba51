/** Every kind of move. */
import type { Move } from './move.ts';
import { ANSWERS } from './moves/answers.ts';
import { ASIDE } from './moves/aside.ts';
import { ERRORS } from './moves/errors.ts';
import { EVENTS } from './moves/events.ts';
import { EXECUTIONS } from './moves/executions.ts';
import { FINGERPRINTS } from './moves/fingerprints.ts';
import { REFUSED_MOVES } from './moves/refused.ts';
import { SPECIAL } from './moves/special.ts';
import { SPREADING } from './moves/spread.ts';
import { TRANSFERS } from './moves/transfers.ts';
import { WITHHELD } from './moves/withheld.ts';
import { WRONG_CALLS } from './moves/wrong-calls.ts';

export const MOVES: Readonly<Record<string, Move>> = {
  ...TRANSFERS,
  ...WITHHELD,
  ...SPECIAL,
  ...EXECUTIONS,
  ...SPREADING,
  ...EVENTS,
  ...ANSWERS,
  ...FINGERPRINTS,
  ...REFUSED_MOVES,
  ...WRONG_CALLS,
  ...ERRORS,
  ...ASIDE,
};
