import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Event } from '../../harness/model/events.ts';
import { foldRun } from '../../harness/model/run.ts';
import { facts, footer, header, result, suiteEvents } from '../../harness/model/sample-log.test-helper.ts';
import { exponential } from '../../harness/model/sample-numbers.test-helper.ts';
import type { CaseSource } from '../../harness/report/case-source.ts';
import type { RequirementLevel } from '../../harness/report/format.ts';
import { writeHtml } from '../../harness/report/html.ts';
import { chromiumIsRequired, chromiumPath, openFile, startChromium } from '../support/chromium.ts';
import { seriousViolations } from './axe.ts';

const CALL = 'PJRT_Client_BufferFromHostBuffer';

const STEPS = `- id: bounded
  description: ${'A long description that no narrow screen has room for. '.repeat(3)}
  steps:
    - compile: {as: f, program: 'unary/\${op}_\${dtype}'}
    - get: {buffer: $out, as: y}
    - expect: {actual: $y, equals: $expected, compare: {bound: $op, of: $input}}`;

const PROGRAM = `module @exponential {
  func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.exponential %arg0 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}`;

const NUMBERS = 'numerics/made:bounded[op=exponential,dtype=f32]';
const LARGE = 'numerics/made:large';
const CRASH = 'buffers/made:crash';
const OPTIONAL = 'buffers/made:layout';

/** A run with a small and a large mismatch, an optional part that does not work, and a function that died in two cases. */
const events = (): Event[] => [
  header(),
  {
    type: 'plugin',
    plugin: facts({ apiVersion: { major: 0, minor: 90 }, answers: { [CALL]: ['DEATH', 'INVALID_ARGUMENT', 'OK'] } }),
  },
  ...suiteEvents('numerics/made', [
    {
      name: 'bounded[op=exponential,dtype=f32]',
      plan: { covers: ['NUM-ROUND-001'], line: 20 },
      result: result('fail', {
        numerics: [exponential({ maxUlp: 2, mismatches: 1, meets: 'none' })],
        findings: [
          {
            type: 'pjrt.NumericMismatch',
            level: 'must',
            message: 'y: 2 of 4 elements differ',
            line: 25,
            requirements: ['NUM-ROUND-001'],
            numbers: {
              dtype: 'f32',
              distances: { within: [2], beyond: [0, 0, 1], noDistance: 1 },
              elements: {
                shape: [2, 2],
                expected: '3f800000 40000000 40400000 7fc00000',
                actual: '3f800000 40000002 40400000 00000000',
                ulp: [0, 2, 0, null],
                wrong: [1, 3],
              },
              inputs: [
                { name: 'input', dtype: 'f32', shape: [4], bits: '00000000 3f800000 3f800000 7fc00000' },
                { name: 'table', dtype: 'f32', shape: [1000] },
              ],
            },
          },
        ],
      }),
    },
    {
      name: 'large',
      plan: { covers: ['NUM-ROUND-001'] },
      result: result('fail', {
        findings: [
          {
            type: 'pjrt.NumericMismatch',
            level: 'must',
            message: 'y: 60 of 4,096 elements differ',
            detail: 'index  expected  actual',
            requirements: ['NUM-ROUND-001'],
            numbers: {
              dtype: 'f32',
              distances: { within: [4000, 36], beyond: [0, 0, 10, 20, ...new Array(20).fill(0), 30] },
            },
          },
        ],
      }),
    },
  ]),
  ...suiteEvents('buffers/made', [
    ...['crash', 'again'].map((name) => ({
      name,
      result: result('crash', {
        findings: [
          {
            type: 'pjrt.Crash',
            level: 'must' as const,
            message: `died in ${CALL}`,
            call: CALL,
            requirements: ['BUF-A-001'],
          },
        ],
        inFlight: CALL,
        signal: 'SIGABRT',
        stderr: {
          head: 'setting up\nCheck failed: type != INVALID\n    @ 0x7f (unknown)\n',
          tail: '',
          omittedBytes: 0,
        },
      }),
    })),
    {
      name: 'layout',
      plan: { level: 'opt', covers: ['BUF-B-002'] },
      result: result('fail', {
        findings: [
          { type: 'pjrt.WrongValue', level: 'must', message: 'a layout is wrong', requirements: ['BUF-B-002'] },
        ],
      }),
    },
  ]),
  footer({ exitCode: 1 }),
];

const possible = chromiumIsRequired || chromiumPath() !== undefined;

describe.skipIf(!possible)(
  possible ? 'the page of a case in Chromium' : 'the page of a case (skipped: there is no Chromium)',
  () => {
    let directory: string;
    let browser: Browser;
    let file: string;
    beforeAll(async () => {
      directory = mkdtempSync(join(tmpdir(), 'pjrt-case-page-'));
      browser = await startChromium();
      file = join(directory, 'report.html');
      const sources = new Map<string, CaseSource>([
        [
          NUMBERS,
          {
            steps: { text: STEPS, line: 20 },
            programs: [{ name: 'unary/exponential_f32', text: PROGRAM, omittedLines: 9 }],
          },
        ],
        [CRASH, { steps: { text: STEPS, line: 7 }, programs: [] }],
      ]);
      const requirements = new Map(['NUM-ROUND-001', 'BUF-A-001', 'BUF-B-002'].map((id) => [id, `The text of ${id}.`]));
      const levels = new Map<string, RequirementLevel>([
        ['NUM-ROUND-001', 'must'],
        ['BUF-A-001', 'must'],
        ['BUF-B-002', 'opt'],
      ]);
      let text = '';
      writeHtml(foldRun(events()), (chunk) => (text += chunk), { sources, requirements, levels });
      writeFileSync(file, text);
    });
    afterAll(async () => {
      await browser?.close();
      rmSync(directory, { recursive: true, force: true });
    });

    const open = (hash: string, options = {}) => openFile(browser, file, hash, options);
    const caseHash = (id: string): string => `#/cases/${encodeURIComponent(id)}`;
    const region = (page: Page, name: string) => page.getByRole('region', { name });

    test('has the steps with the one that failed, the parameters, and the program with its operation', async () => {
      const { page, faults } = await open(caseHash(NUMBERS));
      const steps = region(page, 'Steps of the case');
      expect(await steps.locator('.line').count()).toBe(STEPS.split('\n').length);
      expect(await steps.locator('.marked').textContent()).toMatch(/expect: \{actual: \$y.*\n↑ fails here/);
      expect(await steps.locator('.marked').getAttribute('data-n')).toBe('25');
      expect(await page.locator('.parameters').textContent()).toContain('$op = exponential');
      const program = region(page, 'Program unary/exponential_f32');
      expect(await program.locator('.marked').textContent()).toMatch(/stablehlo\.exponential.*\n↑ its result differs/);
      expect(await page.locator('.program').textContent()).toContain('and 9 more lines, which are not in this report');
      await page.getByRole('button', { name: 'Copy the program unary/exponential_f32' }).click();
      await page.getByText('Copied', { exact: true }).waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(PROGRAM);
      expect(faults).toEqual([]);
    });

    test('has small arrays element by element, with the operands beside them', async () => {
      const { page } = await open(caseHash(NUMBERS));
      const rows = region(page, 'Expected and actual elements').locator('tbody tr');
      expect(await rows.nth(1).locator('th, td').allTextContents()).toEqual([
        '[0,1]',
        '1 0x3f800000',
        '2 0x40000000',
        '2.0000005 0x40000002',
        '2 ✗',
      ]);
      expect(await rows.nth(3).locator('td').last().textContent()).toBe('no distance ✗');
      expect(await page.locator('tr.wrong').count()).toBe(2);
      await page.getByText('1 other array of the case').click();
      expect(await page.locator('.arrays').textContent()).toContain('more than 64 elements, which are not in the log');
    });

    test('has the distances of a large array as a plot and as a table', async () => {
      const { page } = await open(caseHash(LARGE));
      await page
        .getByRole('img', { name: /^Histogram of the distances of elements in ULP, 60 of them beyond/ })
        .waitFor();
      await page.locator('.distances summary').click();
      expect(await page.locator('.distances tbody tr').nth(2).locator('td').allTextContents()).toEqual([
        '2',
        '0',
        '10',
      ]);
      expect(await page.getByText('Not in this report').count()).toBe(1);
    });

    test('leads to the function, the requirement and the numbers, and back', async () => {
      const { page } = await open(caseHash(CRASH));
      await page.locator('.finding-facts').getByRole('link', { name: CALL }).click();
      const cell = page.locator('.cell[aria-current]');
      await cell.waitFor();
      expect(await cell.textContent()).toContain('works at times, died at others');
      expect(await page.evaluate(() => document.documentElement.scrollTop)).toBe(0);
      await cell.getByRole('link', { name: '2 crashes' }).click();
      await page.waitForSelector(`[data-case="${CRASH}"]`);
      expect(await page.locator('[data-case]').count()).toBe(2);
      await page.locator(`[data-case="${CRASH}"]`).click();
      await page.locator('.finding-facts').getByRole('link', { name: 'BUF-A-001' }).click();
      const requirement = page.locator('.requirement[aria-current]');
      await requirement.waitFor();
      expect(await requirement.textContent()).toContain('The text of BUF-A-001.');
      await requirement.getByRole('link', { name: 'BUF-A-001' }).click();
      await page.waitForSelector(`[data-case="${CRASH}"]`);
      await page.goto(`file://${file}${caseHash(NUMBERS)}`);
      await page.getByRole('link', { name: 'exponential of f32 in all cases' }).click();
      expect(await page.locator('tr[aria-current] th').textContent()).toBe('exponential');
    });

    test('an optional part that does not work is not called a MUST, and its level is explained', async () => {
      const { page } = await open(caseHash(OPTIONAL));
      const shown = page.locator('.case-page');
      await shown.locator('.finding').waitFor();
      expect(await shown.locator('.finding .level').allTextContents()).toEqual(['OPT']);
      expect(await shown.locator('.case-meta').textContent()).toContain('counts as a violated MUST');
      expect(await shown.textContent()).toContain('OPT: a plugin need not offer this; if it does, it has to work');
    });

    test('groups of failures have the final line of a plugin that died', async () => {
      const { page } = await open('#/failures');
      await page.getByText('Check failed: type != INVALID').waitFor();
      expect(await page.locator('.group').first().textContent()).toContain('2 cases');
    });

    test('what scrolls can be scrolled with the keyboard', async () => {
      const { page } = await open(caseHash(NUMBERS), { viewport: { width: 400, height: 800 } });
      const steps = region(page, 'Steps of the case');
      await steps.focus();
      await page.keyboard.press('ArrowRight');
      await page.waitForFunction(() => document.querySelector('.listing')!.scrollLeft > 0);
      expect(page.url()).toContain(caseHash(NUMBERS).slice(2, 20));
    });

    describe.each([1280, 400])('at %i pixels', (width) => {
      test.each(['light', 'dark'] as const)(
        'nothing is too wide, and axe finds nothing serious, in %s colours',
        async (colorScheme) => {
          const { page, faults } = await open('', { colorScheme, viewport: { width, height: 800 } });
          const hashes = [NUMBERS, LARGE, CRASH, OPTIONAL].map(caseHash);
          for (const hash of [
            ...hashes,
            '#/capabilities',
            '#/requirements',
            '#/numerics',
            '#/failures',
            '#/overview',
          ]) {
            await page.evaluate((to) => {
              location.hash = to;
            }, hash);
            await page.waitForTimeout(80);
            for (const summary of await page.locator('.case-page details:not([open]) > summary').all())
              await summary.click();
            const widest = await page.evaluate(() =>
              Math.max(...['html', 'main', '.case-page'].map((name) => document.querySelector(name)?.scrollWidth ?? 0)),
            );
            expect(widest, hash).toBeLessThanOrEqual(width);
            expect(await seriousViolations(page), hash).toEqual([]);
          }
          expect(faults).toEqual([]);
        },
      );
    });
  },
);
