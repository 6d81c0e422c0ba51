import type { NumberedCause } from '../verdict/cause-index.ts';
import { causeEffect, causeText } from '../verdict/cause-text.ts';
import { causeSize, type RootCause } from '../verdict/root-causes.ts';
import { cleanLine } from './sanitize.ts';

/** What is wrong, clean and on one line; the plugin's own words are part of it. */
export const causeLine = (cause: RootCause): string => cleanLine(causeText(cause));

/** The same with what came of it: `PJRT_Event_Await is NULL (12 cases could not be tried)`. */
export const causeWithEffect = (cause: RootCause): string => `${causeLine(cause)} (${causeEffect(cause)})`;

/** A case to begin with: one that breaks something, where there is one. */
export const exampleOf = ({ broken, blocked }: RootCause): string => cleanLine(broken[0] ?? blocked[0] ?? '');

/** For the text of one case: its cause, where that explains other cases too. Else it would say the same again. */
export const sharedCause = (cause: NumberedCause | undefined): string | undefined =>
  cause && causeSize(cause) > 1 ? `root cause ${cause.number}: ${causeWithEffect(cause)}` : undefined;
