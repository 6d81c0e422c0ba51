/** Part of `npm run record:samples`: pictures of the samples for the documents. Needs Chromium. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';
import { openFile, startChromium } from '../../tests/support/chromium.ts';

const SAMPLES = packagePath('reports', 'samples');
const PICTURES = packagePath('docs', 'images');

const SHOTS = [
  { name: 'report-overview', file: 'xla-cpu/report.html', hash: '#/overview' },
  {
    name: 'report-case',
    file: 'xla-cpu/report.html',
    hash: '#/cases/buffers/host-layout:reported-layout[layout=reversed]?fails=1',
  },
  { name: 'comparison', file: 'comparison/comparison.html', hash: '' },
];

mkdirSync(PICTURES, { recursive: true });
const browser = await startChromium();
try {
  for (const { name, file, hash } of SHOTS) {
    const { page } = await openFile(browser, join(SAMPLES, file), hash, { colorScheme: 'light' });
    await page.locator('main h1, main h2').first().waitFor();
    await page.screenshot({ path: join(PICTURES, `${name}.png`) });
    await page.context().close();
  }
} finally {
  await browser.close();
}
