/** Last part of `npm run build`: writes the digests of the files that were built, with which runs of mustpass lists compare theirs. */
import { writeFileSync } from 'node:fs';
import { OWN_FILES, ownFiles } from '../../harness/base/own-files.ts';

writeFileSync(OWN_FILES, `${JSON.stringify(ownFiles())}\n`);
