import { UsageError } from '../../base/usage-error.ts';

/** A device, or several, as variables make it visible to a plugin. */
export interface DeviceRow {
  /** Distinguishes it from the other rows: the values in which they differ, as a directory is named. */
  name: string;
  env: Record<string, string>;
  /** The row as `--device-env` takes it. */
  text: string;
}

/** More rows than devices in a machine. */
const MAX_ROWS = 256;

const EXPECTED =
  "expected NAME=VALUE, several separated by spaces, and for several rows NAME=FIRST..LAST: 'CUDA_VISIBLE_DEVICES=0..7'";

/**
 * The rows of `--device-env`. A value such as `0..3` makes one row for each number; several of these in one row go together.
 * @throws UsageError
 */
export function deviceRows(texts: readonly string[]): DeviceRow[] {
  const rows = texts.flatMap(rowsOf);
  if (rows.length > MAX_ROWS) throw wrong(texts.join(' '), `${rows.length} rows are too many; at most ${MAX_ROWS}`);
  const variables = [...new Set(rows.flatMap((env) => Object.keys(env)))];
  const differing = variables.filter((name) => new Set(rows.map((env) => env[name])).size > 1);
  const named = differing.length > 0 ? differing : variables;
  const seen = new Map<string, string>();
  return rows.map((env) => {
    const text = Object.entries(env)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ');
    const name = named.map((variable) => fileName(env[variable] ?? '')).join('_');
    if (seen.has(name)) throw wrong(text, `the rows ${seen.get(name)} and ${text} are the same device`);
    seen.set(name, text);
    return { name, env, text };
  });
}

/** The variables of the device that a run is for: those of its only row. */
export const deviceVariables = (texts: readonly string[] = []): Record<string, string> =>
  deviceRows(texts)[0]?.env ?? {};

const wrong = (text: string, what: string): UsageError =>
  new UsageError(`--device-env ${text}: ${what}`, { options: ['device-env'] });

function rowsOf(text: string): Record<string, string>[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) throw wrong(JSON.stringify(text), EXPECTED);
  const variables = words.map((word) => {
    const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(word) ?? [];
    if (name === undefined || value === undefined) throw wrong(text, EXPECTED);
    return { name, values: valuesOf(value, text) };
  });
  const names = new Set(variables.map(({ name }) => name));
  if (names.size < variables.length) throw wrong(text, 'a variable has two values; give each device a row of its own');
  const counts = new Set(variables.map(({ values }) => values.length).filter((count) => count > 1));
  if (counts.size > 1) throw wrong(text, `the ranges differ in length: ${[...counts].join(' and ')} numbers`);
  const count = Math.max(...variables.map(({ values }) => values.length));
  return Array.from({ length: count }, (_, i) =>
    Object.fromEntries(variables.map(({ name, values }) => [name, values.length === 1 ? values[0]! : values[i]!])),
  );
}

/** `0..3` as four values; everything else is one. */
function valuesOf(value: string, row: string): string[] {
  const [, first, last] = /^(\d{1,9})\.\.(\d{1,9})$/.exec(value) ?? [];
  if (first === undefined || last === undefined) return [value];
  const count = Number(last) - Number(first) + 1;
  if (count < 1 || count > MAX_ROWS) throw wrong(row, `${value} is no range of up to ${MAX_ROWS} numbers`);
  return Array.from({ length: count }, (_, i) => String(Number(first) + i));
}

/** As part of the name of a directory. */
const fileName = (value: string): string => value.replace(/[^\w.,+-]+/g, '-').replace(/^\.+/, '') || 'none';
