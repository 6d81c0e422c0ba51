import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { packagePath } from '../../harness/base/paths.ts';

const AXE = readFileSync(packagePath('node_modules', 'axe-core', 'axe.min.js'), 'utf8');

/** Serious and critical findings of axe on a page, one line each. */
export async function seriousViolations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
    const { violations } = await axe.run(document, { resultTypes: ['violations'] });
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.slice(0, 3).map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`),
      );
  });
}
