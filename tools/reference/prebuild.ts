/** `npm run build:reference`: compiles the reference plugin for this machine's platform, as packages carry it. */
import { makePrebuilt } from './prebuilt.ts';

await makePrebuilt();
