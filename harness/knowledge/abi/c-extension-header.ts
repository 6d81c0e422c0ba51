import { Abi } from './abi.ts';
import { apiParts, declarations } from './c-header.ts';
import { EXTENSION_TABLE, extensionEnum, extensionStruct } from './extensions.ts';
import { StructLayout } from './struct-layout.ts';

/** Extension structs that C can express: one extension's arguments need C++ types. */
export function cExtensionStructs(): StructLayout[] {
  return Object.values(EXTENSION_TABLE.headers)
    .flatMap((rows) => Object.keys(rows))
    .map(extensionStruct)
    .filter((s) => s.fields.every((f) => !f.type.includes('::')));
}

/** A C header with the extensions' types, to be used after the API header `apiHeader` of a version. */
export function cExtensionHeader(apiHeader: string, abi = Abi.at(EXTENSION_TABLE.minor)): string {
  const core = apiParts(abi);
  const known = [...core.structs.map((s) => s.name), ...core.enums.keys(), ...core.callbacks.keys()];
  const structs = cExtensionStructs().map(withFunctionPointers);
  const pointers = Object.entries(EXTENSION_TABLE.functions).filter(([, declarator]) => /\(\s*\*/.test(declarator));
  const parts = {
    enums: new Map(Object.keys(EXTENSION_TABLE.enums).map((name) => [name, extensionEnum(name)])),
    structs,
    callbacks: new Map(pointers),
  };
  return `/* PJRT extensions as of ${EXTENSION_TABLE.date}, written by tools/abi/header.ts from the layout table. Do not edit. */
#ifndef PJRT_C_EXTENSIONS_H_
#define PJRT_C_EXTENSIONS_H_

#include "${apiHeader}"

#ifdef __cplusplus
extern "C" {
#endif

${declarations(parts, new Set(known))}
#ifdef __cplusplus
}
#endif

#endif
`;
}

/** Slots as function pointers: in C++ a member may not have the name of its own type. */
function withFunctionPointers(layout: StructLayout): StructLayout {
  const fields = layout.fields.map((f) => {
    const name = f.type === 'fn' ? f.name : f.type.replace(/\*$/, '');
    const declarator = f.type === 'fn' || f.type.endsWith('*') ? EXTENSION_TABLE.functions[name] : undefined;
    if (declarator === undefined || /\(\s*\*/.test(declarator)) return f;
    return {
      ...f,
      type: `fnptr: ${declarator.replace(new RegExp(`\\(?\\b${name}\\b\\)?(?=\\s*\\()`), `(*${f.name})`)}`,
    };
  });
  return new StructLayout(layout.name, fields, layout.align, layout.declaredSize);
}
