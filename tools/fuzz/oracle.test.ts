import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packagePath } from '../../harness/base/paths.ts';
import { ABOUT_THE_WHOLE } from './oracle.ts';

/** Templates have … in place of what varies. */
const sources = readdirSync(packagePath('harness'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.includes('.test'))
  .map((file) => readFileSync(join(packagePath('harness'), file), 'utf8').replace(/\$\{[^{}]*\}/g, '…'));

test.each(ABOUT_THE_WHOLE)('the harness has a message "%s"', (fragment) => {
  expect(sources.some((text) => text.includes(fragment))).toBe(true);
});
