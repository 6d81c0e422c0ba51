import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AbiSnapshot, digest } from '../../harness/abi/snapshot.ts';
import { packagePath } from '../../harness/paths.ts';
import { API_FACTS } from './api-facts.ts';
import { compactTable } from './compact-table.ts';
import { tableText } from './table-text.ts';

// Usage: npx tsx tools/abi/compact.ts FOLDER   (expanded tables pjrt-abi-0.*.json → table.json and digests.json)
const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: compact.ts FOLDER\n  FOLDER holds expanded tables, pjrt-abi-0.<minor>.json');
  process.exit(2);
}
const snapshots = readdirSync(folder)
  .filter((name) => /^pjrt-abi-\d+\.\d+\.json$/.test(name))
  .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as AbiSnapshot)
  .sort((a, b) => a.minor - b.minor);
const text = tableText(compactTable(snapshots, API_FACTS));
writeFileSync(packagePath('harness/abi/table.json'), text);
const digestsPath = packagePath('harness/abi/digests.json');
const digests = { minors: Object.fromEntries(snapshots.map((s) => [s.minor, digest(s)])) };
writeFileSync(digestsPath, tableText(digests));
console.log(`${snapshots.length} versions, ${text.length} bytes`);
