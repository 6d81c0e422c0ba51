import { judgementLine } from '../../verdict/judgement-line.ts';
import { nameOf } from './folder.ts';
import type { Examined } from './submission.ts';

/** One line for each submission or fault, and a summary. */
export function formatResults(examined: readonly Examined[]): string {
  const lines = examined.flatMap(({ folder, faults, submission }) =>
    submission
      ? [`✓ ${nameOf(folder)}: ${judgementLine(submission.judgement)}`]
      : faults.map(({ kind, message }) => `✗ ${nameOf(folder)}: ${kind}: ${message}`),
  );
  const refused = examined.filter(({ submission }) => !submission).length;
  const total = `${examined.length} ${examined.length === 1 ? 'submission' : 'submissions'}`;
  const end = refused === 0 ? `${total}: the evidence of each is valid` : `${total}: ${refused} refused`;
  return `${[...lines, end].join('\n')}\n`;
}

/** The same as data. */
export const resultsAsJson = (examined: readonly Examined[]): unknown =>
  examined.map(({ folder, faults, submission }) => {
    const { vendor, product, version } = folder;
    const { passes, version: mustpass, profile, apiMinor, counts, obstacles } = submission?.judgement ?? {};
    return {
      vendor,
      product,
      version,
      faults,
      ...(submission ? { judgement: { passes, mustpass, profile, apiMinor, counts, obstacles } } : {}),
    };
  });
