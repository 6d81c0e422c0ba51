import { createHash } from 'node:crypto';
import type { Waiver } from '../../model/judgement.ts';
import type { Expectation, ExpectationsFile } from '../../verdict/expectations/expectation.ts';

/** What can be waived. A case that no longer fails needs no waiver, and its waiver is not stale while other cases use it. */
const WAIVABLE: Expectation['expect'] = ['fail', 'crash', 'timeout', 'flaky'];

/** Waivers as the expectations of a run, so that no report shows a waived case as a failure. */
export const waiverExpectations = (file: string, text: string, waivers: readonly Waiver[]): ExpectationsFile => ({
  file,
  sha256: createHash('sha256').update(text).digest('hex'),
  when: {},
  entries: waivers.map(({ line, cases, reason, url, expires }) => ({
    file,
    line,
    cases,
    expect: WAIVABLE,
    reason,
    requirements: [],
    issue: url,
    expires,
    when: [],
    waived: true,
  })),
});
