import { type Broken, brokenRequirements } from './broken.ts';
import type { ReportOptions } from './format.ts';
import type { Run } from './model.ts';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/** Broken requirements as SARIF 2.1.0: a rule is a requirement, a result a case that shows it broken. */
export function writeSarif(run: Run, write: (chunk: string) => void, { requirements }: ReportOptions = {}): void {
  const broken = [...brokenRequirements(run)];
  const rules = [...new Set(broken.map(({ requirement }) => requirement))].sort();
  const log = {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: run.header?.tool.name ?? 'pjrt-conformance',
            version: run.header?.tool.version ?? '',
            rules: rules.map((id) => ({
              id,
              ...(requirements?.get(id) === undefined ? {} : { shortDescription: { text: requirements.get(id) } }),
            })),
          },
        },
        invocations: [
          {
            executionSuccessful: run.footer !== undefined && !run.footer.interrupted,
            ...(run.footer ? { exitCode: run.footer.exitCode } : {}),
          },
        ],
        results: broken.map((entry) => resultOf(entry, rules.indexOf(entry.requirement))),
      },
    ],
  };
  write(`${JSON.stringify(log, null, 1)}\n`);
}

const resultOf = (entry: Broken, ruleIndex: number) => ({
  ruleId: entry.requirement,
  ruleIndex,
  level: entry.level === 'must' ? 'error' : 'warning',
  message: { text: `${entry.message}\nreproduce: ${entry.reproduce}` },
  locations: [
    { physicalLocation: { artifactLocation: { uri: encodeURI(entry.file) }, region: { startLine: entry.line } } },
  ],
  partialFingerprints: { 'caseAndRequirement/v1': entry.fingerprint },
  // What is expected or a known deviation is told and explained, and asks for no attention.
  ...(entry.excuse === undefined ? {} : { suppressions: [{ kind: 'external', justification: entry.excuse }] }),
});
