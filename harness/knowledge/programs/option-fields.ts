import type { Type } from 'protobufjs';
import { compileOptionsType } from './compile-options-schema.ts';
import { fieldsOf, type WireField } from './wire-fields.ts';

/** Longer values differ by their lengths. */
const LONGEST = 32;

/**
 * All fields of a serialized `CompileOptionsProto`, also those of the build and debug options in it, as text by their path:
 * `executableBuildOptions.numReplicas`; a field that the schema lacks is called by its number.
 * @throws ProgramError
 */
export function optionFields(options: Uint8Array): Map<string, string> {
  const found = new Map<string, string>();
  collect(options, compileOptionsType(), '', found);
  return found;
}

function collect(bytes: Uint8Array, type: Type | undefined, path: string, found: Map<string, string>): void {
  for (const one of fieldsOf(bytes)) {
    const known = type?.fieldsById[one.number]?.name;
    const name = `${path}${known ?? one.number}`;
    const inner = known === undefined ? undefined : MESSAGES[known];
    if (inner !== undefined && one.value) {
      collect(one.value, type?.root.lookup(inner) as Type | undefined, `${name}.`, found);
      continue;
    }
    const before = found.get(name);
    found.set(name, before === undefined ? shown(one) : `${before}, ${shown(one)}`);
  }
}

/** Fields that are messages whose fields are shown one by one, with their types. */
const MESSAGES: Readonly<Record<string, string>> = {
  executableBuildOptions: 'ExecutableBuildOptions',
  debugOptions: 'DebugOptions',
};

function shown({ integer, value, whole }: WireField): string {
  if (integer !== undefined) return String(integer);
  const bytes = Buffer.from(value ?? whole.subarray(whole.findIndex((byte) => byte < 0x80) + 1));
  const text = bytes.toString('utf8');
  if (value && /^[\x20-\x7e]+$/.test(text) && text.length <= LONGEST) return JSON.stringify(text);
  return bytes.length > LONGEST ? `${bytes.length} bytes` : `0x${bytes.toString('hex')}`;
}
