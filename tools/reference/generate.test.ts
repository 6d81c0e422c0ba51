import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { GENERATED, generatedFiles } from './files.ts';

test('the generated sources of the reference plugin match the tables', () => {
  const files = generatedFiles();
  expect(readdirSync(GENERATED).sort()).toEqual(Object.keys(files).sort());
  for (const [name, text] of Object.entries(files)) {
    const stale = readFileSync(join(GENERATED, name), 'utf8') !== text;
    expect(stale, `${name} is stale: run npx tsx tools/reference/generate.ts and commit the result`).toBe(false);
  }
});
