import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';
import { Abi, NEWEST_MINOR } from '../../harness/knowledge/abi/abi.ts';
import { cExtensionHeader } from '../../harness/knowledge/abi/c-extension-header.ts';
import { cHeader } from '../../harness/knowledge/abi/c-header.ts';
import { structSizes } from './struct-sizes.ts';

/** The C API as the sources of the reference plugin include it: made from the layout table, in the package but not in git. */
export const GENERATED = packagePath('plugins', 'reference', 'generated');

const FILES: Readonly<Record<string, () => string>> = {
  'pjrt_c_api.h': () => cHeader(Abi.at(NEWEST_MINOR)),
  'pjrt_c_extensions.h': () => cExtensionHeader('pjrt_c_api.h'),
  'struct_sizes.inc': structSizes,
};

/** Writes the generated sources that are missing or stale; what is current keeps its time, so that builds stay incremental. */
export function writeGeneratedSources(): void {
  mkdirSync(GENERATED, { recursive: true });
  for (const [name, make] of Object.entries(FILES)) {
    const [file, text] = [join(GENERATED, name), make()];
    if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
  }
}
