import type { Event } from '../../model/events.ts';
import { cleanLine, cleanText } from '../sanitize.ts';
import type { Paint } from './paint.ts';

/** A note of the run; with its detail if it is an error, or if `verbose` is set. */
export function noteLines(note: Extract<Event, { type: 'note' }>, verbose: boolean, paint: Paint): string[] {
  const styles = { info: 'dim', warning: 'yellow', error: 'red' } as const;
  const detail = verbose || note.level === 'error' ? cleanText(note.detail ?? '').trimEnd() : '';
  return [
    `${paint(styles[note.level], `${note.level}:`)} ${cleanLine(note.message)}`,
    ...(detail === '' ? [] : detail.split('\n').map((line) => `    ${line}`)),
  ];
}
