import { copyFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { groupedBy } from '../../../base/grouping.ts';
import { makeDirectory } from '../../../base/make-directory.ts';
import { writeHtml } from '../../../report/html.ts';
import { writeFileAtomically } from '../../../report/index.ts';
import { asReported } from '../../../report/text-bounds.ts';
import { loadRequirements } from '../../../suite/requirements.ts';
import type { Submission } from '../submission.ts';
import { ATTESTATION, BUNDLE } from '../submissions-directory.ts';
import { matrixPage } from './matrix-page.ts';
import { productPath, runPath } from './places.ts';
import { productPage } from './product-page.ts';
import { runPage } from './run-page.ts';

/**
 * Writes the site of valid submissions: the matrix, a page for each product and each run, and for each run its bundle and its
 * report, made again from the log.
 * @returns the path of the first page
 */
export async function writeSite(submissions: readonly Submission[], directory: string): Promise<string> {
  const sorted = submissions.toSorted(inOrder);
  const write = (path: string, text: string): void =>
    writeFileAtomically(join(directory, path), (chunk) => chunk(text));
  const requirements = new Map([...loadRequirements()].map(([id, { text }]) => [id, text]));
  for (const submission of sorted) {
    const path = runPath(submission);
    const place = join(directory, dirname(path));
    makeDirectory(place);
    write(path, runPage(submission));
    writeFileAtomically(join(place, 'report.html'), (chunk) =>
      writeHtml(asReported(submission.run), chunk, { requirements }),
    );
    for (const file of [BUNDLE, ...(submission.attestation ? [ATTESTATION] : [])])
      copyFileSync(join(submission.directory.path, file), join(place, file));
  }
  for (const versions of groupedBy(sorted, productPath).values())
    write(productPath(versions[0]!), productPage(versions));
  write('index.html', matrixPage(sorted));
  return join(directory, 'index.html');
}

const COLLATOR = new Intl.Collator('en', { numeric: true });

/** By product; the newest version first. */
function inOrder({ statement: { product: a } }: Submission, { statement: { product: b } }: Submission): number {
  return COLLATOR.compare(`${a.vendor}/${a.name}`, `${b.vendor}/${b.name}`) || COLLATOR.compare(b.version, a.version);
}
