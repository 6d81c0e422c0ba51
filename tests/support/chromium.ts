import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** The browser on the search path, if there is one. */
export const chromiumPath = (): string | undefined =>
  NAMES.flatMap((name) => (process.env.PATH ?? '').split(delimiter).map((directory) => join(directory, name))).find(
    existsSync,
  );

/** CI installs a browser and sets this: its tests must not be skipped there. */
export const chromiumIsRequired = process.env.PJRT_TEST_CHROMIUM === 'required';

export async function startChromium(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (executablePath === undefined) throw new Error(`no browser: none of ${NAMES.join(', ')} is on the search path`);
  // The browser's sandbox does not start for root, and CI runs as root.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

/** A page and its violations. */
export interface Watched {
  page: Page;
  /** Requests for anything but the file itself, and uncaught errors. */
  faults: string[];
}

/** Opens a file in a new page, without a network. */
export async function openFile(
  browser: Browser,
  file: string,
  hash = '',
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const context = await browser.newContext({
    offline: true,
    viewport: { width: 1280, height: 800 },
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(`file://${file}`) && !request.url().startsWith('blob:')) faults.push(request.url());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('dialog', (dialog) => {
    faults.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(`file://${file}${hash}`);
  await page.waitForSelector('#main');
  return { page, faults };
}
