/** Part of `npm pack`: the reference plugin for this machine's platform is put into the package. */
import { makePrebuilt } from './prebuilt.ts';

await makePrebuilt();
