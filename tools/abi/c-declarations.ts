import type { FieldRow } from '../../harness/knowledge/abi/table-format.ts';

/** A struct as declared: its members, and the last field of the size that the header defines for it, or that size. */
interface DeclaredStruct {
  fields: FieldRow[];
  sizedTo?: string;
  declaredSize?: number;
  /** `file:line`. */
  where: string;
}

/** What a PJRT header declares. */
export interface Declarations {
  /** The file. */
  where: string;
  /** Object-like macros with an integer value. */
  numbers: Map<string, number>;
  enums: Map<string, Map<string, number>>;
  structs: Map<string, DeclaredStruct>;
  /** Function types and function pointer types: their declarators, e.g. `void (*NAME)(void* arg)`. */
  functions: Map<string, string>;
}

/** A header that cannot be read: `file:line`, what stands there, and what was expected. */
export class HeaderError extends Error {
  override name = 'HeaderError';
}

/** A part of the code of a header, and where it begins in it. */
interface Part {
  text: string;
  at: number;
}

type Fail = (what: Part, expected: string) => never;

/**
 * Reads the declarations of a PJRT header, upstream's or one that `header.ts` wrote. It knows the subset of C that these use; a
 * compiler checks its results where one is at hand (see `layoutAssertions`).
 * @throws HeaderError for any struct member or enum value outside of it
 */
export function readDeclarations(source: string, where: string): Declarations {
  const text = code(source);
  const whereIs = (at: number): string => `${where}:${text.slice(0, at).split('\n').length}`;
  const fail: Fail = (what, expected) => {
    const at = what.at + what.text.search(/\S|$/);
    throw new HeaderError(`${whereIs(at)}: cannot read \`${oneLine(what.text)}\`: expected ${expected}`);
  };
  const numbers = new Map<string, number>();
  const structs = new Map<string, DeclaredStruct>();
  for (const [, name, value] of source.matchAll(/^#define\s+(\w+)\s+(\d+)\s*(?:\/\/.*)?$/gm)) {
    numbers.set(name!, Number(value));
  }
  for (const { name, body } of structBodies(text)) {
    structs.set(name, { fields: members(body, fail), where: whereIs(body.at) });
  }
  for (const [, name, last] of text.matchAll(
    /\b(?:PJRT|PROFILER)_(?:DEFINE_STRUCT_TRAITS|STRUCT_SIZE)\s*\(\s*(\w+)\s*,\s*(\w+)\s*\)/g,
  )) {
    const struct = structs.get(name!);
    if (struct) struct.sizedTo = last!;
  }
  for (const [, name, size] of source.matchAll(/^#define\s+(\w+)_STRUCT_SIZE\s+\(\(size_t\)(\d+)\)$/gm)) {
    const struct = structs.get(name!);
    if (struct) struct.declaredSize = Number(size);
  }
  const functions = functionTypes(text, fail);
  return { where, numbers, enums: enumTypes(text, fail), structs: withSlots(structs, functions), functions };
}

function enumTypes(text: string, fail: Fail): Declarations['enums'] {
  const enums: Declarations['enums'] = new Map();
  for (const m of text.matchAll(
    /\btypedef\s+enum\s*(?:\w+\s*)?\{([^}]*)\}\s*(\w+)\s*;|\benum\s+(\w+)\s*(?::\s*\w+\s*)?\{([^}]*)\}\s*;/g,
  )) {
    const body = m[1] ?? m[4]!;
    enums.set((m[2] ?? m[3])!, enumerators({ text: body, at: m.index + m[0].indexOf('{') + 1 }, fail));
  }
  return enums;
}

function functionTypes(text: string, fail: Fail): Declarations['functions'] {
  const functions: Declarations['functions'] = new Map();
  for (const m of text.matchAll(/\btypedef\s+((?!struct\b[^;(]*;|enum\b)[^;{}]*\([^;{}]*\))\s*;/g)) {
    const clean = oneLine(m[1]!);
    const name = /\(\s*\*?\s*(\w+)\s*\)\s*\(/.exec(clean)?.[1] ?? /(\w+)\s*\(/.exec(clean)?.[1];
    if (name === undefined) return fail({ text: m[0], at: m.index }, '`typedef RESULT NAME(ARGS)`');
    functions.set(name, clean.replace(/\(\s+/g, '('));
  }
  return functions;
}

/** The structs, with slots for those function pointers that have the name of a function. */
function withSlots(structs: Declarations['structs'], functions: Declarations['functions']): Declarations['structs'] {
  const isSlot = ({ name, type }: FieldRow): boolean => type.startsWith('fnptr:') && functions.has(name);
  return new Map(
    [...structs].map(([name, struct]) => [
      name,
      { ...struct, fields: struct.fields.map((row) => (isSlot(row) ? { ...row, type: 'fn' } : row)) },
    ]),
  );
}

const OUT = '@out@';
const IN_OUT = '@inout@';

/** The source without comments and directives, line by line; a field that a comment calls an output is followed by a mark. */
function code(source: string): string {
  return source
    .replace(/\/\*([^\n]*?)\*\/[ \t]*$/gm, '//$1')
    .replace(/\/\*[\s\S]*?\*\//g, blank)
    .replace(
      /^#ifdef __cplusplus\b.*\n(?:(?!#(?:if|else|endif)).*\n)*(?:#else.*\n((?:(?!#(?:if|endif)).*\n)*))?#endif.*$/gm,
      (whole, inC = '') => {
        const at = whole.lastIndexOf(inC);
        return blank(whole.slice(0, at)) + inC + blank(whole.slice(at + inC.length));
      },
    )
    .replace(/^[ \t]*#(?:[^\n\\]|\\[\s\S])*$/gm, blank)
    .split('\n')
    .map((line) => {
      const [before = '', ...comment] = line.split('//');
      const says = comment.join('//');
      if (!/\bout\b/.test(says) || !/;\s*$/.test(before)) return before;
      return `${before} ${/\bin\b/.test(says) ? IN_OUT : OUT}`;
    })
    .join('\n')
    .replace(/\b(?:PJRT_NO_DISCARD|PJRT_UNNAMED)\b|\[\[nodiscard\]\]/g, ' ');
}

/** As many lines, with nothing on them. */
const blank = (text: string): string => text.replace(/[^\n]/g, '');

function* structBodies(text: string): Generator<{ name: string; body: Part }> {
  for (const m of text.matchAll(/\b(typedef\s+)?struct\s+(\w+)?\s*\{/g)) {
    const at = m.index + m[0].length;
    const end = closing(text, at);
    const after = /^\s*(\w+)?\s*;/.exec(text.slice(end + 1));
    const name = m[2] ?? (m[1] ? after?.[1] : undefined);
    if (name !== undefined) yield { name, body: { text: text.slice(at, end), at } };
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

const after = ({ text, at }: Part, length: number): Part => ({ text: text.slice(length), at: at + length });

function members(body: Part, fail: Fail): FieldRow[] {
  const rows: FieldRow[] = [];
  for (let rest = body; rest.text.trim() !== ''; ) {
    const union = /^\s*union\s*\{/.exec(rest.text);
    if (union) {
      const end = closing(rest.text, union[0].length);
      const inside = { text: rest.text.slice(union[0].length, end), at: rest.at + union[0].length };
      rows.push(...members(inside, fail).map((row) => ({ ...row, union: true as const })));
      rest = after(rest, end + 1 + (/^\s*;/.exec(rest.text.slice(end + 1))?.[0].length ?? 0));
      continue;
    }
    const m = /^([^;{}]*);[ \t]*(@out@|@inout@)?/.exec(rest.text);
    if (!m)
      return fail(
        { ...rest, text: rest.text.split('\n', 3).join('\n') },
        'a field that ends with `;`, or `union { … };`',
      );
    rows.push({
      ...member({ text: m[1]!, at: rest.at }, fail),
      ...(m[2] ? { out: true as const } : {}),
      ...(m[2] === IN_OUT ? { inOut: true as const } : {}),
    });
    rest = after(rest, m[0].length);
  }
  return rows;
}

function member(part: Part, fail: Fail): FieldRow {
  const text = oneLine(part.text);
  const slot = /^_PJRT_API_STRUCT_FIELD\s*\(\s*(\w+)\s*\)$/.exec(text);
  if (slot) return { name: slot[1]!, type: 'fn' };
  const pointer = /\(\s*\*\s*(\w+)\s*\)\s*\(/.exec(text);
  if (pointer) return { name: pointer[1]!, type: `fnptr: ${text}` };
  const plain = /^((?:\w|::|\s|\*)*[\s*])(\w+)(\[\d+\])?$/.exec(text);
  if (!plain) {
    return fail(part, '`TYPE NAME`, `TYPE NAME[4]`, `RESULT (*NAME)(ARGS)` or `_PJRT_API_STRUCT_FIELD(FUNCTION)`');
  }
  const type = plain[1]!
    .replace(/\s*\*/g, '*')
    .replace(/\*(?=\w)/g, '* ')
    .trim();
  return { name: plain[2]!, type: type + (plain[3] ?? '') };
}

function enumerators(body: Part, fail: Fail): Map<string, number> {
  const values = new Map<string, number>();
  let next = 0;
  let { at } = body;
  for (const text of body.text.split(',')) {
    const m = /^\s*(\w+)(?:\s*=\s*(-?\d+|0x[\da-fA-F]+)u?(?:\s*<<\s*(\d+))?)?\s*$/.exec(text);
    if (!m && text.trim() !== '') return fail({ text, at }, '`NAME`, `NAME = 4`, `NAME = 0x4` or `NAME = 1u << 2`');
    at += text.length + 1;
    if (!m) continue;
    if (m[2] !== undefined) next = Number(m[2]) * 2 ** Number(m[3] ?? 0);
    values.set(m[1]!, next);
    next += 1;
  }
  return values;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
