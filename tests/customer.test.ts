import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import { packPackage } from '../tools/build/pack.ts';
import { buildFaults } from '../tools/mutation/library.ts';
import { makePrebuilt } from '../tools/reference/prebuilt.ts';
import { type Played, playSteps } from '../tools/tutorial/play.ts';
import { stepsOf } from '../tools/tutorial/script.ts';
import { installerAvailable } from './support/installer.ts';
import { pythonWithJax } from './support/jax.ts';
import { referenceLibrary } from './support/reference.ts';

/**
 * The steps of docs/record.md, from a training script that is wrong at a customer to a failing case, with the package as it is packed,
 * JAX, and a plugin that computes the products of matrices wrongly.
 */

const PAGE = 'docs/record.md';
const [, SECTION = ''] = /^## From a wrong result to a failing case\n([\s\S]*?)^## /m.exec(
  readFileSync(packagePath(PAGE), 'utf8'),
)!;
const FAULT = 'numerics-matmul-accumulates-in-bf16';

const installer = installerAvailable();
describe.skipIf(!installer)(
  installer ? 'the five steps' : 'the five steps (skipped: neither pip nor uv is here)',
  () => {
    let directory: string;
    let played: Played[];

    beforeAll(async () => {
      directory = mkdtempSync(join(tmpdir(), 'pjrt-customer-'));
      await makePrebuilt();
      packPackage(directory);
      copyFileSync(await buildFaults('plain', [FAULT]), join(directory, 'foo.so'));
      copyFileSync(packagePath('tests', 'record', 'train.py'), join(directory, 'train.py'));
      const python = pythonWithJax();
      const install = { commands: 'npm init -y > npm.log\nnpm install ./pjrt-conformance-*.tgz >> npm.log', exit: 0 };
      played = playSteps([{ ...install, line: 0, shown: [] }, ...stepsOf(SECTION)], directory, {
        PATH: `${dirname(python)}:${process.env.PATH}`,
        PJRT_CONFORMANCE_PYTHON: python,
        PJRT_NAMES_AND_LIBRARY_PATHS: `foo:${join(directory, 'foo.so')}`,
        JAX_PLATFORMS: 'foo',
        PJRT_FAULTS_BASE: await referenceLibrary(),
        PJRT_FAULT: FAULT,
      });
    });
    afterAll(() => rmSync(directory, { recursive: true, force: true }));

    test('work as written', () => {
      for (const { step, exit, output } of played) {
        expect(exit, `${PAGE}, "${step.commands}":\n${output}`).toBe(step.exit);
      }
      expect(played.length).toBe(1 + stepsOf(SECTION).length);
      expect(played.at(-1)!.step.exit).toBe(1);
    });
  },
);
