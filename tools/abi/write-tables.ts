import { readFileSync, writeFileSync } from 'node:fs';
import { packagePath } from '../../harness/base/paths.ts';
import type { ExtensionTable } from '../../harness/knowledge/abi/extension-format.ts';
import { type AbiSnapshot, digest } from '../../harness/knowledge/abi/snapshot.ts';
import type { AbiTable } from '../../harness/knowledge/abi/table-format.ts';
import { annotate, nullTestedSlots } from './annotate.ts';
import { annotateExtensions } from './extension-annotations.ts';

const path = (name: string) => packagePath('harness/knowledge/abi', name);

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

/** JSON with one row of a list per line: small, and a change shows as the lines it changes. */
export function tableText(value: unknown): string {
  return `${write(value, '')}\n`;
}

function write(value: unknown, indent: string): string {
  const inner = `${indent} `;
  if (isLeaf(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[\n${value.map((v) => inner + write(v, inner)).join(',\n')}\n${indent}]`;
  const entries = Object.entries(value as object).map(([k, v]) => `${inner}${JSON.stringify(k)}: ${write(v, inner)}`);
  return `{\n${entries.join(',\n')}\n${indent}}`;
}

function isLeaf(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return true;
  const children = Object.values(value);
  if (Array.isArray(value)) return children.every((v) => v === null || typeof v !== 'object');
  return (
    children.length < 9 &&
    children.every((v) => v === null || typeof v !== 'object' || (Array.isArray(v) && isLeaf(v) && v.length < 12))
  );
}
