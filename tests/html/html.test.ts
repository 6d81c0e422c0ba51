import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packagePath } from '../../harness/base/paths.ts';
import { arrangements } from '../../harness/commands/coexist/arrangement.ts';
import type { Cell } from '../../harness/commands/coexist/cell.ts';
import { writeHtml as writeMatrixPage } from '../../harness/commands/coexist/html.ts';
import { matrixOf } from '../../harness/commands/coexist/matrix.ts';
import type { Run } from '../../harness/model/run.ts';
import { foldRun } from '../../harness/model/run.ts';
import { everyStatus, facts, footer, header, result, suiteEvents } from '../../harness/model/sample-log.test-helper.ts';
import { numberEvents } from '../../harness/model/sample-numbers.test-helper.ts';
import { compareRuns } from '../../harness/report/compare/compare.ts';
import { writeHtml as writeComparison } from '../../harness/report/compare/html.ts';
import { DEFAULT_POLICY } from '../../harness/report/compare/policy.ts';
import { writeHtml } from '../../harness/report/html.ts';
import type { JsonReport } from '../../harness/report/index.ts';
import { loadRequirements } from '../../harness/suite/requirements.ts';
import { chromiumIsRequired, chromiumPath, openFile, startChromium } from '../support/chromium.ts';
import { quietEnvironment } from '../support/cli.ts';
import { buildHostile } from '../support/hostile.ts';
import { syntheticRun } from '../support/synthetic-run.ts';
import { seriousViolations } from './axe.ts';

const VIEWS = ['overview', 'failures', 'cases', 'capabilities', 'requirements', 'numerics', 'timeline', 'run'];

const possible = chromiumIsRequired || chromiumPath() !== undefined;

describe.skipIf(!possible)(
  possible ? 'HTML reports in Chromium' : 'HTML reports (skipped: there is no Chromium)',
  () => {
    let directory: string;
    let browser: Browser;
    /** A real run, of a plugin that crashes in every compilation. */
    let crashing: string;
    let report: JsonReport;
    /** A case of every status. */
    let every: string;
    beforeAll(async () => {
      directory = mkdtempSync(join(tmpdir(), 'pjrt-html-'));
      browser = await startChromium();
      const plugin = await buildHostile('segv-in-compile');
      const options = ['--suites', packagePath('tests', 'suites'), '--suite', 'hostile', '--workers', '1'];
      spawnSync(
        process.execPath,
        [
          packagePath('dist', 'cli', 'main.js'),
          'run',
          '--plugin',
          plugin,
          ...options,
          '--report',
          'html',
          '--output',
          'out',
        ],
        { cwd: directory, env: quietEnvironment() },
      );
      crashing = join(directory, 'out', 'report.html');
      report = JSON.parse(readFileSync(join(directory, 'out', 'report.json'), 'utf8'));
      every = written('every.html', foldRun(everyStatus()));
    });
    afterAll(async () => {
      await browser?.close();
      rmSync(directory, { recursive: true, force: true });
    });

    function written(name: string, run: Run): string {
      const file = join(directory, name);
      const requirements = new Map([...loadRequirements()].map(([id, { text }]) => [id, text]));
      let text = '';
      writeHtml(run, (chunk) => (text += chunk), { requirements });
      writeFileSync(file, text);
      return file;
    }

    const open = (file: string, hash = '', options = {}) => openFile(browser, file, hash, options);
    const go = (page: Page, hash: string) =>
      page.evaluate((to) => {
        location.hash = to;
      }, hash);
    const listed = (page: Page): Promise<string[]> =>
      page.$$eval('[data-case]', (links) => links.map((link) => link.getAttribute('data-case')!));

    test('has every case of report.json with its status, and the same counts', async () => {
      const { page, faults } = await open(crashing);
      const text = await page.textContent('.verdict');
      expect(text).toContain(report.verdict.line);
      expect(text).toContain(`exit code ${report.verdict.exitCode}`);
      const cases = report.suites.flatMap((suite) => suite.cases);
      expect(cases.length).toBeGreaterThan(5);
      for (const { id, status, findings = [] } of cases) {
        await go(page, `#/cases/${encodeURIComponent(id)}`);
        await page.waitForFunction(
          (name) => document.querySelector('#case-title')?.textContent === name,
          id.split(':')[1],
        );
        expect(await page.locator('.case-meta .badge').getAttribute('class'), id).toContain(`s-${status}`);
        for (const finding of findings) {
          await page.getByRole('heading', { name: finding.message, exact: true }).first().waitFor();
        }
      }
      for (const [status, count] of Object.entries(report.summary)) {
        await go(page, `#/cases?status=${status}`);
        const chip = page.locator(`.chip.s-${status} b`);
        if (await chip.count()) expect(await chip.textContent(), status).toBe(String(count));
      }
      expect(faults).toEqual([]);
    });

    test('requirements are searched by id and text', async () => {
      const { page } = await open(crashing, '#/requirements');
      await page.waitForSelector('.requirement');
      const entries = await page.locator('.requirement').count();
      const id = (await page.locator('.requirement > a').last().textContent())!;
      const text = loadRequirements().get(id)!.text;
      const search = page.getByRole('searchbox', { name: 'Search requirements' });
      expect(entries).toBeGreaterThan(2);
      for (const words of [id.toLowerCase(), text.split(' ').reverse().join(' ').toUpperCase()]) {
        await search.fill(words);
        await page.waitForFunction(() => document.querySelectorAll('.requirement').length === 1);
        expect(await page.locator('.requirement > a').textContent()).toBe(id);
        await search.fill('');
        await page.waitForFunction((count) => document.querySelectorAll('.requirement').length === count, entries);
      }
      await search.fill('no such words');
      await page.getByText('No requirement matches.').waitFor();
      expect(page.url()).toContain('q=no+such+words');
    });

    test('at 400 pixels no filter is cut, and texts of requirements are whole', async () => {
      const { page } = await open(crashing, '#/cases', { viewport: { width: 400, height: 800 } });
      const outside = await page.$$eval(
        '.choice',
        (all) => all.filter((one) => one.getBoundingClientRect().right > 400).length,
      );
      expect(await page.locator('.choice').count()).toBeGreaterThan(3);
      expect(outside).toBe(0);
      await go(page, '#/requirements');
      await page.waitForSelector('.requirement-text');
      const cut = await page.$$eval('.requirement-text', (all) =>
        all.filter((one) => one.scrollHeight > one.clientHeight + 1).map((one) => one.textContent),
      );
      expect(cut).toEqual([]);
    });

    test('the page of a crash has the native calls with the one in progress, output, requirement, and a command to copy', async () => {
      const crash = report.suites.flatMap((suite) => suite.cases).find(({ status }) => status === 'crash')!;
      const { page, faults } = await open(crashing, `#/cases/${encodeURIComponent(crash.id)}`);
      const shown = page.locator('.case-page');
      await shown.getByText('Run this case again').waitFor();
      const text = await shown.textContent();
      expect(text).toContain(`with ${crash.signal} in ${crash.inFlight}`);
      expect(text).toContain(crash.reproduce);
      const { before, calls } = crash.trace!;
      const rows = shown.getByRole('region', { name: 'Native calls, in order' }).locator('tbody tr');
      expect(await rows.count()).toBe(calls.length);
      expect(await rows.last().locator('td').allTextContents()).toEqual([
        String(before + calls.length),
        crash.inFlight,
        'the process died in it',
        '',
      ]);
      expect(await shown.locator('tr.end').count()).toBe(1);
      expect(text).toContain(loadRequirements().get(crash.covers[0]!)!.text);
      await shown.getByRole('button', { name: 'Copy the command' }).click();
      await shown.getByText('Copied').waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(crash.reproduce);
      expect(faults).toEqual([]);
    });

    test('filters and search narrow the list, are part of the URL, and are restored from it', async () => {
      const { page } = await open(every, '#/cases');
      expect(await listed(page)).toHaveLength(foldRun(everyStatus()).cases.size);
      await page.locator('.chip.s-crash').click();
      await page.locator('.chip.s-timeout').click();
      await page.waitForFunction(() => document.querySelectorAll('[data-case]').length === 2);
      expect(new URL(page.url()).hash).toBe('#/cases?status=crash&status=timeout');
      const again = await open(every, new URL(page.url()).hash);
      expect(await listed(again.page)).toEqual(['errors/handling:destroy-twice', 'errors/handling:await-never']);
      await page.getByRole('button', { name: 'Clear filters' }).click();
      for (const [field, value, ids] of [
        ['Suite', 'errors/', ['errors/handling:destroy-twice']],
        ['Level', 'should', ['buffers/host-transfer:lookup-negative-id']],
        ['Requirement', 'EXE-NUM-004', ['buffers/host-transfer:sine[dtype=f32]']],
        ['Call', 'PJRT_Event_Await', ['errors/handling:await-never']],
      ] as const) {
        await page.locator(`.choice:has(> span:text-is("${field}")) select`).selectOption(value);
        await page.waitForFunction(
          (id) => document.querySelector('[data-case]')?.getAttribute('data-case') === id,
          ids[0],
        );
        await page.getByRole('button', { name: 'Clear filters' }).click();
      }
      await page.keyboard.press('/');
      await page.keyboard.type('SIGSEGV destroy');
      await page.waitForFunction(() => document.querySelectorAll('[data-case]').length === 1);
      expect(await listed(page)).toEqual(['errors/handling:destroy-twice']);
      expect(page.url()).toContain('q=SIGSEGV+destroy');
      await page.locator('#search').fill('nothing is called so');
      await page.getByText('No case matches the filters.').waitFor();
    });

    test('shows everything: flaky cases, internal errors, and what does not fail the run', async () => {
      const expectation = {
        file: 'e.yaml',
        line: 3,
        expect: ['fail' as const],
        reason: 'old',
        outcome: 'met' as const,
      };
      const wrong = { type: 'pjrt.WrongValue', level: 'must' as const, message: 'it is wrong' };
      const run = foldRun([
        header({ options: { strict: false } }),
        ...suiteEvents('a', [
          { name: 'good', result: result('pass') },
          { name: 'flaky', result: result('flaky', { findings: [wrong] }) },
          { name: 'fault', result: result('error', { reason: 'no such probe' }) },
          { name: 'expected', result: result('fail', { findings: [wrong], expectation }) },
        ]),
        footer(),
      ]);
      const { page } = await open(written('nothing-left-out.html', run));
      const cells = await page.locator('table.suites tbody td.n').allTextContents();
      const [all, ...counts] = cells.slice(0, 8).map(Number);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(all);
      expect(counts).toEqual([1, 0, 1, 0, 0, 1, 1]);
      await go(page, '#/failures');
      await page.getByText('No root cause in the plugin').waitFor();
      await page.getByText('a:fault').waitFor();
      await go(page, '#/cases/a:expected');
      await page.locator('.case-meta').getByText('does not fail the run').waitFor();
      await go(page, '#/run');
      expect(await page.locator('dt:text-is("Options") + dd').textContent()).toBe('none');
    });

    test('can be used with the keyboard alone', async () => {
      const { page } = await open(every);
      await page.keyboard.press('Tab');
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the content');
      await page.keyboard.press('Enter');
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
      await go(page, '#/cases');
      await page.waitForSelector('[data-case]');
      const [first, second, third] = await listed(page);
      const focused = (id: string) =>
        page.waitForFunction((name) => document.activeElement?.getAttribute('data-case') === name, id);
      await page.keyboard.press('j');
      await focused(first!);
      await page.keyboard.press('ArrowDown');
      await focused(second!);
      await page.keyboard.press('Enter');
      await page.waitForSelector('.case-page');
      await page.keyboard.press('j');
      await focused(third!);
      expect(decodeURIComponent(page.url())).toContain(`#/cases/${third}`);
      await page.keyboard.press('k');
      await focused(second!);
      await page.keyboard.press('Escape');
      await page.waitForSelector('.case-page', { state: 'detached' });
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    });

    describe.each([
      ['light', 1280],
      ['dark', 1280],
      ['light', 400],
    ] as const)('in %s colours, %i pixels wide', (colorScheme, width) => {
      const options = { colorScheme, viewport: { width, height: 800 } };
      test('axe finds nothing serious in any view', async () => {
        const { page, faults } = await open(every, '', options);
        const hashes = [
          ...VIEWS.map((view) => `#/${view}`),
          '#/cases/errors/handling:destroy-twice',
          '#/cases?status=fail',
        ];
        for (const hash of hashes) {
          await go(page, hash);
          await page.waitForFunction(() => document.querySelector('h1, h2') !== null);
          await page.waitForTimeout(50);
          expect(await seriousViolations(page), hash).toEqual([]);
        }
        expect(faults).toEqual([]);
      });

      test('nor in the real run', async () => {
        const { page } = await open(crashing, '', options);
        for (const view of ['overview', 'failures', 'capabilities', 'timeline']) {
          await go(page, `#/${view}`);
          await page.waitForTimeout(50);
          expect(await seriousViolations(page), view).toEqual([]);
        }
      });
    });

    test.each([1280, 400])('numbers: table, plot, map and behaviours at %i pixels', async (width) => {
      const file = written('numbers.html', foldRun(numberEvents()));
      const options = { viewport: { width, height: 800 } };
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page, faults } = await open(file, '#/numerics', { ...options, colorScheme });
        const table = page.getByRole('region', { name: 'Precision by operation and type' });
        const first = async () => table.locator('tbody tr').first().textContent();
        expect(await first()).toContain('exponential');
        expect(await first()).toContain('2.7182822 0x402df856');
        await table.getByRole('button', { name: 'Operation' }).click();
        await table.getByRole('button', { name: 'Operation' }).click();
        expect(await first()).toContain('numerics/made:exact');
        expect(await table.locator('[aria-sort]').getAttribute('aria-sort')).toBe('descending');
        await page.getByRole('img', { name: /^exponential of f32: the largest error, 2 ULP, is where/ }).waitFor();
        await page.getByText('The same as a table').first().click();
        expect(await page.getByRole('region', { name: 'Error of exponential f32 by range' }).textContent()).toContain(
          '2^0 to 2^2',
        );
        expect(await page.getByRole('region', { name: 'Behaviours' }).textContent()).toContain('rounds-twice');
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
        expect(await seriousViolations(page)).toEqual([]);
        await go(page, '#/cases/numerics/made:matmul');
        await page.getByRole('img', { name: /^Map of 2 elements .* 2 × 4: exactly these differ: column 3/ }).waitFor();
        expect(await page.locator('.heat-map .cell').count()).toBe(2);
        expect(await seriousViolations(page)).toEqual([]);
        expect(faults).toEqual([]);
      }
    });

    test('the colours follow the system until the user chooses', async () => {
      const { page } = await open(every, '', { colorScheme: 'dark' });
      const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const dark = await ground();
      await page.getByRole('button', { name: /Colours/ }).click();
      const chosen = () => page.waitForFunction(() => document.documentElement.dataset.theme === 'light');
      await chosen();
      expect(await ground()).not.toBe(dark);
      await page.reload();
      await chosen();
    });

    test('no view is wider than a phone, and a case replaces the list', async () => {
      const { page } = await open(every, '', { viewport: { width: 390, height: 800 } });
      for (const hash of [...VIEWS.map((view) => `#/${view}`), '#/cases/errors/handling:destroy-twice']) {
        await go(page, hash);
        await page.waitForTimeout(50);
        const width = await page.evaluate(() =>
          Math.max(document.documentElement.scrollWidth, document.querySelector('main')!.scrollWidth),
        );
        expect(width, hash).toBeLessThanOrEqual(390);
      }
      expect(await page.locator('.list').isVisible()).toBe(false);
    });

    test('printing includes the whole list, and no buttons', async () => {
      const { page } = await open(every, '#/cases');
      await page.emulateMedia({ media: 'print' });
      await page.waitForSelector('.printed');
      expect(await listed(page)).toHaveLength(foldRun(everyStatus()).cases.size);
      expect(await page.locator('button:visible').count()).toBe(0);
    });

    describe('100,000 cases', () => {
      let file: string;
      beforeAll(() => {
        file = written('large.html', syntheticRun(100_000));
      });

      test('the page contains only what is visible, wherever it is scrolled', async () => {
        const { page, faults } = await open(file, '#/cases');
        await page.waitForSelector('[data-case]');
        const elements = () => page.evaluate(() => document.querySelectorAll('*').length);
        const few = 2000;
        expect(await elements()).toBeLessThan(few);
        for (const share of [0.3, 0.7, 1]) {
          await page.evaluate((at) => {
            const frame = document.querySelector('.scroll')!;
            frame.scrollTop = frame.scrollHeight * at;
          }, share);
          await page.waitForFunction(
            (at) => Number(document.querySelector('.virtual > li')?.getAttribute('aria-posinset')) >= at * 95_000,
            share,
          );
          expect(await elements()).toBeLessThan(few);
        }
        expect(await page.locator('.virtual > li').last().textContent()).toContain('case-');
        await page.locator('.chip.s-crash').click();
        await page.waitForFunction(() => document.querySelector('h1 small')?.textContent?.startsWith('200 of'));
        await page.locator('#search').fill('shape=7x0]');
        await page.waitForFunction(() => document.querySelectorAll('[data-case]').length === 1);
        for (const view of VIEWS) {
          await go(page, `#/${view}`);
          await page.waitForTimeout(100);
          expect(await elements(), view).toBeLessThan(6000);
        }
        expect(faults).toEqual([]);
      });

      test('the last case has a page', async () => {
        const id = 'area9/suite99:case-39[dtype=f64,shape=999x99]';
        const { page } = await open(file, `#/cases/${id}`);
        await page.waitForFunction(() => document.querySelector('#case-title')?.textContent?.includes('shape=999x99'));
        await page.waitForSelector(`[data-case="${id}"]`);
      });
    });

    test('text from a plugin, a suite or the URL is never markup or script', async () => {
      const evil =
        '</script><script>window.hit=1</script><img src=x onerror="window.hit=2"><style>body{display:none}</style>%s';
      const run = foldRun([
        header({ plugins: [{ name: evil, path: evil }], reproduce: evil }),
        {
          type: 'plugin',
          plugin: facts({
            name: evil,
            path: evil,
            platformName: evil,
            attributes: { [evil]: evil },
            devices: [{ id: 0, kind: evil, debug: evil }],
          }),
        },
        ...suiteEvents(`evil/${evil}`, [
          {
            name: evil,
            plan: { title: evil, covers: [evil], tags: [evil] },
            result: result('crash', {
              findings: [{ type: evil, level: 'must', message: evil, detail: evil, call: evil, requirements: [evil] }],
              inFlight: evil,
              trace: { before: 0, calls: [{ call: evil, answer: evil, durationMs: 1 }] },
              stderr: { head: evil, tail: '', omittedBytes: 0 },
              knownDeviation: { reason: evil, evidence: evil },
            }),
          },
        ]),
        { type: 'note', level: 'error', message: evil, detail: evil },
        footer({ exitCode: 1, verdict: evil }),
      ]);
      const { page, faults } = await open(written('evil.html', run), '');
      const [id] = run.cases.keys();
      const hashes = [
        ...VIEWS.map((view) => `#/${view}`),
        `#/cases/${encodeURIComponent(id!)}`,
        `#/cases?q=${encodeURIComponent(evil)}`,
        `#/cases/${encodeURIComponent(`<img src=x onerror=alert(1)>`)}`,
      ];
      for (const hash of hashes) {
        await go(page, hash);
        await page.waitForTimeout(50);
        expect(
          await page.evaluate(() => [(window as { hit?: number }).hit, document.querySelectorAll('img').length]),
        ).toEqual([undefined, 0]);
        expect(await page.locator('body').isVisible()).toBe(true);
      }
      expect(await page.textContent('.case-page')).toContain('This run has no case <img src=x onerror=alert(1)>');
      expect(faults).toEqual([]);
      // Even an injected script does not run.
      await page.evaluate(() => {
        const script = document.createElement('script');
        script.textContent = 'window.hit = 3';
        document.body.append(script);
      });
      expect(await page.evaluate(() => (window as { hit?: number }).hit)).toBe(undefined);
    });

    test('a comparison of two runs is a page too, with every change, and nothing serious for axe', async () => {
      const passing = everyStatus().map((event) =>
        event.type === 'case' ? { ...event, result: result('pass') } : event,
      );
      const sides = [passing, everyStatus()].map((events, at) => ({ name: `log${at}.jsonl`, run: foldRun(events) }));
      const comparison = compareRuns([sides[0]!], [sides[1]!], DEFAULT_POLICY);
      const file = join(directory, 'comparison.html');
      let text = '';
      writeComparison(comparison, (chunk) => (text += chunk));
      writeFileSync(file, text);
      for (const [colorScheme, width] of [
        ['light', 1280],
        ['dark', 400],
      ] as const) {
        const { page, faults } = await open(file, '', { colorScheme, viewport: { width, height: 800 } });
        const shown = await page.textContent('main');
        expect(shown).toContain(comparison.gate.line);
        expect(comparison.changes.length).toBeGreaterThan(3);
        for (const { subject, message } of comparison.changes) {
          expect(shown).toContain(subject);
          expect(shown).toContain(message);
        }
        const widest = await page.evaluate(() =>
          Math.max(document.documentElement.scrollWidth, document.querySelector('main')!.scrollWidth),
        );
        expect(widest).toBeLessThanOrEqual(width);
        expect(await seriousViolations(page)).toEqual([]);
        expect(faults).toEqual([]);
      }
    });

    test('a matrix of plugins in one process is a page too, on a telephone as well', async () => {
      const trouble = { where: 'coexistence/company:state', level: 'fail', type: 'pjrt.ProcessChanged' } as const;
      const cells = arrangements(['first', 'second', 'third']).map((arrangement): Cell => {
        const bad = arrangement.name === 'first+second';
        return {
          ...arrangement,
          status: bad ? 'fail' : 'pass',
          line: bad ? 'fails' : 'passes',
          counts: {},
          withoutClient: [],
          troubles: bad ? [{ ...trouble, message: 'the locale is <b>C</b>', culprit: 'second', detail: 'a → b' }] : [],
          durationMs: 1000,
          directory: `reports/${arrangement.name}`,
          reproduce: `coexist --cell ${arrangement.name}`,
        };
      });
      const plugins = ['first', 'second', 'third'].map((name) => ({ name, library: `/${name}.so`, sha256: '' }));
      const known = { tool: { name: 'tool', version: '1' }, startedAt: '2026-01-01T00:00:00Z', host: 'here', plugins };
      const notes = [{ kind: 'clash', level: 'info', plugins: ['first', 'second'], message: 'both export f' }] as const;
      const matrix = matrixOf(
        { ...known, cells, static: notes.map((note) => ({ ...note, plugins: [...note.plugins] })) },
        { interrupted: false },
      );
      const file = join(directory, 'coexist.html');
      let text = '';
      writeMatrixPage(matrix, (chunk) => (text += chunk));
      writeFileSync(file, text);
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page, faults } = await open(file, '', { colorScheme, viewport: { width: 400, height: 800 } });
        const shown = await page.textContent('main');
        for (const said of [matrix.line, 'the locale is <b>C</b>', 'second', 'a → b', 'both export f']) {
          expect(shown).toContain(said);
        }
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(400);
        expect(await seriousViolations(page)).toEqual([]);
        expect(faults).toEqual([]);
      }
    });

    test('a truncated file is reported', async () => {
      const text = readFileSync(every, 'utf8');
      const cut = join(directory, 'cut.html');
      writeFileSync(cut, text.replace(/(data-part="rows" data-from="0">)[^<]{40}/, '$1'));
      const page = await browser.newPage();
      await page.goto(`file://${cut}`);
      await page.getByText('The data of this report cannot be read').waitFor();
      expect(await page.textContent('h1')).toContain('PJRT conformance of example');
    });
  },
);
