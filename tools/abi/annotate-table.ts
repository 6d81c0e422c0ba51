import { ABI_TABLE } from '../../harness/knowledge/abi/abi-table.ts';
import { EXTENSION_TABLE } from '../../harness/knowledge/abi/extensions.ts';
import { annotationGaps } from './annotation-gaps.ts';
import { annotatedTable, writeExtensionTable, writeTable } from './write-tables.ts';

// Usage: npx tsx tools/abi/annotate-table.ts   (after a change of the facts or of frameworks/*.json)
const table = annotatedTable(ABI_TABLE);
writeTable(table);
writeExtensionTable(EXTENSION_TABLE);
const gaps = annotationGaps(table);
console.log(gaps.length === 0 ? 'complete' : `${gaps.length} gaps:\n  ${gaps.join('\n  ')}`);
process.exitCode = gaps.length === 0 ? 0 : 1;
