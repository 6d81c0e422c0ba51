import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { packagePath } from '../../harness/base/paths.ts';
import { Abi, NEWEST_MINOR, OLDEST_MINOR } from '../../harness/knowledge/abi/abi.ts';
import { ABI_TABLE } from '../../harness/knowledge/abi/abi-table.ts';
import { layoutAssertions } from '../../harness/knowledge/abi/c-header.ts';
import { EXTENSION_TABLE } from '../../harness/knowledge/abi/extensions.ts';
import { type AbiSnapshot, snapshot } from '../../harness/knowledge/abi/snapshot.ts';
import { annotationGaps, unprovenFacts } from './annotation-gaps.ts';
import { type Declarations, HeaderError, readDeclarations } from './c-declarations.ts';
import { compactTable } from './compact-table.ts';
import { compareExtensions, compareSnapshots } from './compare-snapshots.ts';
import { COMPILER, compilerSays, haveCompiler } from './compiler-check.ts';
import { extensionTable, readExtensionHeaders } from './extension-table.ts';
import { layoutsOf, snapshotOfHeader } from './snapshot-of-header.ts';
import { annotatedTable, writeAbiTable, writeExtensionTable } from './write-tables.ts';

const USAGE = `usage: from-headers.ts HEADER_DIR [--write --date YYYY-MM-DD --commit NAME]
  HEADER_DIR  holds xla/pjrt/c/pjrt_c_api.h (an XLA checkout, a wheel's include directory) or pjrt_c_api.h itself
  --write     put a version newer than the table, and its extension headers, into the tables
ends with 0 when the header is what the table says or newer, 1 when it differs, 2 on wrong
usage or when it cannot be read`;

const API_HEADER = 'xla/pjrt/c/pjrt_c_api.h';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean' }, date: { type: 'string' }, commit: { type: 'string' } },
});
const [directory] = positionals;
const path =
  directory && [join(directory, API_HEADER), join(directory, 'pjrt_c_api.h')].map((p) => resolve(p)).find(existsSync);
if (!directory || !path || (values.write && !(/^\d{4}-\d\d-\d\d$/.test(values.date ?? '') && values.commit))) {
  console.error(directory && !path ? `${directory}: no ${API_HEADER} and no pjrt_c_api.h in it\n${USAGE}` : USAGE);
  process.exit(2);
}
const origin = { date: values.date ?? '', commit: values.commit ?? '' };
let wrong = false;
const source = readFileSync(path, 'utf8');
const { declared, header } = readHeader(source, path);
const slots = header.structs.PJRT_Api!.fields.filter((f) => f.type === 'fn').length;
console.log(
  `${path}: PJRT C API ${header.major}.${header.minor}, ${slots} functions, table of ${header.structs.PJRT_Api!.size} bytes`,
);
console.log(`compiler: ${compilerReport(declared)}`);

if (header.minor >= OLDEST_MINOR && header.minor <= NEWEST_MINOR) {
  const lines = compareSnapshots(snapshot(Abi.at(header.minor)), header);
  wrong = lines.length > 0;
  report(`the table's 0.${header.minor}`, lines);
}
// A header that header.ts wrote has no prose.
if (header.minor >= NEWEST_MINOR && !source.includes('written by tools/abi/header.ts')) {
  const unproven = unprovenFacts(source);
  console.log(
    unproven.length === 0
      ? 'annotations: the header still says what proves them'
      : `annotations whose proof is gone, to be looked up again:\n  ${unproven.join('\n  ')}`,
  );
}
if (header.minor > NEWEST_MINOR)
  report(`the table's newest, 0.${NEWEST_MINOR}`, compareSnapshots(snapshot(Abi.at(NEWEST_MINOR)), header));

const layouts = layoutsOf(declared);
const extensions = readExtensionHeaders(
  (name) => (existsSync(join(directory, name)) ? readFileSync(join(directory, name), 'utf8') : undefined),
  (type) =>
    declared.enums.has(type) ? { size: 4, align: 4 } : (layouts.get(type) ?? Abi.at(header.minor).sizeOf(type)),
);
console.log(`extensions: ${extensions.declared.size} known headers found`);
for (const [name, lines] of compareExtensions(extensions)) report(`the table's ${name}`, lines);

if (values.write) write();
process.exitCode = wrong ? 1 : 0;

/** Ends the program where the header cannot be read. */
function readHeader(text: string, file: string): { declared: Declarations; header: AbiSnapshot } {
  try {
    const read = readDeclarations(text, file);
    return { declared: read, header: snapshotOfHeader(read, origin) };
  } catch (error) {
    if (!(error instanceof HeaderError)) throw error;
    console.error(`${error.message}\nIf the header is right, teach tools/abi/c-declarations.ts to read it.`);
    process.exit(2);
  }
}

function report(other: string, lines: string[]): void {
  console.log(
    lines.length === 0
      ? `equal to ${other}`
      : `compared with ${other}, ${lines.length} differences:\n  ${lines.join('\n  ')}`,
  );
}

function compilerReport(api: Declarations): string {
  if (!haveCompiler()) return `not asked, ${COMPILER} does not run`;
  const structs = [...layoutsOf(api).values()];
  const said = compilerSays(layoutAssertions(structs, path as string, api.enums), [
    '-std=c11',
    '-I',
    resolve(directory as string),
  ]);
  if (said === '') return `${COMPILER} agrees with the offsets and sizes of ${structs.length} structs`;
  wrong = true;
  return `${COMPILER} disagrees:\n${said}`;
}

function write(): void {
  if (header.minor < NEWEST_MINOR) {
    console.log(`nothing written: 0.${header.minor} is older than the table's newest`);
    return;
  }
  if (header.minor > NEWEST_MINOR) {
    const known: AbiSnapshot[] = ABI_TABLE.minors.map((m) => snapshot(Abi.at(m.minor)));
    const table = annotatedTable(compactTable([...known, header], withNewNames(declared)));
    writeAbiTable(table, [...known, header]);
    console.log(`wrote 0.${header.minor} to ${packagePath('harness/knowledge/abi/table.json')}`);
    const gaps = annotationGaps(table);
    if (gaps.length > 0) console.log(`to be annotated in tools/abi/annotation-facts.ts:\n  ${gaps.join('\n  ')}`);
  }
  if (extensions.declared.size > 0) {
    writeExtensionTable(extensionTable(extensions, { ...origin, minor: header.minor }, EXTENSION_TABLE));
    console.log(`wrote ${packagePath('harness/knowledge/abi/extensions.json')}`);
  }
}

/** The table's facts and what only the header can say: new callbacks, functions without a result, in-and-out fields. */
function withNewNames(api: Declarations): typeof ABI_TABLE {
  const functions = [...api.functions];
  const slotNames = new Set(header.structs.PJRT_Api!.fields.map((f) => f.name));
  const inOut = [...api.structs].flatMap(([name, s]) =>
    s.fields.filter((f) => f.inOut).map((f) => `${name}.${f.name}`),
  );
  return {
    ...ABI_TABLE,
    returnsVoid: unique(
      ABI_TABLE.returnsVoid,
      functions.filter(([n, d]) => slotNames.has(n) && d.startsWith('void ')).map(([n]) => n),
    ),
    inOut: unique(ABI_TABLE.inOut, inOut),
    callbacks: { ...ABI_TABLE.callbacks, ...Object.fromEntries(functions.filter(([, d]) => /\(\s*\*/.test(d))) },
  };
}

function unique(a: readonly string[], b: readonly string[]): string[] {
  return [...new Set([...a, ...b])];
}
