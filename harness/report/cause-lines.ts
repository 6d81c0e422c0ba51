import { cleanLine } from '../base/sanitize.ts';
import type { NumberedCause } from '../verdict/cause-index.ts';
import { causeEffect, causeText } from '../verdict/cause-text.ts';
import { causeSize, type RootCause } from '../verdict/root-causes.ts';

/** The defect, clean and on one line; includes the plugin's message. */
export const causeLine = (cause: RootCause): string => cleanLine(causeText(cause));

/** The same with its effect: `PJRT_Event_Await is NULL (12 cases could not be tried)`. */
export const causeWithEffect = (cause: RootCause): string => `${causeLine(cause)} (${causeEffect(cause)})`;

/** A case to start with, preferably one that violates something. */
export const exampleOf = ({ failed, blocked }: RootCause): string => cleanLine(failed[0] ?? blocked[0] ?? '');

/** For the text of one case: its cause, if that explains other cases too; otherwise it would repeat the failure. */
export const sharedCause = (cause: NumberedCause | undefined): string | undefined =>
  cause && causeSize(cause) > 1 ? `root cause ${cause.number}: ${causeWithEffect(cause)}` : undefined;
