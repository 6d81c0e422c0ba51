/** Part of `npm pack`: adds the reference plugin for this machine's platform to the package. */
import { makePrebuilt } from './prebuilt.ts';

await makePrebuilt();
