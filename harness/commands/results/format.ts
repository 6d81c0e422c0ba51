import { counted } from '../../base/counted.ts';
import { judgementLine } from '../../verdict/judgement-line.ts';
import type { Examined, Submission } from './submission.ts';
import { nameOf } from './submissions-directory.ts';

/** One line for each submission or fault, and a summary. */
export function formatResults(examined: readonly Examined[]): string {
  const lines = examined.flatMap(({ directory, faults, submission }) =>
    submission
      ? [`✓ ${nameOf(directory)}: ${judgementLine(submission.judgement)}`, ...evidenceLines(submission)]
      : faults.map(({ kind, message }) => `✗ ${nameOf(directory)}: ${kind}: ${message}`),
  );
  const refused = examined.filter(({ submission }) => !submission).length;
  const total = counted(examined.length, 'submission');
  const end = refused === 0 ? `${total}: the evidence of each is valid` : `${total}: ${refused} refused`;
  return `${[...lines, end].join('\n')}\n`;
}

/** What supports a submission besides its own words, and what a reader should know of its run. */
function evidenceLines({ attestation, run }: Submission): string[] {
  const { resumed } = run;
  return [
    ...(attestation ? [`  attested by ${attestation.identity} (${attestation.issuer})`] : []),
    ...(resumed.length > 0 ? [`  resumed ${counted(resumed.length, 'time')}, after it had been stopped`] : []),
  ];
}

/** Whether someone besides the submitter vouches for the evidence. */
export const evidenceLevel = ({ attestation }: Submission): 'attested' | 'self-reported' =>
  attestation ? 'attested' : 'self-reported';

/** The same as data. */
export const resultsAsJson = (examined: readonly Examined[]): unknown =>
  examined.map(({ directory, faults, submission }) => {
    const { vendor, product, version } = directory;
    const { passes, version: mustpass, profile, apiMinor, counts, obstacles } = submission?.judgement ?? {};
    return {
      vendor,
      product,
      version,
      faults,
      ...(submission
        ? {
            judgement: { passes, mustpass, profile, apiMinor, counts, obstacles },
            evidence: {
              level: evidenceLevel(submission),
              attestation: submission.attestation,
              tool: submission.header.tool,
              resumed: submission.run.resumed.length,
            },
          }
        : {}),
    };
  });
