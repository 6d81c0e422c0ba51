import type { Abi } from './abi.ts';
import { isPointer } from './c-type.ts';
import { type Field, StructLayout } from './struct-layout.ts';

/** What a C header is made from: one version of the C API, or that and the extensions on top. */
interface HeaderParts {
  enums: ReadonlyMap<string, ReadonlyMap<string, number>>;
  structs: readonly StructLayout[];
  /** C declarators by type name. */
  callbacks: ReadonlyMap<string, string>;
}

/** A self-contained C99 and C++ header with the types of one version of the C API. */
export function cHeader(abi: Abi): string {
  const parts = apiParts(abi);
  const guard = `PJRT_C_API_0_${abi.minor}_H_`;
  return `/* PJRT C API 0.${abi.minor}, written by tools/abi/header.ts from the layout table. Do not edit.
   X_STRUCT_SIZE is the size this version's header gives for X, if it does: the end of its last field, but for a few old mistakes.
   Fields marked out are written by the callee. */
#ifndef ${guard}
#define ${guard}

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PJRT_API_MAJOR 0
#define PJRT_API_MINOR ${abi.minor}

${MACROS}
#ifdef __cplusplus
extern "C" {
#endif

${declarations(parts, new Set(abi.functions))}
/* Functions of the API table. */
${abi.functions.map((fn) => `typedef ${abi.returnType(fn)} ${fn}(${fn}_Args* args);`).join('\n')}

#ifdef __cplusplus
}
#endif

#endif
`;
}

const MACROS = `/* Unions without a name are standard in C11 and C++, an extension in C99. */
#ifdef __GNUC__
#define PJRT_UNNAMED __extension__
#else
#define PJRT_UNNAMED
#endif

/* In C++ a value without an enumerator, which callers do send, may be read where the underlying type is fixed only. */
#ifdef __cplusplus
#define PJRT_INT : int
#else
#define PJRT_INT
#endif
`;

/** Everything a version declares. */
export function apiParts(abi: Abi): HeaderParts {
  const structs = abi.structNames.map((name) => abi.struct(name));
  const used = new Set(structs.flatMap((s) => s.fields).flatMap((f) => f.type.match(/\w+/g) ?? []));
  return {
    enums: new Map(abi.enumTypes.map((name) => [name, abi.enumValues(name)])),
    structs: structs.map((s) => (s.name === 'PJRT_Api' ? withFunctionPointers(abi, s) : s)),
    callbacks: new Map([...abi.callbacks].filter(([name]) => used.has(name))),
  };
}

/** Enums, opaque types, callbacks and structs in an order that a C compiler accepts; `known` types are not repeated. */
export function declarations(parts: HeaderParts, known: ReadonlySet<string>): string {
  const names = new Set([...parts.structs.map((s) => s.name), ...parts.enums.keys(), ...parts.callbacks.keys()]);
  const texts = [...parts.callbacks.values(), ...parts.structs.flatMap((s) => s.fields.map((f) => f.type))];
  const mentioned = texts.flatMap((text) => text.match(/\b(?:PJRT|XLA|PLUGIN)_\w+/g) ?? []);
  const opaque = [...new Set(mentioned)].filter((name) => !names.has(name) && !known.has(name)).sort();
  const structs = byValueOrder(parts.structs);
  const out: string[] = [];
  for (const [name, values] of parts.enums) {
    out.push(`typedef enum PJRT_INT {\n${[...values].map(([key, v]) => `  ${key} = ${v}`).join(',\n')}\n} ${name};\n`);
  }
  if (opaque.length > 0) out.push('/* Opaque: only pointers to these cross the interface. */');
  out.push(...opaque.map((name) => `typedef struct ${name} ${name};`), '');
  out.push(...structs.map((s) => `typedef struct ${s.name} ${s.name};`), '');
  out.push(...[...parts.callbacks.values()].map((declarator) => `typedef ${declarator};`), '');
  out.push(...structs.map(structText));
  return out.join('\n');
}

function structText(layout: StructLayout): string {
  const lines: string[] = [];
  let inUnion = false;
  for (const field of layout.fields) {
    if (field.union && !inUnion) lines.push('  PJRT_UNNAMED union {');
    if (!field.union && inUnion) lines.push('  };');
    inUnion = field.union;
    lines.push(
      `${inUnion ? '    ' : '  '}${declarator(field)};${field.inOut ? ' /* in/out */' : field.out ? ' /* out */' : ''}`,
    );
  }
  if (inUnion) lines.push('  };');
  const size =
    layout.declaredSize === null ? '' : `#define ${layout.name}_STRUCT_SIZE ((size_t)${layout.declaredSize})\n`;
  return `struct ${layout.name} {\n${lines.join('\n')}\n};\n${size}`;
}

function declarator(field: Field): string {
  if (field.type.startsWith('fnptr:')) return field.type.slice('fnptr:'.length).trim();
  const [, element = field.type, dimension = ''] = /^(.*)(\[\d+\])$/.exec(field.type) ?? [];
  return `${element} ${field.name}${dimension}`;
}

function withFunctionPointers(abi: Abi, api: StructLayout): StructLayout {
  // Not `PJRT_F* PJRT_F`: C++ forbids a member to change what its own type's name means.
  const fields = api.fields.map((f) =>
    f.type === 'fn' ? { ...f, type: `fnptr: ${abi.returnType(f.name)} (*${f.name})(${f.name}_Args* args)` } : f,
  );
  return new StructLayout(api.name, fields, api.align, api.declaredSize);
}

/** Structs that are held by value come before their holders. */
function byValueOrder(structs: readonly StructLayout[]): StructLayout[] {
  const byName = new Map(structs.map((s) => [s.name, s]));
  const done = new Set<StructLayout>();
  const visit = (s: StructLayout) => {
    if (done.has(s)) return;
    for (const f of s.fields) {
      const held = isPointer(f.type) ? undefined : byName.get(f.type);
      if (held) visit(held);
    }
    done.add(s);
  };
  structs.forEach(visit);
  return [...done];
}

/** C source that does not compile unless the header's structs have these layouts and its enums these values. */
export function layoutAssertions(
  structs: readonly StructLayout[],
  header: string,
  enums: ReadonlyMap<string, ReadonlyMap<string, number>> = new Map(),
): string {
  const checks = structs.flatMap((s) => [
    `CHECK(sizeof(${s.name}) == ${s.size}, "sizeof ${s.name}");`,
    ...s.fields.flatMap((f) => [
      `CHECK(offsetof(${s.name}, ${f.name}) == ${f.offset}, "offset ${s.name}.${f.name}");`,
      `CHECK(sizeof(((${s.name}*)0)->${f.name}) == ${f.size}, "size ${s.name}.${f.name}");`,
    ]),
  ]);
  for (const [name, values] of enums) {
    checks.push(`CHECK(sizeof(${name}) == 4, "sizeof ${name}");`);
    checks.push(...[...values].map(([key, value]) => `CHECK((int)${key} == ${value}, "value ${key}");`));
  }
  return `#include "${header}"
#ifdef __cplusplus
#define CHECK(condition, what) static_assert(condition, what)
#else
#define CHECK(condition, what) _Static_assert(condition, what)
#endif
${checks.join('\n')}
`;
}
