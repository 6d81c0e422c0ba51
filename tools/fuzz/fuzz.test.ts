import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCampaign } from './campaign.ts';
import { command } from './command.ts';
import { faultOf } from './oracle.ts';
import { Sandbox } from './sandbox.ts';
import { SURFACES } from './surfaces.ts';

test('inputs of a fixed seed are answered as they should be', async () => {
  const { defects, refused, accepted } = await runCampaign({ seed: 20, count: 40 * SURFACES.length });
  expect(defects.map(({ index, surface, fault }) => `${surface} ${index}: ${fault}`)).toEqual([]);
  // Both kinds of answer are tried.
  expect(Math.min(refused, accepted)).toBeGreaterThan(20);
});

test.each<[string, number, string, RegExp | undefined]>([
  ['is good', 0, '', undefined],
  ['is refused with its place', 2, 'error: in/a.yaml:3:1: unknown key', undefined],
  ['cannot be read', 2, 'error: in/a.yaml: cannot be read: it is a folder, not a file', undefined],
  ['is refused without a place', 2, 'error: in/a.yaml: unknown key', /does not say where/],
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

/** Those need a library that is not there. */
const REFUSED = ['manifest'];

test.each(SURFACES.filter(({ name }) => !REFUSED.includes(name)).map((surface) => [surface.name, surface] as const))(
  'what is changed is sound to begin with: %s',
  async (_, surface) => {
    const sandbox = new Sandbox();
    try {
      for (const [name, bytes] of Object.entries(surface.beside?.() ?? {})) {
        writeFileSync(join(sandbox.input, name), bytes);
      }
      for (const bytes of surface.corpus()) {
        writeFileSync(join(sandbox.input, surface.file), bytes);
        const told = await (surface.read?.(sandbox.cwd, sandbox.env) ??
          command(surface.args, sandbox.cwd, sandbox.env));
        expect({ ...told, stdout: '' }).toMatchObject({ stderr: '' });
      }
    } finally {
      sandbox.remove();
    }
  },
);
