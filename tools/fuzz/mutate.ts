import { parse, stringify } from 'yaml';
import { BOMBS, NASTY_NUMBERS, NASTY_STRINGS, NASTY_SYNTAX, NASTY_VALUES } from './nasty.ts';
import type { Random } from './random.ts';
import type { Words } from './words.ts';

/** Syntax of a file, which decides what structure a mutation sees. */
export type Syntax = 'yaml' | 'json' | 'jsonl' | 'text' | 'zip';

/** Further values to insert besides generally hostile ones. */
interface Material {
  words: Words;
  /** Texts of the document itself: names that refer to something else in it. */
  own: readonly string[];
}

const NO_WORDS: Words = { keys: [], values: [] };

/** A file made from a valid one, or from nothing. */
export function mutant(random: Random, corpus: readonly Buffer[], syntax: Syntax, words = NO_WORDS): Buffer {
  let bytes = random.pick(corpus);
  if (syntax !== 'zip' && random.chance(0.005)) return Buffer.from(random.pick(BOMBS));
  // One change reaches further into a reader than many, of which the first is rejected.
  const rounds = random.chance(0.5) ? 1 : 1 + random.below(4);
  for (let round = 0; round < rounds; round++) {
    const style = random.unit();
    if (style < 0.45 && syntax !== 'zip' && syntax !== 'text') bytes = mutateData(random, bytes, syntax, words);
    else if (style < 0.75 && syntax !== 'zip') bytes = mutateLines(random, bytes, corpus);
    else bytes = mutateBytes(random, bytes, corpus);
  }
  return random.chance(0.04) ? reencoded(random, bytes) : bytes;
}

/** Replaces, adds, removes and renames values; falls back on lines if the file cannot be parsed any more. */
function mutateData(random: Random, bytes: Buffer, syntax: Syntax, words: Words): Buffer {
  const text = bytes.toString('utf8');
  if (text.length > 2_000_000) return bytes;
  const changed = (value: unknown, near = value): unknown =>
    mutatedValue(random, value, { words, own: textsIn(near).slice(0, 500) });
  try {
    if (syntax === 'jsonl') {
      const lines = text.split('\n');
      const at = random.below(lines.length);
      // Values of other lines may be names here.
      const other = JSON.parse(lines[random.below(lines.length)] || 'null') as unknown;
      const value = JSON.parse(lines[at]!) as unknown;
      lines[at] = JSON.stringify(changed(value, [other, value]));
      return Buffer.from(lines.join('\n'));
    }
    if (syntax === 'json') {
      const value = changed(JSON.parse(text));
      return Buffer.from(JSON.stringify(value, undefined, random.chance(0.7) ? 2 : 0) ?? 'null');
    }
    return Buffer.from(stringify(changed(parse(text, { maxAliasCount: 0 }))));
  } catch {
    return mutateLines(random, bytes, [bytes]);
  }
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** The value with one change somewhere in it. */
function mutatedValue(random: Random, value: unknown, material: Material): unknown {
  const stop = random.chance(0.2);
  if (Array.isArray(value) && value.length > 0 && !stop) {
    const copy: unknown[] = [...value];
    const at = random.below(copy.length);
    const what = random.below(8);
    if (what === 0) copy.splice(at, 1);
    else if (what === 1) copy.splice(at, 0, copy[random.below(copy.length)]);
    else if (what === 2) copy.splice(at, 0, oddValue(random, material));
    else copy[at] = mutatedValue(random, copy[at], material);
    return copy;
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && !stop) {
    const entries = Object.entries(value);
    if (entries.length === 0) return { [oddKey(random, material)]: oddValue(random, material) };
    const at = random.below(entries.length);
    const [key, entry] = entries[at]!;
    const what = random.below(10);
    if (what === 0) entries.splice(at, 1);
    else if (what === 1) entries[at] = [oddKey(random, material), entry];
    else if (what === 2) entries.push([oddKey(random, material), oddValue(random, material)]);
    else if (what === 3) entries[at] = [key, entries[random.below(entries.length)]![1]];
    else entries[at] = [key, mutatedValue(random, entry, material)];
    // With fromEntries, `__proto__` is an ordinary key.
    return Object.fromEntries(entries);
  }
  return oddValue(random, material, value);
}

const oddKey = (random: Random, { words }: Material): string =>
  random.pick(words.keys.length > 0 && random.chance(0.6) ? words.keys : NASTY_STRINGS);

function oddValue(random: Random, { words, own }: Material, instead?: unknown): unknown {
  const what = random.unit();
  if (typeof instead === 'string') {
    if (what < 0.2) {
      const at = random.below(instead.length + 1);
      return instead.slice(0, at) + random.pick(NASTY_STRINGS) + instead.slice(at);
    }
    if (what < 0.35 && own.length > 0) return random.pick(own);
    if (what < 0.45 && words.values.length > 0) return random.pick(words.values);
  }
  if (typeof instead === 'number' && what < 0.5) return random.pick([...NASTY_NUMBERS, instead + 1, -instead]);
  if (typeof instead === 'boolean' && what < 0.3) return !instead;
  if (what < 0.6) return random.pick(NASTY_STRINGS);
  return random.pick(what < 0.8 ? NASTY_NUMBERS : NASTY_VALUES);
}

/** Drops, doubles, moves and indents lines, and inserts unusual syntax. */
function mutateLines(random: Random, bytes: Buffer, corpus: readonly Buffer[]): Buffer {
  const lines = bytes.toString('utf8').split('\n');
  const at = random.below(lines.length);
  const line = lines[at]!;
  switch (random.below(9)) {
    case 0:
      lines.splice(at, 1 + random.below(3));
      break;
    case 1:
      lines.splice(at, 0, line);
      break;
    case 2:
      [lines[at], lines[random.below(lines.length)]] = [lines[random.below(lines.length)]!, line];
      break;
    case 3:
      lines[at] = random.chance(0.5) ? ` ${line}` : line.replace(/^ {1,2}/, '');
      break;
    case 4:
      lines[at] = line.replace(/(?<=[:[,{-] ?)[^\s:,[\]{}]+/, () => random.pick(NASTY_SYNTAX));
      break;
    case 5:
      lines[at] = line.replace(/(?<=: ).*$/, () => random.pick([...NASTY_SYNTAX, ...NASTY_STRINGS]));
      break;
    case 6:
      lines.splice(at, 0, random.pick(NASTY_SYNTAX));
      break;
    case 7: {
      const other = random.pick(corpus).toString('utf8').split('\n');
      const from = random.below(other.length);
      lines.splice(at, random.below(4), ...other.slice(from, from + 1 + random.below(6)));
      break;
    }
    default: {
      const column = random.below(line.length + 1);
      lines[at] = line.slice(0, column) + random.pick(NASTY_SYNTAX) + line.slice(column + random.below(3));
    }
  }
  return Buffer.from(lines.join('\n'));
}

/** Flips, inserts, removes and repeats bytes, and truncates the file. */
export function mutateBytes(random: Random, bytes: Buffer, corpus: readonly Buffer[]): Buffer {
  if (bytes.length === 0) return Buffer.from([random.below(256)]);
  const at = random.below(bytes.length);
  const length = 1 + random.below(Math.min(64, bytes.length - at));
  const [before, here, after] = [bytes.subarray(0, at), bytes.subarray(at, at + length), bytes.subarray(at + length)];
  switch (random.below(7)) {
    case 0: {
      const copy = Buffer.from(bytes);
      for (let flips = 1 + random.below(4); flips > 0; flips--) {
        const place = random.below(copy.length);
        copy[place] = copy[place]! ^ (1 << random.below(8));
      }
      return copy;
    }
    case 1:
      return Buffer.concat([before, after]);
    case 2:
      return Buffer.concat([before, Buffer.from(Array.from({ length }, () => random.below(256))), after]);
    case 3:
      return before;
    case 4:
      return Buffer.concat([before, ...Array<Buffer>(1 + random.below(200)).fill(here), after]);
    case 5: {
      const other = random.pick(corpus);
      const from = random.below(other.length);
      return Buffer.concat([before, other.subarray(from, from + random.below(other.length - from))]);
    }
    default: {
      const copy = Buffer.from(bytes);
      const number = random.pick([0, 0xff, 0x7f, 0x80]);
      copy.fill(number, at, Math.min(copy.length, at + random.pick([1, 2, 4, 8])));
      return copy;
    }
  }
}

function reencoded(random: Random, bytes: Buffer): Buffer {
  const text = bytes.toString('utf8');
  switch (random.below(6)) {
    case 0:
      return Buffer.concat([Buffer.from('\ufeff'), bytes]);
    case 1:
      return Buffer.from(`\ufeff${text}`, 'utf16le');
    case 2:
      return Buffer.from(text, 'utf16le').swap16();
    case 3:
      return Buffer.from(text, 'latin1');
    case 4:
      return Buffer.from(text.replaceAll('\n', '\r\n'));
    default:
      return Buffer.from(text.replaceAll('\n', '\r'));
  }
}
