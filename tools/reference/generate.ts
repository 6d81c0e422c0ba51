/** Writes plugins/reference/generated/: the C API as the reference plugin's sources need it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GENERATED, generatedFiles } from './files.ts';

mkdirSync(GENERATED, { recursive: true });
for (const [name, text] of Object.entries(generatedFiles())) writeFileSync(join(GENERATED, name), text);
