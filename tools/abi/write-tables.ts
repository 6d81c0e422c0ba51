import { readFileSync, writeFileSync } from 'node:fs';
import type { ExtensionTable } from '../../harness/abi/extension-format.ts';
import { type AbiSnapshot, digest } from '../../harness/abi/snapshot.ts';
import type { AbiTable } from '../../harness/abi/table-format.ts';
import { packagePath } from '../../harness/paths.ts';
import { annotate } from './annotate.ts';
import { annotateExtensions } from './extension-annotations.ts';
import { nullTestedSlots } from './null-tested-slots.ts';
import { tableText } from './table-text.ts';

const path = (name: string) => packagePath('harness/abi', name);

/** A table with the annotations that it should have. */
export const annotatedTable = (table: AbiTable): AbiTable => annotate(table, nullTestedSlots());

/** Writes the API's table. */
export function writeTable(table: AbiTable): void {
  writeFileSync(path('table.json'), tableText(table));
}

/** Writes the API's table and, from the expanded versions it must give back, their digests. */
export function writeAbiTable(table: AbiTable, versions: readonly AbiSnapshot[]): void {
  writeTable(table);
  writeDigests({ minors: Object.fromEntries(versions.map((v) => [v.minor, digest(v)])) });
}

/** Writes the extensions' table and a digest of each header's part of it. */
export function writeExtensionTable(plain: ExtensionTable): void {
  const table = annotateExtensions(plain);
  writeFileSync(path('extensions.json'), tableText(table));
  writeDigests({ extensions: Object.fromEntries(Object.entries(table.headers).map(([h, rows]) => [h, digest(rows)])) });
}

function writeDigests(part: Record<string, Record<string, string>>): void {
  const old = JSON.parse(readFileSync(path('digests.json'), 'utf8')) as Record<string, Record<string, string>>;
  writeFileSync(path('digests.json'), tableText({ ...old, ...part }));
}
