import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packagePath } from '../../harness/base/paths.ts';
import { messagesOf } from '../docs/words.ts';
import { ABOUT_THE_WHOLE } from './oracle.ts';

/** Templates have … in place of what varies. */
const messages = readdirSync(packagePath('harness'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.includes('.test'))
  .flatMap((file) => messagesOf(readFileSync(join(packagePath('harness'), file), 'utf8')))
  .map(({ text }) => text);

test.each(ABOUT_THE_WHOLE)('the harness has a message "%s"', (fragment) => {
  expect(messages.filter((text) => text.includes(fragment))).not.toEqual([]);
});
