import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { command } from '../command-line/command.ts';
import { resolveHere } from '../resolve-here.ts';
import { type Campaign, runCampaign } from './campaign.ts';
import { SURFACES as INVALID } from './invalid-surfaces.test-helper.ts';
import { faultOf } from './oracle.ts';
import { lostResults } from './resume.ts';
import { Sandbox } from './sandbox.ts';
import { SURFACES } from './surfaces.ts';

test('inputs of a fixed seed have correct answers', async () => {
  const { library: plugin } = await resolveHere('reference', { fetch: false });
  const { defects, tallies } = await runCampaign({ seed: 22, count: 30 * SURFACES.length, plugin });
  expect(defects.map(({ index, surface, fault }) => `${surface} ${index}: ${fault}`)).toEqual([]);
  // Of every kind some are accepted and some are rejected, for more than one reason.
  for (const [name, { inputs, refused, accepted, words }] of tallies) {
    expect({ name, inputs: refused + accepted }).toEqual({ name, inputs });
    expect([name, Math.min(accepted, refused, words.size - 1)]).not.toEqual([name, 0]);
  }
  expect([...tallies.keys()].sort()).toEqual(SURFACES.map(({ name }) => name).sort());
});

let found: Campaign;
beforeAll(async () => {
  const work = { seed: 1, count: INVALID.length, module: './invalid-surfaces.test-helper.ts' };
  found = await runCampaign(work, undefined, { processorMs: 5000, waitMs: 2000 });
});

test.each<[string, RegExp]>([
  ['throws', /^an exception: TypeError: a is undefined/],
  ['rejects later', /^the process ended with 1:[\s\S]*nobody waits/],
  ['shows a stack', /^a stack trace/],
  ['says no place', /^does not say where in the file/],
  ['says no file', /^does not name the file/],
  ['says one place of two', /^does not name the file: unknown value/],
  ['says nothing', /^refused without a word/],
  ['ends oddly', /^exit code 9/],
  ['takes the processor', /^takes the processor/],
  ['waits', /^does nothing for/],
  ['exits', /^the process ended with 0/],
  ['takes all memory', /^the process ended with SIG[\s\S]*heap/],
  ['starts a process', /^a process would have been started: execSync \["true"/],
  ['writes beside', /^files outside the output directory:\n\+ .*beside/],
  [
    'writes elsewhere, and takes it back',
    /^a file elsewhere: writeFileSync .*pjrt-fuzz-elsewhere\na file elsewhere: rmSync/,
  ],
  ['changes the input', /^files outside the output directory:\n- .*a.yaml/],
  ['changes the log that it refuses', /^the log was changed/],
  ['changes all objects', /^the prototype/],
  ['writes invalid.json', /^wrote invalid.json, which cannot be read/],
  ['writes invalid.xml', /^wrote invalid.xml, which cannot be read/],
  ['writes invalid.jsonl', /^wrote invalid.jsonl, which cannot be read/],
  ['writes report.html.1.tmp', /^left report.html.1.tmp behind/],
])('a reader that %s is detected', (name, fault) => {
  expect(found.defects.filter(({ surface }) => surface === name)).toMatchObject([
    { fault: expect.stringMatching(fault) },
  ]);
});

test('a correct reader passes, and every faulty one is tested above', () => {
  expect(found.defects.map(({ surface }) => surface)).toEqual(
    INVALID.map(({ name }) => name).filter((name) => !['is valid', 'refuses properly'].includes(name)),
  );
  expect(found.tallies.get('is valid')).toMatchObject({ inputs: 1, accepted: 1, refused: 0 });
  expect(found.tallies.get('refuses properly')).toMatchObject({ inputs: 1, accepted: 0, refused: 1 });
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

/** Those need a library that does not exist here. */
const REFUSED = ['manifest', 'manifest-json'];

test.each(
  SURFACES.filter(({ name, corpus }) => corpus && !REFUSED.includes(name)).map(
    (surface) => [surface.name, surface] as const,
  ),
)('the seeds are valid: %s', async (_, surface) => {
  const sandbox = new Sandbox();
  try {
    for (const [name, bytes] of Object.entries(surface.beside?.() ?? {})) {
      writeFileSync(join(sandbox.input, name), bytes);
    }
    for (const bytes of surface.corpus!()) {
      writeFileSync(join(sandbox.input, surface.file), bytes);
      const output = await (surface.read?.(sandbox.cwd, sandbox.env) ??
        command(surface.args, sandbox.cwd, sandbox.env));
      expect({ ...output, stdout: '' }).toMatchObject({ stderr: '' });
    }
  } finally {
    sandbox.remove();
  }
});
