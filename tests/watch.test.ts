import { copyFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import { readEvents } from '../harness/report/index.ts';
import { buildHostile, buildOnToy } from './support/hostile.ts';
import { Terminal } from './support/terminal.ts';

/** `--watch` in a terminal: what a change runs, in which order, and the keys. */

const SUITE = ['--suites', packagePath('tests', 'gate'), '--suite', 'gate', '--workers', '1'];
const WAITING = 'waiting for a change; a all cases · f only what failed · Enter again, as after a change · q quit';

let gated: string;
let directory: string;
let terminal: Terminal | undefined;
beforeAll(async () => {
  gated = await buildOnToy(packagePath('fixtures', 'gate', 'plugin.c'), packagePath('build', 'gate', 'plugin.so'));
}, 600_000);
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-watch-'));
});
afterEach(() => {
  terminal?.kill();
  rmSync(directory, { recursive: true, force: true });
});

const at = (name: string): string => join(directory, name);
/** As a linker does that writes a new file. */
function build(library: string): void {
  copyFileSync(library, at('new.so'));
  renameSync(at('new.so'), at('foo.so'));
}
const manifest = (step: string, more = ''): void =>
  writeFileSync(at('foo.yaml'), `name: foo\nlibrary: foo.so\n${step && `env: {PJRT_GATE_STEP: ${step}}\n`}${more}`);
const watch = (...args: string[]): Terminal => {
  terminal = new Terminal(['run', '--plugin', './foo.yaml', ...args, '--output', 'out', '--watch'], directory);
  return terminal;
};
const ran = (): string[] =>
  [...readEvents(join(directory, 'out', 'events.jsonl'))].flatMap((event) => (event.type === 'case' ? [event.id] : []));

test('after a change what failed runs first, then the rest; keys choose what runs', async () => {
  build(gated);
  manifest('failure');
  const screen = watch(...SUITE);
  expect(await screen.until(WAITING)).toContain('1 of 24 cases violate a MUST');

  screen.press('f');
  const failed = await screen.until(WAITING);
  expect(failed).toContain('1 of 1 cases violate a MUST');
  expect(failed).toContain('1 case failed; waiting');

  manifest('');
  await screen.until('foo.yaml changed');
  await screen.until('what failed passes now (1 case); the others follow');
  expect(await screen.until(WAITING)).toMatch(/24 of \d+ cases selected \(profile full\): all passed/);
  expect(ran()[0]).toBe('gate:negative-id');
  expect(ran()).toHaveLength(24);

  screen.press('f');
  await screen.until(`nothing failed; ${WAITING}`);

  build(gated);
  await screen.until('foo.so changed\r\n');
  expect(await screen.until(WAITING)).toContain('all passed');

  screen.press('a');
  expect(await screen.until(WAITING)).toContain('all passed');
  screen.press('q');
  expect(await screen.ended()).toBe(0);
});

test('a run gives way to a change; a manifest with an error, and a library that is not there, are waited for', async () => {
  build(await buildHostile('hang-in-compile'));
  manifest('');
  const cases = ['--tests', 'core/offered:function[function=PJRT_Client_Compile]', '--workers', '1'];
  const screen = watch(...cases, '--timeout', 'case=60m,call=60m,first=60m');
  await screen.until('0/1 ');
  build(await buildHostile('toy'));
  await screen.until('foo.so changed\r\n');
  expect(await screen.until(WAITING)).toContain('the toy has no compiler');

  manifest('', 'librari: x\n');
  await screen.until('foo.yaml changed');
  expect(await screen.until(WAITING)).toMatch(/error: .*foo\.yaml:3/);

  rmSync(at('foo.so'));
  manifest('');
  build(gated);
  await screen.until('changed');
  await screen.until('there is no compiler behind this');
  await screen.until(WAITING);
  // The code of the last run.
  screen.press('\x03');
  expect(await screen.ended()).toBe(1);
});
