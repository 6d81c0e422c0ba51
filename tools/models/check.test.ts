import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { packagePath } from '../../harness/base/paths.ts';
import { staleModels } from './check.ts';

const MODELS = packagePath('fixtures', 'models');
let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'models-'));
  cpSync(MODELS, directory, { recursive: true });
});
afterEach(() => rmSync(directory, { recursive: true }));

test('the results belong to the programs, and to the inputs that the harness makes', async () => {
  expect(await staleModels()).toEqual([]);
}, 60_000);

test('finds another input, another result, a file that is not listed, and a program that is not', async () => {
  const path = join(directory, 'manifest.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  const models = manifest.models.filter(({ name }: { name: string }) => ['softmax', 'adam_step'].includes(name));
  models[0].inputs[1] = 'other';
  models[1].expected.total.sha256 = 'other';
  writeFileSync(path, JSON.stringify({ ...manifest, models }));
  const problems = (await staleModels(directory)).join('\n');
  expect(problems).toMatch(/adam_step: input 1 is not/);
  expect(problems).toMatch(/softmax: total is not/);
  expect(problems).toMatch(/decode\.npz is not in the manifest/);
  expect(problems).toMatch(/model\/decode is not in the manifest/);
});
