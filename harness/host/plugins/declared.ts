import type { Declared } from '../../model/plugin.ts';

/** Something that a plugin may have or lack. */
export type Feature =
  | { dtype: string }
  | { op: string }
  | { extension: string }
  | { memoryKind: string }
  | { function: string };

const LISTS = {
  dtype: { list: 'dtypes', words: 'the element type' },
  op: { list: 'ops', words: 'the operation' },
  extension: { list: 'extensions', words: 'the extension' },
  memoryKind: { list: 'memoryKinds', words: 'the memory kind' },
  function: { list: 'functions', words: 'the function' },
} as const;

/** Whether the manifest declares it: refusing it is then a failure rather than a missing feature. */
export function isDeclared(declared: Declared | undefined, feature: Feature): boolean {
  const [kind, name] = Object.entries(feature)[0] as [keyof typeof LISTS, string];
  return declared?.[LISTS[kind].list]?.includes(name) ?? false;
}

/** The declaration that a refusal violates, as the end of a sentence; undefined if nothing was declared. */
export function declaration(declared: Declared | undefined, feature: Feature): string | undefined {
  if (!isDeclared(declared, feature)) return undefined;
  const [kind, name] = Object.entries(feature)[0] as [keyof typeof LISTS, string];
  return `the plugin's manifest declares ${LISTS[kind].words} ${name}`;
}

/**
 * The same for a program. A compiler may lack any of its operations and element types, so all of them must be declared before
 * a refusal is a violation.
 */
export function programDeclaration(
  declared: Declared | undefined,
  { ops, dtypes }: { ops: readonly string[]; dtypes: readonly string[] },
): string | undefined {
  const all = [...ops.map((op) => ({ op })), ...dtypes.map((dtype) => ({ dtype }))];
  if (all.length === 0 || !all.every((feature) => isDeclared(declared, feature))) return undefined;
  const what = [ops.length > 0 ? ops.join(', ') : undefined, dtypes.join(', ')].filter(Boolean).join(' on ');
  return `the plugin's manifest declares all that the program needs (${what})`;
}
