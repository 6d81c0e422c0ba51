import { counted } from '../../base/counted.ts';
import type { Prediction } from './prediction.ts';

/** What the rows of a table refer to, below it: each limit and each message of the plugin once, in the order of the rows. */
export class RowNotes {
  readonly #limits: readonly string[];
  readonly #messages: readonly string[];

  constructor(predictions: readonly Prediction[]) {
    // The limits of a release that refuses the plugin would come after that.
    this.#limits = unique(predictions.flatMap(({ outcome, limits }) => (outcome === 'limits' ? limits : [])));
    this.#messages = unique(predictions.flatMap(({ message }) => (message === undefined ? [] : oneLine(message))));
  }

  /** Why a release ends as it does, with the numbers of its notes. */
  why({ outcome, reason, limits, message }: Prediction): string {
    if (outcome === 'limits') {
      const numbers = limits.map((limit) => this.#limits.indexOf(limit) + 1).sort((a, b) => a - b);
      return `${counted(limits.length, 'limit')}: ${numbers.join(', ')}`;
    }
    return message === undefined ? reason : `${reason} (${letter(this.#messages.indexOf(oneLine(message)))})`;
  }

  /** The notes: under a heading, a mark and a text each. */
  sections(): { title: string; notes: (readonly [mark: string, text: string])[] }[] {
    return [
      { title: 'Limits', notes: this.#limits.map((text, at) => [String(at + 1), text] as const) },
      { title: 'What the user sees', notes: this.#messages.map((text, at) => [letter(at), text] as const) },
    ].filter(({ notes }) => notes.length > 0);
  }
}

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];

/** As one line of a table, whatever a plugin says. */
const oneLine = (text: string): string => text.replace(/[\s\x00-\x1f\x7f-\x9f]+/g, ' ').trim();

/** a to z, then aa. */
const letter = (at: number): string =>
  (at < 26 ? '' : letter(Math.floor(at / 26) - 1)) + String.fromCharCode('a'.charCodeAt(0) + (at % 26));
