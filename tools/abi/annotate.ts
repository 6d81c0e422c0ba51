import { parseType } from '../../harness/knowledge/abi/c-type.ts';
import type { AbiTable, FieldAnnotations, FieldRow } from '../../harness/knowledge/abi/table-format.ts';
import { FRAMEWORKS, loadFramework, useOf } from '../../harness/verdict/frameworks/load.ts';
import { ANNOTATION_FACTS, KEPT_TYPES } from './annotation-facts.ts';
import { EXTENSION_ANNOTATION_FACTS } from './extension-annotation-facts.ts';

const API = 'PJRT_Api';
const FACTS = [...ANNOTATION_FACTS, ...EXTENSION_ANNOTATION_FACTS];
const OWNERS = ['destroy', 'deleter', 'keeper', 'spentBy'] as const;

/** Last parts of names under which the C API keeps text. */
const TEXT_NAMES = /(?:^|_)(?:name|kinds?|version|message|string|description|fingerprint|key|format)$/;
const BYTES_NAMES = /(?:^|_)(?:serialized_\w+|bytes)$/;

/**
 * Writes the annotations of every field into the table, in place of those that it has: derived from names and the shape of
 * the structs, or, where these do not say it, from ANNOTATION_FACTS.
 * @param nullTested slots that frameworks test for NULL
 */
export function annotate(table: AbiTable, nullTested: ReadonlySet<string>): AbiTable {
  const structs = Object.entries(table.structs).map(([name, struct]) => {
    const plain = struct.fields.map(withoutAnnotations);
    const annotations = annotationsOf(table, name, plain, nullTested);
    return [name, { ...struct, fields: plain.map((row, i) => ({ ...row, ...annotations[i] })) }];
  });
  return { ...table, structs: Object.fromEntries(structs) };
}

/** The columns that the header itself gives. */
function withoutAnnotations({ name, type, out, inOut, union, in: range }: FieldRow): FieldRow {
  return {
    name,
    type,
    ...(out ? { out } : {}),
    ...(inOut ? { inOut } : {}),
    ...(union ? { union } : {}),
    ...(range === undefined ? {} : { in: range }),
  };
}

function annotationsOf(
  table: AbiTable,
  struct: string,
  rows: readonly FieldRow[],
  nullTested: ReadonlySet<string>,
): FieldAnnotations[] {
  const facts = (row: FieldRow): FieldAnnotations => factOf(`${struct}.${row.name}`);
  if (struct === API) {
    return rows.map((row) => ({ ...(nullTested.has(row.name) ? { nullable: true as const } : {}), ...facts(row) }));
  }
  const counted = rows.map((row) => ({ ...counts(row, rows), ...content(row), ...flag(row, rows), ...facts(row) }));
  const deleters = deletersOf(rows);
  for (const row of rows) {
    const { deleter } = facts(row);
    if (deleter !== undefined) deleters.set(row.name, deleter);
  }
  const given = (row: FieldRow) => isGiven(table, struct, row);
  const countsOutput = (row: FieldRow) =>
    rows.some((array, i) => counted[i]!.count === row.name && array.out && !given(array));
  return rows.map((row, i) => {
    const isMarked = row.out || given(row);
    const isUnmarked = !isMarked && (deleters.has(row.name) || (row.type === 'size_t' && countsOutput(row)));
    const owned = isMarked || isUnmarked ? owner(table, struct, row, rows, deleters) : {};
    return { ...counted[i], ...owned, ...(isUnmarked ? { unmarked: true as const } : {}) };
  });
}

function factOf(field: string): FieldAnnotations {
  const found = FACTS.filter((fact) => fact.fields.includes(field));
  return Object.assign({}, ...found.map(({ fields: _, header: __, source: ___, ...annotations }) => annotations));
}

/** `num_devices` counts `devices`, `message_size` counts `message`, `shape_num_dims` counts `shape_dims`. */
function counts(row: FieldRow, rows: readonly FieldRow[]): FieldAnnotations {
  if (parseType(row.type).depth === 0) return {};
  const words = row.name.split('_');
  const names = [
    `num_${row.name}`,
    `${row.name}_size`,
    ...words.slice(1).map((_, i) => [...words.slice(0, i + 1), 'num', ...words.slice(i + 1)].join('_')),
  ];
  const count = names.find((name) => rows.some((r) => r.name === name && r.type === 'size_t'));
  return count === undefined ? {} : { count };
}

function content({ name, type }: FieldRow): FieldAnnotations {
  if (parseType(type).base !== 'char') return {};
  if (BYTES_NAMES.test(name)) return { content: 'bytes' };
  return TEXT_NAMES.test(name) ? { content: 'text' } : {};
}

function flag({ name }: FieldRow, rows: readonly FieldRow[]): FieldAnnotations {
  const known = rows.find((r) => r.name === `${name}_is_set`);
  return known ? { flag: known.name } : {};
}

/** What each `…_deleter` of a struct frees: the field of its name, or the only one of the type that it takes. */
function deletersOf(rows: readonly FieldRow[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const deleter of rows.filter((r) => r.out && r.name.endsWith('_deleter'))) {
    const parameter = /\(([^()]*)\)\s*$/.exec(deleter.type)?.[1] ?? '';
    const [taken = ''] = parameter.split('*');
    const { base } = parseType(taken);
    const fits = rows.filter((r) => r !== deleter && parseType(r.type).depth === 1 && parseType(r.type).base === base);
    const named = fits.find((r) => `${r.name}_deleter` === deleter.name);
    const object = named ?? (fits.length === 1 ? fits[0] : undefined);
    if (object) found.set(object.name, deleter.name);
  }
  return found;
}

function owner(
  table: AbiTable,
  struct: string,
  row: FieldRow,
  rows: readonly FieldRow[],
  deleters: ReadonlyMap<string, string>,
): FieldAnnotations {
  const known = factOf(`${struct}.${row.name}`);
  if (OWNERS.some((rule) => known[rule] !== undefined) || !leadsOut(table, row.type)) return {};
  const deleter = deleters.get(row.name);
  if (deleter !== undefined) return { deleter };
  const { base } = parseType(row.type);
  const destroy = `${base}_Destroy`;
  if (table.structs[API]!.fields.some((f) => f.name === destroy)) return { destroy };
  if (isGiven(table, struct, row)) return {};
  if (isObject(table, base) && KEPT_TYPES[base] === undefined) return {};
  const keeper = [...deleters.keys()][0] ?? subjectOf(rows);
  return keeper === undefined ? {} : { keeper };
}

/** Whether an output leads to the caller's own memory. */
function isGiven(table: AbiTable, struct: string, row: FieldRow): boolean {
  const field = `${struct}.${row.name}`;
  return table.inOut.includes(field) || factOf(field).given === true;
}

/** Whether a value of this type is a pointer to data or an object, or a struct with such pointers. */
export function leadsOut(table: AbiTable, type: string): boolean {
  const { base, depth } = parseType(type);
  if (depth > 0) return true;
  return table.structs[base]?.fields.some((f) => leadsOut(table, f.type)) ?? false;
}

/** Whether pointers to this type stand for objects of the plugin; others lead to data. */
function isObject(table: AbiTable, base: string): boolean {
  return base.startsWith('PJRT_') && table.structs[base] === undefined && table.enums[base] === undefined;
}

/** The object that the function is about: its first argument. */
function subjectOf(rows: readonly FieldRow[]): string | undefined {
  const first = rows.find((r) => !['struct_size', 'extension_start', 'priv'].includes(r.name));
  return first && !first.out && parseType(first.type).depth === 1 ? first.name : undefined;
}

/**
 * Slots that frameworks test for NULL before they call them, as of the newest release of each: at least one does, and none
 * calls the function without a test.
 */
export function nullTestedSlots(): Set<string> {
  const tested = new Set<string>();
  const untested = new Set<string>();
  for (const framework of FRAMEWORKS.map(loadFramework)) {
    for (const name of Object.keys(framework.functions)) {
      const use = useOf({ framework, release: framework.releases.at(-1)! }, name);
      if (use) (use.gate?.nullChecked ? tested : untested).add(`PJRT_${name}`);
    }
  }
  return new Set([...tested].filter((name) => !untested.has(name)));
}
