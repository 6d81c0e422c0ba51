import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { Abi, NEWEST_MINOR, OLDEST_MINOR } from '../../harness/knowledge/abi/abi.ts';
import { cExtensionHeader } from '../../harness/knowledge/abi/c-extension-header.ts';
import { cHeader } from '../../harness/knowledge/abi/c-header.ts';

const USAGE = `usage: header.ts [--minor N] [-o FILE] [--extensions FILE]
  --minor       version of the C API, ${OLDEST_MINOR} to ${NEWEST_MINOR} (default ${NEWEST_MINOR})
  -o            where to write the API's header (default: standard output)
  --extensions  where to write the extensions' header, which includes the other one`;

const { values } = parseArgs({
  options: {
    minor: { type: 'string', default: String(NEWEST_MINOR) },
    output: { type: 'string', short: 'o' },
    extensions: { type: 'string' },
  },
});
const minor = Number(values.minor);
if (!Number.isInteger(minor) || minor < OLDEST_MINOR || minor > NEWEST_MINOR) {
  console.error(`--minor ${values.minor}: expected a minor that the table knows\n${USAGE}`);
  process.exit(2);
}
if (values.extensions !== undefined && (values.output === undefined || minor !== NEWEST_MINOR)) {
  console.error(`--extensions needs -o, and the newest minor: their layouts are known for that one only\n${USAGE}`);
  process.exit(2);
}
if (values.output === undefined) process.stdout.write(cHeader(Abi.at(minor)));
else write(values.output, cHeader(Abi.at(minor)));
if (values.extensions !== undefined) write(values.extensions, cExtensionHeader(basename(values.output as string)));

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
