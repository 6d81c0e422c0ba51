/**
 * `npm run bench:page`: responsiveness of the HTML report of a large run in Chromium, compared with a small one. A separate
 * program, because its code in the page needs the types of a browser.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { packagePath } from '../../harness/base/paths.ts';
import { openFile, startChromium } from '../../tests/support/chromium.ts';
import { writeSyntheticLog } from './synthetic-log.ts';

/** Responsiveness of an HTML report: all times in milliseconds. */
interface MeasuredPage {
  bytes: number;
  /** From opening the file to the first line of the list of cases. */
  openMs: number;
  /** Between two frames while the list is scrolled, and while it jumps as under a dragged scroll bar. */
  scroll: Frames;
  drag: Frames;
  /** From a letter typed into the search to the frame that shows the result. */
  typing: Frames;
}

interface Frames {
  median: number;
  p95: number;
  worst: number;
}

const FRAMES = 200;
const STEP_PX = 300;
const WORDS = 'sine[dtype=f32,shape=7';

/** Opens the HTML report of this many synthetic cases, scrolls it and searches in it. */
async function measurePages(counts: readonly number[]): Promise<MeasuredPage[]> {
  const directory = mkdtempSync(join(tmpdir(), 'pjrt-bench-'));
  const browser = await startChromium();
  try {
    const pages: MeasuredPage[] = [];
    for (const cases of counts) {
      const log = join(directory, `${cases}.jsonl`);
      const output = join(directory, `${cases}`);
      writeSyntheticLog(log, cases);
      const args = ['report', log, '--quiet', '--no-github', '--report', 'html', '--output', output];
      spawnSync(process.execPath, [packagePath('dist', 'cli', 'main.js'), ...args], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const file = join(output, 'report.html');
      const began = performance.now();
      const { page } = await openFile(browser, file, '#/cases');
      await page.waitForSelector('[data-case]');
      const openMs = performance.now() - began;
      const scroll = frames(await scrolled(page, 'on'));
      const drag = frames(await scrolled(page, 'to and fro'));
      const typing = frames(await typed(page));
      pages.push({ bytes: statSync(file).size, openMs, scroll, drag, typing });
      await page.context().close();
    }
    return pages;
  } finally {
    await browser.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Moves the list once per frame, and returns the times between frames. */
const scrolled = (page: Page, how: 'on' | 'to and fro'): Promise<number[]> =>
  page.evaluate(
    async ({ how, count, step }) => {
      const list = document.querySelector('.scroll')!;
      const between: number[] = [];
      list.scrollTop = 0;
      let last = await new Promise<number>(requestAnimationFrame);
      for (let i = 1; i <= count; i++) {
        // Multiples of the golden ratio reach everywhere, and never come close to the last position.
        list.scrollTop = how === 'on' ? i * step : ((i * 0.618) % 1) * list.scrollHeight;
        const now = await new Promise<number>(requestAnimationFrame);
        between.push(now - last);
        last = now;
      }
      return between;
    },
    { how, count: FRAMES, step: STEP_PX },
  );

/** Types letter by letter, each after the previous one is shown. */
async function typed(page: Page): Promise<number[]> {
  const times: number[] = [];
  await page.locator('#search').focus();
  for (const letter of WORDS) {
    // Kept in the page: the listener must exist before the letter is typed.
    await page.evaluate(() => {
      const shown = new Promise<number>((resolve) => {
        document.addEventListener(
          'keydown',
          ({ timeStamp }) =>
            // The next frame begins when the one that draws the letter is finished.
            requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - timeStamp))),
          { once: true, capture: true },
        );
      });
      Object.assign(window, { shown });
    });
    await page.keyboard.press(letter);
    times.push(await page.evaluate(() => (window as unknown as { shown: Promise<number> }).shown));
  }
  return times;
}

function frames(times: readonly number[]): Frames {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
  return { median: at(0.5), p95: at(0.95), worst: at(1) };
}

const COUNTS = [1000, 100_000];
const framesText = ({ median, p95, worst }: Frames): string =>
  `median ${median.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms, worst ${worst.toFixed(0)} ms`;
const say = (name: string, value: string): void => void process.stdout.write(`${name.padEnd(44)} ${value}\n`);

for (const [at, { bytes, openMs, scroll, drag, typing }] of (await measurePages(COUNTS)).entries()) {
  say(
    `page of ${COUNTS[at]} cases (${(bytes / 1e6).toFixed(1)} MB)`,
    `first cases after ${(openMs / 1000).toFixed(2)} s`,
  );
  say('  frames while it scrolls', framesText(scroll));
  say('  frames while the scroll bar is dragged', framesText(drag));
  say('  from a typed letter to what it finds', framesText(typing));
}
