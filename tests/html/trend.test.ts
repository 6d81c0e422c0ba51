import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { foldRun } from '../../harness/model/run.ts';
import { writeHtml } from '../../harness/report/trend/html.ts';
import { nights } from '../../harness/report/trend/ten-runs.test-helper.ts';
import { type Trend, trendOf } from '../../harness/report/trend/trend.ts';
import { caseText, programText, timeText, trendLine } from '../../harness/report/trend/words.ts';
import { chromiumIsRequired, chromiumPath, openFile, startChromium } from '../support/chromium.ts';
import { seriousViolations } from './axe.ts';

const possible = chromiumIsRequired || chromiumPath() !== undefined;

describe.skipIf(!possible)(
  possible ? 'the page of a trend in Chromium' : 'the page of a trend (skipped: there is no Chromium)',
  () => {
    let directory: string;
    let browser: Browser;
    beforeAll(async () => {
      directory = mkdtempSync(join(tmpdir(), 'pjrt-trend-'));
      browser = await startChromium();
    });
    afterAll(async () => {
      await browser?.close();
      rmSync(directory, { recursive: true, force: true });
    });

    const tenRuns = (): Trend => trendOf(nights().map(({ name, events }) => ({ name, run: foldRun(events) })));

    function written(trend: Trend): string {
      const file = join(directory, 'trend.html');
      let text = '';
      writeHtml(trend, (chunk) => (text += chunk));
      writeFileSync(file, text);
      return file;
    }

    test.each([
      ['light', 1280],
      ['dark', 1280],
      ['light', 400],
      ['dark', 400],
    ] as const)(
      'says what the terminal says, and has nothing serious for axe: %s, %s px',
      async (colorScheme, width) => {
        const trend = tenRuns();
        const { page, faults } = await openFile(browser, written(trend), '', {
          colorScheme,
          viewport: { width, height: 800 },
        });
        const shown = await page.textContent('main');
        const said = [
          trendLine(trend),
          ...trend.cautions,
          ...trend.cases.flatMap((item) => [item.case, caseText(trend, item), item.finding]),
          ...trend.times.records.map((item) => timeText(trend, item)),
          ...trend.programs.map((item) => programText(trend, item)),
          ...trend.runs.map(({ name }) => name),
        ];
        for (const text of said) expect(shown).toContain(text);
        const sizes = await page.evaluate(() => [
          document.documentElement.scrollWidth,
          document.querySelector('main')!.scrollWidth,
        ]);
        expect(Math.max(...sizes)).toBeLessThanOrEqual(width);
        expect(await seriousViolations(page)).toEqual([]);
        expect(faults).toEqual([]);
      },
    );

    test('every series is drawn, with the numbers in its name, and strips have words', async () => {
      const { page } = await openFile(browser, written(tenRuns()));
      const plots = page.locator('svg[role=img]');
      // Pass rate, failures, time and memory, and one program.
      expect(await plots.count()).toBe(5);
      expect(await plots.first().getAttribute('aria-label')).toContain(
        'Pass rate over 10 runs: 90.9 % in run 1, 90.0 % in run 10',
      );
      expect(await plots.first().locator('circle').count()).toBe(10);
      expect(await plots.first().locator('circle.open title').textContent()).toContain('Run 5, incomplete');
      const strip = page.getByRole('listitem').filter({ hasText: 's/errors:regressed' }).locator('.strip');
      expect(await strip.getAttribute('aria-label')).toBe(
        'passed in runs 1, 2, 3, 4, 5, 6; failed in runs 7, 8, 9, 10',
      );
    });

    test('of very many programs some are laid out, and the rest is counted', async () => {
      const trend = tenRuns();
      const [one] = trend.programs;
      const programs = Array.from({ length: 250 }, (_, n) => ({ ...one!, program: `program-${n}` }));
      const { page } = await openFile(browser, written({ ...trend, programs }));
      expect(await page.textContent('main')).toContain('and 50 more, which trend.json has (--report json)');
      // The table of runs says nothing of programs.
      expect(await page.locator('svg[role=img]').last().getAttribute('aria-label')).not.toContain('table of runs');
    });

    test('texts of a plugin stay text', async () => {
      const trend = tenRuns();
      const mark = '<img src=x onerror="window.hit = 1"></script>';
      const hostile: Trend = {
        ...trend,
        plugins: [mark],
        cautions: [mark],
        runs: trend.runs.map((run) => ({ ...run, name: mark })),
        cases: trend.cases.map((item) => ({ ...item, case: `${item.case}${mark}`, finding: mark })),
      };
      const { page, faults } = await openFile(browser, written(hostile));
      expect(await page.textContent('main')).toContain(mark);
      expect(await page.evaluate(() => (window as { hit?: number }).hit)).toBe(undefined);
      expect(faults).toEqual([]);
    });
  },
);
