import type { Run } from '../model/run.ts';
import { causeIndex, type NumberedCause } from '../verdict/cause-index.ts';
import { exercised } from '../verdict/exercised.ts';
import { causeLine, causeWithEffect } from './cause-lines.ts';
import type { ReportOptions } from './format.ts';
import { sourceLink, withSource } from './requirement-source.ts';
import { type Violation, violations } from './violations.ts';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/** Violated requirements as SARIF 2.1.0: a rule is a requirement, a result a case that violates it. */
export function writeSarif(run: Run, write: (chunk: string) => void, options: ReportOptions = {}): void {
  const violated = [...violations(run)];
  const { causes, of } = causeIndex(run);
  const rules = [...new Set(violated.map(({ requirement }) => requirement))].sort();
  const log = {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: run.header?.tool.name ?? 'pjrt-conformance',
            version: run.header?.tool.version ?? '',
            rules: rules.map((id) => ruleOf(id, options)),
          },
        },
        invocations: [
          { executionSuccessful: run.footer !== undefined && !run.footer.interrupted, exitCode: run.footer?.exitCode },
        ],
        results: violated.map((entry) => resultOf(entry, rules.indexOf(entry.requirement), of(entry.item.plan.id))),
        // Not part of the standard, but allowed in a property bag: what several results have in common.
        properties: { exercised: exercised(run), rootCauses: causes.map(causeWithEffect) },
      },
    ],
  };
  write(`${JSON.stringify(log, null, 1)}\n`);
}

/** A requirement: its sentence, its source, and where that is. */
function ruleOf(id: string, options: ReportOptions) {
  const [text, source] = [options.requirements?.get(id), options.bases?.get(id)];
  const link = source && sourceLink(source);
  return {
    id,
    ...(text === undefined ? {} : { shortDescription: { text } }),
    ...(link === undefined ? {} : { helpUri: link }),
    ...(source === undefined ? {} : { help: { text: withSource(id, options) } }),
  };
}

const resultOf = (entry: Violation, ruleIndex: number, cause: NumberedCause | undefined) => ({
  ruleId: entry.requirement,
  ruleIndex,
  level: entry.level === 'must' ? 'error' : 'warning',
  message: { text: `${entry.message}\nreproduce: ${entry.reproduce}` },
  locations: [
    { physicalLocation: { artifactLocation: { uri: encodeURI(entry.file) }, region: { startLine: entry.line } } },
  ],
  ...(cause ? { properties: { rootCause: cause.number, rootCauseText: causeLine(cause) } } : {}),
  partialFingerprints: { 'caseAndRequirement/v1': entry.fingerprint },
  // What is excused is included with its explanation, but suppressed.
  ...(entry.excuse === undefined ? {} : { suppressions: [{ kind: 'external', justification: entry.excuse }] }),
});
