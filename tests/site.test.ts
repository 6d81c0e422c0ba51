import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import { buildSite } from '../tools/site/build.ts';
import { chromiumIsRequired, chromiumPath, startChromium } from './support/chromium.ts';

const runs = chromiumIsRequired || chromiumPath() !== undefined;

describe.skipIf(!runs)(runs ? 'the site' : 'the site (skipped: Chromium is not here)', () => {
  let directory: string;
  let browser: Browser;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'pjrt-site-'));
    // A dead link, or a link to a heading that does not exist, is an error.
    await buildSite(directory);
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Opens a page as a file, without a network. */
  async function open(path: string, colorScheme: 'light' | 'dark' = 'light') {
    const context = await browser.newContext({ offline: true, colorScheme, viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(`file://${directory}/`)) faults.push(request.url());
    });
    page.on('pageerror', (error) => faults.push(error.message));
    await page.goto(`file://${directory}/${path}`);
    await page.waitForSelector('#tsd-nav-container details');
    return { page, faults };
  }

  test('finds a page by a word of its text, without a server or a network', async () => {
    const { page, faults } = await open('index.html');
    await page.click('#tsd-search-trigger');
    await page.fill('#tsd-search-input', 'quarantine');
    const found = page.locator('#tsd-search-results li a', { hasText: 'Writing suites' }).first();
    await found.click();
    await page.waitForURL(/documents\/writing-suites\.html/);
    expect(await page.textContent('h1')).toBe('Writing suites');
    expect(faults).toEqual([]);
  });

  test('has the sections of the index as its navigation', async () => {
    const { page } = await open('documents/tutorial.html');
    const sections = await page.locator('#tsd-nav-container > li > details > summary').allInnerTexts();
    const index = readFileSync(packagePath('docs', 'README.md'), 'utf8');
    expect(sections.slice(0, -1)).toEqual([...index.matchAll(/^## (.*)$/gm)].map(([, title]) => title));
    expect(sections.at(-1)).toBe('API');
    expect(await page.locator('#tsd-nav-container details[open] a.current').innerText()).toBe('Tutorial');
  });

  test.each([
    ['index.html', 'light'],
    ['documents/tutorial.html', 'dark'],
    ['documents/cli.html', 'light'],
    ['documents/reports.html', 'dark'],
  ] as const)('%s is accessible (%s)', async (path, scheme) => {
    const { page, faults } = await open(path, scheme);
    await page.evaluate(axe.source);
    const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults;
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
    expect(faults).toEqual([]);
  });
});
