/** The covering choices of all spaces as data: finding them takes seconds, and every worker needs some. */
import { dataIn } from '../../base/paths.ts';
import type {} from './coverings.generated.json'; // makes the compiler copy the file beside this module
import type { Choice, Space } from './space.ts';
import { SPACES } from './spaces.ts';

const BASE = 36;

/** Choices by operation, each a text with the place of the value of each attribute. */
export type WrittenCoverings = Readonly<Record<string, readonly string[]>>;

/** A choice as text. */
export const writtenChoice = ({ attributes }: Space, choice: Choice): string =>
  Object.entries(attributes)
    .map(([name, values]) => values.indexOf(choice[name]!).toString(BASE))
    .join('');

const readChoice = ({ attributes }: Space, text: string): Choice =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, values], i) => [name, values[Number.parseInt(text[i]!, BASE)]!]),
  );

/** Choices of the attributes of an operation that have every legal pair of values; the first is the usual one. */
export const coveringChoices = (op: string): Choice[] =>
  (dataIn<WrittenCoverings>('knowledge/ops/coverings.generated.json')[op] ?? []).map((text) =>
    readChoice(SPACES[op]!, text),
  );
