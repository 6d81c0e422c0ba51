import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { command } from '../command-line/command.ts';
import { resolveHere } from '../resolve-here.ts';
import { type Campaign, runCampaign } from './campaign.ts';
import { SURFACES as INVALID } from './invalid-surfaces.test-helper.ts';
import { Sandbox } from './sandbox.ts';
import { SURFACES } from './surfaces.ts';

test('inputs of a fixed seed have correct answers', async () => {
  const { library: plugin } = await resolveHere('reference', { fetch: false });
  const { defects, tallies } = await runCampaign({ seed: 23, count: 30 * SURFACES.length, plugin });
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
