import type { ComparisonOptions } from '../format.ts';
import { AS_IT_IS, type Testcase, type Testsuite, writeJunitDocument } from '../junit-document.ts';
import type { Change } from './change.ts';
import type { Comparison } from './compare.ts';
import { type ChangeGroup, fromTo, groups, numbersText, sideText } from './words.ts';

/**
 * The comparison as JUnit (schemas/junit-strict.xsd): one suite for each kind of change that fails the gate, with one failed
 * case for each change. A passing case has the rest, so that the file is never empty.
 */
export function writeJunit(comparison: Comparison, write: (chunk: string) => void, options: ComparisonOptions): void {
  const { old, new: now } = comparison;
  const suite = (name: string, cases: readonly Testcase[]): Testsuite<Testcase> => ({
    name,
    durationMs: 0,
    startedAt: options.fixedTime?.toISOString() ?? now.startedAt ?? new Date(0).toISOString(),
    hostname: now.host?.split(' ')[0] ?? 'unknown',
    properties: [
      ['pjrt.gate.old', sideText(old)],
      ['pjrt.gate.new', sideText(now)],
    ],
    cases,
    reader: AS_IT_IS,
  });
  const plugins = now.plugins.map(({ name }) => name).join('+');
  const failing = groups(comparison.changes.filter(({ action }) => action === 'fail'));
  const document = {
    name: ['pjrt-conformance gate', plugins].filter(Boolean).join(' '),
    durationMs: 0,
    suites: [
      suite('gate', [{ name: 'comparison', durationMs: 0, out: remarks(comparison) }]),
      ...failing.map((group) => suite(`gate.${group.kind}`, cases(group))),
    ],
  };
  writeJunitDocument(document, write);
}

function cases({ kind, title, changes }: ChangeGroup): Testcase[] {
  const seen = new Map<string, number>();
  return changes.map((change) => {
    const own = change.plugin ? `${change.subject} of ${change.plugin}` : change.subject;
    const time = (seen.get(own) ?? 0) + 1;
    seen.set(own, time);
    const message = [fromTo(change), change.message].filter(Boolean).join(': ');
    const body = `${title}: ${bodyOf(change, message)}`;
    const name = time === 1 ? own : `${own} (${time})`;
    return { name, durationMs: 0, element: 'failure', type: `pjrt.gate.${kind}`, message, body };
  });
}

function bodyOf({ detail = [], place, requirements = [], reproduce, caution }: Change, message: string): string {
  return [
    message,
    ...(place ? [` ${place}`] : []),
    ...(requirements.length > 0 ? [`requirement: ${requirements.join(', ')}`] : []),
    ...detail,
    ...(caution ? [`caution: ${caution}`] : []),
    ...(reproduce ? [`reproduce: ${reproduce}`] : []),
  ].join('\n');
}

const remarks = (comparison: Comparison): string => {
  const { gate, cautions, changes } = comparison;
  const numbers = numbersText(comparison);
  return [
    gate.line,
    ...(numbers ? [`numbers: ${numbers}`] : []),
    ...cautions.map((caution) => `caution: ${caution}`),
    ...changes
      .filter(({ action }) => action === 'warn')
      .map((change) => `WARNING: ${change.kind}: ${change.subject}: ${change.message}`),
  ].join('\n');
};
