import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { Abi, NEWEST_MINOR } from '../../harness/abi/abi.ts';
import { cHeader } from './c-header.ts';

// Usage: npx tsx tools/abi/header.ts [--minor N] [-o FILE]   (a C header from the table; standard output without -o)
const { values } = parseArgs({
  options: { minor: { type: 'string', default: String(NEWEST_MINOR) }, output: { type: 'string', short: 'o' } },
});
const minor = Number(values.minor);
if (!Number.isInteger(minor) || minor > NEWEST_MINOR) {
  console.error(`--minor ${values.minor}: expected a minor that the table knows, up to ${NEWEST_MINOR}`);
  process.exit(2);
}
const text = cHeader(Abi.at(minor));
if (values.output === undefined) {
  process.stdout.write(text);
} else {
  mkdirSync(dirname(values.output), { recursive: true });
  writeFileSync(values.output, text);
}
