import type { Judgement, Standing } from '../../../model/judgement.ts';
import { html, type Markup } from './markup.ts';

/** A standing in a table: its name, and the class that gives its colour. */
export const STANDING_WORDS: Readonly<Record<Standing, { text: string; tone: string }>> = {
  passed: { text: 'passed', tone: 's-pass' },
  failed: { text: 'failed', tone: 's-fail' },
  missing: { text: 'missing', tone: 's-error' },
  waived: { text: 'waived', tone: 's-warn' },
  'not-offered': { text: 'not offered', tone: 's-unsupported' },
  'not-applicable': { text: 'not in its API version', tone: 's-skip' },
};

/** The verdict as a badge. */
export const verdictBadge = ({ passes }: Judgement): Markup =>
  passes ? html`<span class="badge s-pass">passes</span>` : html`<span class="badge s-fail">does not pass</span>`;
