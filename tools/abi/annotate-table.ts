import { ABI_TABLE } from '../../harness/abi/abi-table.ts';
import { annotationGaps } from './annotation-gaps.ts';
import { annotatedTable, writeTable } from './write-tables.ts';

// Usage: npx tsx tools/abi/annotate-table.ts   (after a change of annotation-facts.ts or frameworks/*.json)
const table = annotatedTable(ABI_TABLE);
writeTable(table);
const gaps = annotationGaps(table);
console.log(gaps.length === 0 ? 'complete' : `${gaps.length} gaps:\n  ${gaps.join('\n  ')}`);
process.exitCode = gaps.length === 0 ? 0 : 1;
