import { counted } from '../../base/counted.ts';
import { cleanLine, cleanText } from '../../base/sanitize.ts';
import type { Note } from '../../model/run.ts';
import type { Paint } from './paint.ts';

/** Notes of a level that are printed, and lines of their detail; the others are counted at the end. */
const PRINTED = 5;
const DETAIL = 8;
const STYLES = { info: 'dim', warning: 'yellow', error: 'red' } as const;

/** Prints the first notes of a run of each level, and counts the others. */
export class Notes {
  readonly #verbose: boolean;
  readonly #quiet: boolean;
  readonly #paint: Paint;
  readonly #seen = { info: 0, warning: 0, error: 0 };

  constructor({ verbose, quiet }: { verbose: boolean; quiet: boolean }, paint: Paint) {
    this.#verbose = verbose;
    this.#quiet = quiet;
    this.#paint = paint;
  }

  /** The lines of a note; with its detail if it is an error. None if it is not for this console. */
  lines(note: Note): string[] {
    const { level } = note;
    if (level !== 'error' && (this.#quiet || (!this.#verbose && level === 'info'))) return [];
    this.#seen[level]++;
    if (!this.#verbose && this.#seen[level] > PRINTED) return [];
    const detail = this.#verbose || level === 'error' ? cleanText(note.detail ?? '').trimEnd() : '';
    const lines = detail === '' ? [] : detail.split('\n').map((line) => `    ${line}`);
    const shown = this.#verbose || lines.length <= DETAIL ? lines : lines.slice(0, DETAIL - 1);
    const more = shown.length < lines.length ? [`    … ${lines.length - shown.length} more lines with --verbose`] : [];
    return [`${this.#paint(STYLES[level], `${level}:`)} ${cleanLine(note.message)}`, ...shown, ...more];
  }

  /** How many were not printed. */
  rest(): string[] {
    if (this.#verbose) return [];
    return (['warning', 'error'] as const).flatMap((level) => {
      const more = this.#seen[level] - PRINTED;
      return more > 0 ? [this.#paint(STYLES[level], `and ${counted(more, `more ${level}`)}`)] : [];
    });
  }
}
