import { createRequire } from 'node:module';
import type { Ajv2020, Options } from 'ajv/dist/2020.js';

const require = createRequire(import.meta.url);

/** A validator of JSON Schema 2020-12. The library is loaded with the first one: most runs need none. */
export const jsonSchemas = (options: Options): Ajv2020 =>
  new (require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js')).Ajv2020(options);
