/** Choices of attributes that have every legal pair of values, found without trying all choices. */
import { hashOf } from '../numerics/hash.ts';
import { type Choice, type Form, Illegal, type Space } from './space.ts';

/** Choices that have all single values, pairs and further combinations that are legal, and what is known of the others. */
export interface Covering {
  forms: readonly { choice: Choice; form: Form }[];
  values: Tally;
  pairs: Tally;
}

/** Why values or pairs have no form, by their text; the legal ones all have one. */
interface Tally {
  covered: number;
  illegal: ReadonlyMap<string, string>;
}

/**
 * Values beside which those of other attributes do not show: there are no elements, or one, or all are the same; or the compiler computes
 * instead of the device. A pair of others is not covered in such a form.
 */
const MASKING: Readonly<Record<string, readonly (string | number | boolean)[]>> = {
  rank: [0],
  extent: ['empty', 'ones'],
  shape: ['1', '1x1', '3x0', '0', 'scalar'],
  rounds: [0],
  batch: ['0'],
  size: ['none'],
  window: ['one'],
  sizes: ['ones', 'none-contracting', 'no-batch', 'no-left'],
  contents: ['negative-zero'],
  from: ['constants', 'shared'],
};

/** Completions of a pair that are tried before it counts as illegal. */
const TRIES = 48;
/** Legal completions, of which the one with most new pairs is taken. */
const CANDIDATES = 4;

const known = new WeakMap<Space, Covering>();

/** The covering choices of a space, the same on every machine. The first is the usual form. */
export function covering(space: Space): Covering {
  const found = known.get(space) ?? covered(space);
  known.set(space, found);
  return found;
}

function covered(space: Space): Covering {
  const names = Object.keys(space.attributes);
  const { attributes } = space;
  const usual: Choice = Object.fromEntries(names.map((name) => [name, attributes[name]![0]!]));
  const missing = new Set(partsOf(names, space));
  const illegal = new Map<string, string>();
  const forms: { choice: Choice; form: Form }[] = [];
  const tried = new Map<string, Form | Illegal>();
  const formOf = (choice: Choice): Form | Illegal => {
    const key = Object.values(choice).join();
    const before = tried.get(key);
    if (before) return before;
    const made = attempt(space, choice);
    tried.set(key, made);
    return made;
  };
  const take = (choice: Choice, form: Form): void => {
    forms.push({ choice, form });
    for (const part of partsIn(names, space, choice)) missing.delete(part);
  };
  const first = formOf(usual);
  if (first instanceof Illegal) throw first;
  take(usual, first);
  // What frameworks write most: one attribute is unusual.
  for (const name of names) {
    for (const value of attributes[name]!.slice(1)) {
      const choice = { ...usual, [name]: value };
      const form = formOf(choice);
      if (!(form instanceof Illegal)) take(choice, form);
    }
  }
  // Pairs before single values: a value that no pair has is illegal, too.
  const order = [...missing].sort((a, b) => b.split(' ').length - a.split(' ').length);
  let turn = 0;
  for (const part of order) {
    if (!missing.has(part)) continue;
    const fixed = Object.fromEntries(part.split(' ').map((one) => partOf(attributes, one)));
    let best: { choice: Choice; form: Form; gain: number } | undefined;
    let found = 0;
    let why = '';
    for (let i = 0; i < TRIES && found < CANDIDATES; i++) {
      const choice = { ...completed(names, attributes, usual, i, turn++), ...fixed };
      const form = formOf(choice);
      if (form instanceof Illegal) {
        why ||= form.message;
        continue;
      }
      found++;
      const gain = partsIn(names, space, choice).filter((p) => missing.has(p)).length;
      if (!best || gain > best.gain) best = { choice, form, gain };
    }
    if (best) take(best.choice, best.form);
    else illegal.set(part, why);
    // Some pairs are legal beside a masking value only.
    missing.delete(part);
  }
  const tally = (single: boolean): Tally => {
    const out = new Map([...illegal].filter(([part]) => part.includes(' ') !== single));
    const all = [...partsOf(names, space)].filter((part) => part.includes(' ') !== single).length;
    return { covered: all - out.size, illegal: out };
  };
  return { forms, values: tally(true), pairs: tally(false) };
}

function attempt(space: Space, choice: Choice): Form | Illegal {
  try {
    return space.form(choice);
  } catch (error) {
    if (error instanceof Illegal) return error;
    throw error;
  }
}

/** The usual values first, then the usual ones but for some, then any. */
function completed(
  names: readonly string[],
  attributes: Space['attributes'],
  usual: Choice,
  i: number,
  turn: number,
): Choice {
  if (i === 0) return usual;
  const at = hashOf(turn);
  const share = i < TRIES / 3 ? 3 : 1;
  return Object.fromEntries(
    names.map((name, k) => {
      const values = attributes[name]!;
      return [name, at(2 * k) % share === 0 ? values[at(2 * k + 1) % values.length]! : usual[name]!];
    }),
  );
}

/** The first of these choices that have all values of attributes among them: few, and each adds most. */
export function firstOf(choices: readonly Choice[]): Choice[] {
  const valuesOf = (choice: Choice): string[] => Object.entries(choice).map(([name, value]) => textOf(name, value));
  const missing = new Set(choices.flatMap(valuesOf));
  const left = [...choices];
  const first: Choice[] = [];
  while (missing.size > 0) {
    const gains = left.map((choice) => valuesOf(choice).filter((value) => missing.has(value)).length);
    const [best] = left.splice(gains.indexOf(Math.max(...gains)), 1);
    first.push(best!);
    for (const value of valuesOf(best!)) missing.delete(value);
  }
  return first;
}

const textOf = (name: string, value: unknown): string => `${name}=${value}`;

/** All single values, pairs of values, and combinations of those that count together. */
function partsOf(
  names: readonly string[],
  { attributes, together = [] }: Pick<Space, 'attributes' | 'together'>,
): string[] {
  const singles = names.map((name) => attributes[name]!.map((value) => textOf(name, value)));
  const pairs = singles.flatMap((some, i) =>
    singles.slice(i + 1).flatMap((others) => some.flatMap((a) => others.map((b) => `${a} ${b}`))),
  );
  const combined = names
    .filter((name) => together.includes(name))
    .map((name) => attributes[name]!.map((value) => textOf(name, value)))
    .reduce((all, values) => all.flatMap((one) => values.map((value) => `${one} ${value}`.trim())), ['']);
  return [...singles.flat(), ...pairs, ...combined.filter((part) => part !== '')];
}

/** The values and combinations that show in a choice: those with all of its masking values. */
function partsIn(names: readonly string[], { together }: Space, choice: Choice): string[] {
  const masking = names.filter((name) => MASKING[name]?.includes(choice[name]!));
  const attributes = Object.fromEntries(names.map((name) => [name, [choice[name]!]]));
  const parts = partsOf(names, { attributes, ...(together ? { together } : {}) });
  return parts.filter((part) => masking.every((name) => part.split(' ').includes(textOf(name, choice[name]))));
}

function partOf(attributes: Space['attributes'], part: string): [string, string | number | boolean] {
  const [name, text] = part.split('=') as [string, string];
  return [name, attributes[name]!.find((value) => String(value) === text)!];
}
