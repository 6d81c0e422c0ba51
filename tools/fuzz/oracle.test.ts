import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packagePath } from '../../harness/base/paths.ts';
import { ABOUT_THE_WHOLE, faultOf } from './oracle.ts';
import { lostResults } from './resume.ts';

/** Templates have … in place of what varies. */
const sources = readdirSync(packagePath('harness'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.includes('.test'))
  .map((file) => readFileSync(join(packagePath('harness'), file), 'utf8').replace(/\$\{[^{}]*\}/g, '…'));

test.each(ABOUT_THE_WHOLE)('the harness has a message "%s"', (fragment) => {
  expect(sources.some((text) => text.includes(fragment))).toBe(true);
});

test.each<[string, number, string, RegExp | undefined]>([
  ['is good', 0, '', undefined],
  ['is refused with its place', 2, 'error: in/a.yaml:3:1: unknown key\n    expected: b', undefined],
  ['is refused with its places', 2, 'error: in/a.yaml:3:1: unknown key\nin/a.yaml:4: unknown key', undefined],
  ['is refused with its option', 2, 'error: --policy in/a.yaml:3: unknown key', undefined],
  ['is refused through an option', 2, 'error: --tag: nothing\n--tag comes from in/a.yaml:2:3', undefined],
  ['is refused through another', 2, 'error: --tag: nothing\n--set comes from in/a.yaml:2:3', /not name the file/],
  ['names another', 2, 'error: in/b: cannot be read\n--suites in/b comes from in/a.yaml:2:3', undefined],
  [
    'names another nowhere',
    2,
    'error: in/b: cannot be read\n--suites in/c comes from in/a.yaml:2:3',
    /not name the file/,
  ],
  ['cannot be read', 2, 'error: in/a.yaml: cannot be read: it is a directory, not a file', undefined],
  ['is refused without a place', 2, 'error: in/a.yaml: unknown key', /does not say where/],
  ['is refused with a place in another', 2, 'error: b.yaml:1: a.yaml: no such file', /does not say where/],
  ['quotes what is said of whole files', 2, 'error: in/a.yaml: unknown key "no such file"', /does not say where/],
  ['is refused without its name', 2, 'error: unknown key', /does not name the file/],
  ['is refused silently', 2, '', /without a word/],
  ['throws', 5, 'error: the harness failed; please report this\nTypeError', /nobody foresaw/],
  ['ends oddly', 9, '', /not in the table/],
  ['paints the terminal', 2, 'error: in/a.yaml:1: \x1b[31m', /control character/],
  ['is refused at great length', 2, `in/a.yaml:1: ${'x'.repeat(300_000)}`, /characters/],
])('the oracle: an input that %s', (_, exitCode, stderr, fault) => {
  const found = faultOf({ exitCode, stdout: '', stderr }, 'a.yaml');
  if (fault) expect(found).toMatch(fault);
  else expect(found).toBeUndefined();
});

const START = '{"type":"header"}\n{"type":"case","id":"a"}\n';
const END = '{"type":"footer"}\n';

test.each<[string, number, string, string, RegExp | undefined]>([
  ['is gone on with', 0, `${START}{"ty`, `${START}{"type":"case","id":"b"}\n${END}`, undefined],
  ['is refused', 2, `${START}{"ty`, `${START}{"ty`, undefined],
  ['is cut although it is refused', 2, `${START}{"ty`, START, /refused, and changed/],
  ['loses a result', 0, START, `{"type":"header"}\n${END}`, /results were lost/],
  ['has another result', 0, START, `${START.replace('"a"', '"b"')}${END}`, /results were lost/],
  ['has no end', 0, START, START, /no end/],
  ['has an end without its line end', 0, `${START}${END.trim()}`, `${START}${END.trim()}`, undefined],
])('the oracle: a log that %s', (_, exitCode, before, after, fault) => {
  const found = lostResults(Buffer.from(before), Buffer.from(after), { exitCode, stdout: '', stderr: '' });
  if (fault) expect(found).toMatch(fault);
  else expect(found).toBeUndefined();
});
