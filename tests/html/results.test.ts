import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkResults } from '../../harness/commands/results/check.ts';
import {
  type Changes,
  FAILED,
  SAMPLE_IDS,
  sampleSubmission,
  waiverText,
} from '../../harness/commands/results/sample-submission.test-helper.ts';
import { writeSite } from '../../harness/commands/results/site/site.ts';
import { result } from '../../harness/model/sample-log.test-helper.ts';
import { chromiumIsRequired, chromiumPath, openFile, startChromium } from '../support/chromium.ts';
import { seriousViolations } from './axe.ts';

const possible = chromiumIsRequired || chromiumPath() !== undefined;

const [FIRST, SECOND, THIRD] = SAMPLE_IDS as [string, string, string];

/** A product of three versions: one passes, one is waived, one fails. */
const VERSIONS: Readonly<Record<string, Changes>> = {
  '1.2.3': { results: { [THIRD]: result('unsupported', { reason: 'there is <none>' }) } },
  '1.9.0': { results: { [FIRST]: FAILED }, waivers: waiverText() },
  '1.10.0': { results: { [SECOND]: FAILED } },
};

describe.skipIf(!possible)(
  possible ? 'the site of results in Chromium' : 'the site of results (skipped: there is no Chromium)',
  () => {
    let directory: string;
    let browser: Browser;
    const site = (path: string): string => join(directory, 'site', path);
    beforeAll(async () => {
      directory = mkdtempSync(join(tmpdir(), 'pjrt-site-'));
      browser = await startChromium();
      for (const [version, changes] of Object.entries(VERSIONS)) {
        await sampleSubmission(join(directory, 'results'), {
          ...changes,
          statement: (s) => ({
            ...s,
            product: { ...s.product, version },
            contact: 'javascript:alert(1)',
            notes: '<b>&"\'',
          }),
        });
      }
      const examined = await checkResults(join(directory, 'results'), 'results');
      expect(examined.flatMap(({ faults }) => faults)).toEqual([]);
      await writeSite(
        examined.flatMap(({ submission }) => submission ?? []),
        join(directory, 'site'),
      );
    });
    afterAll(async () => {
      await browser?.close();
      rmSync(directory, { recursive: true, force: true });
    });

    const PAGES = [
      'index.html',
      'example/foo/index.html',
      'example/foo/1.10.0/index.html',
      'example/foo/1.9.0/index.html',
    ];

    test('the matrix has every run, newest version first, and leads to its page', async () => {
      const { page, faults } = await openFile(browser, site('index.html'));
      const runs = page.getByRole('region', { name: 'Runs' });
      expect(await runs.locator('tbody tr td:nth-child(2)').allTextContents()).toEqual(['1.10.0', '1.9.0', '1.2.3']);
      expect(await runs.locator('.badge').allTextContents()).toEqual(['does not pass', 'passes', 'passes']);
      const area = SECOND.split(/[/:]/)[0]!;
      const cell = page
        .getByRole('region', { name: 'Suites' })
        .locator(`a[href="example/foo/1.10.0/index.html#${area}"]`);
      expect(await cell.textContent()).toMatch(/^\d+\/\d+$/);
      await cell.click();
      await page.waitForURL(/1\.10\.0\/index\.html#/);
      expect(await page.locator('h1').textContent()).toBe('example foo 1.10.0');
      expect(await page.locator('.cases').first().textContent()).toContain(SECOND);
      expect(faults.filter((fault) => !fault.startsWith('file://'))).toEqual([]);
    });

    test('a run has its statement, waivers, failures, and what is not offered, as text', async () => {
      const { page } = await openFile(browser, site('example/foo/1.9.0/index.html'));
      const text = await page.textContent('main');
      expect(text).toContain('1 waived');
      expect(text).toContain('https://example.com/waivers/1');
      expect(text).toContain('it is <wrong> & "bad"');
      expect(text).toContain('<b>&"\'');
      expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
      expect(await page.locator('main b').count()).toBe(0);
      const { page: other } = await openFile(browser, site('example/foo/1.2.3/index.html'));
      expect(await other.locator('details').first().textContent()).toContain('there is <none>');
    });

    test('the history of a product says what broke and what was fixed', async () => {
      const { page } = await openFile(browser, site('example/foo/index.html'));
      const rows = await page.locator('tbody tr td:nth-child(9)').allTextContents();
      expect(rows).toEqual([
        '1 newly failing, 1 fixed, 0 no longer offered',
        '1 newly failing, 0 fixed, 0 no longer offered',
        'nothing to compare',
      ]);
    });

    test('each run has its report and its bundle', () => {
      expect(readdirSync(site('example/foo/1.9.0')).sort()).toEqual(['bundle.zip', 'index.html', 'report.html']);
      expect(readFileSync(site('example/foo/1.9.0/bundle.zip'))).toEqual(
        readFileSync(join(directory, 'results', 'example', 'foo', '1.9.0', 'bundle.zip')),
      );
    });

    test.each(PAGES)('%s has no scripts, no barriers in light or dark, and fits 400 pixels', async (path) => {
      expect(readFileSync(site(path), 'utf8')).not.toMatch(/<script|\son\w+=|style="/);
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page, faults } = await openFile(browser, site(path), '', { colorScheme, bypassCSP: true });
        expect(await seriousViolations(page), colorScheme).toEqual([]);
        expect(faults).toEqual([]);
      }
      const { page } = await openFile(browser, site(path), '', { viewport: { width: 400, height: 800 } });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(400);
    });
  },
);
