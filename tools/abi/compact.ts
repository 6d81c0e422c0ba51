import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AbiSnapshot } from '../../harness/knowledge/abi/snapshot.ts';
import { API_FACTS } from './api-facts.ts';
import { compactTable } from './compact-table.ts';
import { annotatedTable, writeAbiTable } from './write-tables.ts';

// Usage: npx tsx tools/abi/compact.ts DIRECTORY   (expanded tables pjrt-abi-0.*.json → table.json and digests.json)
const [directory] = process.argv.slice(2);
if (directory === undefined) {
  console.error('usage: compact.ts DIRECTORY\n  DIRECTORY holds expanded tables, pjrt-abi-0.<minor>.json');
  process.exit(2);
}
const snapshots = readdirSync(directory)
  .filter((name) => /^pjrt-abi-\d+\.\d+\.json$/.test(name))
  .map((name) => JSON.parse(readFileSync(join(directory, name), 'utf8')) as AbiSnapshot)
  .sort((a, b) => a.minor - b.minor);
writeAbiTable(annotatedTable(compactTable(snapshots, API_FACTS)), snapshots);
console.log(`${snapshots.length} versions, 0.${snapshots[0]?.minor} to 0.${snapshots.at(-1)?.minor}`);
