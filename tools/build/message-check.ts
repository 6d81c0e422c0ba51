/** Part of `npm run build`: compiles the schema of what workers say, so that a run need not. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { jsonSchemas } from '../../harness/base/json-schema.ts';
import { packagePath } from '../../harness/base/paths.ts';
import { MESSAGE_CHECK_PATH } from '../../harness/host/wire/message-check.ts';
import { MESSAGES } from '../../harness/host/wire/message-schema.ts';

const ajv = jsonSchemas({ allowUnionTypes: true, code: { source: true, lines: true } });
const events = readFileSync(packagePath('schemas', 'events.schema.json'), 'utf8');
const withoutWords = (key: string, value: unknown): unknown =>
  key === 'description' && typeof value === 'string' ? undefined : value;
ajv.addSchema(JSON.parse(events, withoutWords), 'events.schema.json');
for (const [type, schema] of Object.entries(MESSAGES)) ajv.addSchema(schema, type);
mkdirSync(dirname(MESSAGE_CHECK_PATH), { recursive: true });
writeFileSync(
  MESSAGE_CHECK_PATH,
  standaloneCode.default(ajv, Object.fromEntries(Object.keys(MESSAGES).map((t) => [t, t]))),
);
