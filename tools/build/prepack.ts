/** Part of `npm pack`, after the build: the types of the API, and the reference plugin where it is built. Compiles no plugin. */
import { currentPlatform } from '../../harness/host/plugins/resolve.ts';
import { takePrebuilts } from '../reference/prebuilt.ts';
import { writeDeclarations } from './declarations.ts';

writeDeclarations();
const platforms = await takePrebuilts(process.env.PJRT_REFERENCE_PREBUILT);
if (!platforms.includes(currentPlatform()))
  console.error(
    `the package brings no reference plugin for ${currentPlatform()}: \`--plugin reference\` compiles it at first use. To bring it: npm run build:reference, or PJRT_REFERENCE_PREBUILT=DIRECTORY`,
  );
await import('./own-files.ts');
