import type { FieldRow } from '../../harness/knowledge/abi/table-format.ts';

/** A struct as declared: its members, and the last field of the size that the header defines for it. */
interface DeclaredStruct {
  fields: FieldRow[];
  sizedTo?: string;
}

/** What a PJRT header declares. */
export interface Declarations {
  /** Object-like macros with an integer value. */
  numbers: Map<string, number>;
  enums: Map<string, Map<string, number>>;
  structs: Map<string, DeclaredStruct>;
  /** Function types and function pointer types: their declarators, e.g. `void (*NAME)(void* arg)`. */
  functions: Map<string, string>;
}

/**
 * Reads the declarations of a PJRT header. It knows the subset of C that these headers use and throws on any struct
 * member or enum value outside of it; a compiler checks its results where one is at hand (see `layoutAssertions`).
 */
export function readDeclarations(source: string, where: string): Declarations {
  const text = code(source);
  const fail = (what: string): never => {
    throw new Error(`${where}: cannot read ${what.replace(/\s+/g, ' ').trim()}`);
  };
  const result: Declarations = { numbers: new Map(), enums: new Map(), structs: new Map(), functions: new Map() };
  for (const [, name, value] of source.matchAll(/^#define\s+(\w+)\s+(\d+)\s*(?:\/\/.*)?$/gm)) {
    result.numbers.set(name!, Number(value));
  }
  for (const m of text.matchAll(
    /\btypedef\s+enum\s*(?:\w+\s*)?\{([^}]*)\}\s*(\w+)\s*;|\benum\s+(\w+)\s*(?::\s*\w+\s*)?\{([^}]*)\}\s*;/g,
  )) {
    result.enums.set((m[2] ?? m[3])!, enumerators((m[1] ?? m[4])!, fail));
  }
  for (const { name, body } of structBodies(text)) result.structs.set(name, { fields: members(body, fail) });
  for (const [, name, last] of text.matchAll(
    /\b(?:PJRT|PROFILER)_(?:DEFINE_STRUCT_TRAITS|STRUCT_SIZE)\s*\(\s*(\w+)\s*,\s*(\w+)\s*\)/g,
  )) {
    const struct = result.structs.get(name!);
    if (struct) struct.sizedTo = last!;
  }
  for (const [, declarator] of text.matchAll(/\btypedef\s+((?!struct\b[^;(]*;|enum\b)[^;{}]*\([^;{}]*\))\s*;/g)) {
    const clean = oneLine(declarator!);
    const name = /\(\s*\*?\s*(\w+)\s*\)\s*\(/.exec(clean)?.[1] ?? /(\w+)\s*\(/.exec(clean)?.[1];
    if (name === undefined) fail(clean);
    else result.functions.set(name, clean.replace(/\(\s+/g, '('));
  }
  return result;
}

const OUT = '@out@';
const IN_OUT = '@inout@';

/** The source without comments and directives; a field that a comment calls an output is followed by a mark. */
function code(source: string): string {
  return source
    .replace(/\/\*[\s\S]*?\*\//g, ' ')
    .replace(
      /^#ifdef __cplusplus\b.*\n(?:(?!#(?:if|else|endif)).*\n)*(?:#else.*\n((?:(?!#(?:if|endif)).*\n)*))?#endif.*$/gm,
      '$1',
    )
    .replace(/^[ \t]*#(?:[^\n\\]|\\[\s\S])*$/gm, '')
    .split('\n')
    .map((line) => {
      const [before = '', ...comment] = line.split('//');
      const says = comment.join('//');
      if (!/\bout\b/.test(says) || !/;\s*$/.test(before)) return before;
      return `${before} ${/\bin\b/.test(says) ? IN_OUT : OUT}`;
    })
    .join('\n')
    .replace(/\bPJRT_NO_DISCARD\b|\[\[nodiscard\]\]/g, ' ');
}

function* structBodies(text: string): Generator<{ name: string; body: string }> {
  for (const m of text.matchAll(/\b(typedef\s+)?struct\s+(\w+)?\s*\{/g)) {
    const start = m.index + m[0].length;
    const end = closing(text, start);
    const after = /^\s*(\w+)?\s*;/.exec(text.slice(end + 1));
    const name = m[2] ?? (m[1] ? after?.[1] : undefined);
    if (name !== undefined) yield { name, body: text.slice(start, end) };
  }
}

function closing(text: string, start: number): number {
  let depth = 1;
  for (let i = start; i < text.length; i += 1) {
    if (text[i] === '{') depth += 1;
    if (text[i] === '}') depth -= 1;
    if (depth === 0) return i;
  }
  return text.length;
}

function members(body: string, fail: (what: string) => never): FieldRow[] {
  const rows: FieldRow[] = [];
  for (let rest = body; rest.trim() !== ''; ) {
    const union = /^\s*union\s*\{/.exec(rest);
    if (union) {
      const end = closing(rest, union[0].length);
      rows.push(...members(rest.slice(union[0].length, end), fail).map((row) => ({ ...row, union: true as const })));
      rest = rest.slice(end + 1).replace(/^\s*;/, '');
      continue;
    }
    const m = /^([^;{}]*);[ \t]*(@out@|@inout@)?/.exec(rest);
    if (!m) return fail(rest);
    rows.push({
      ...member(oneLine(m[1]!), fail),
      ...(m[2] ? { out: true as const } : {}),
      ...(m[2] === IN_OUT ? { inOut: true as const } : {}),
    });
    rest = rest.slice(m[0].length);
  }
  return rows;
}

function member(text: string, fail: (what: string) => never): FieldRow {
  const slot = /^_PJRT_API_STRUCT_FIELD\s*\(\s*(\w+)\s*\)$/.exec(text);
  if (slot) return { name: slot[1]!, type: 'fn' };
  const pointer = /\(\s*\*\s*(\w+)\s*\)\s*\(/.exec(text);
  if (pointer) return { name: pointer[1]!, type: `fnptr: ${text}` };
  const plain = /^((?:\w|::|\s|\*)*[\s*])(\w+)(\[\d+\])?$/.exec(text);
  if (!plain) return fail(text);
  const type = plain[1]!
    .replace(/\s*\*/g, '*')
    .replace(/\*(?=\w)/g, '* ')
    .trim();
  return { name: plain[2]!, type: type + (plain[3] ?? '') };
}

function enumerators(body: string, fail: (what: string) => never): Map<string, number> {
  const values = new Map<string, number>();
  let next = 0;
  for (const item of body.split(',').map(oneLine)) {
    if (item === '') continue;
    const m = /^(\w+)(?:\s*=\s*(-?\d+|0x[\da-fA-F]+)u?(?:\s*<<\s*(\d+))?)?$/.exec(item);
    if (!m) return fail(item);
    if (m[2] !== undefined) next = Number(m[2]) * 2 ** Number(m[3] ?? 0);
    values.set(m[1]!, next);
    next += 1;
  }
  return values;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
