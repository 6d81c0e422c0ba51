import { XmlWriter } from '../xml-writer.ts';
import type { Change } from './change.ts';
import type { Comparison } from './compare.ts';
import type { ComparisonOptions } from './format.ts';
import { type ChangeGroup, fromTo, groups, numbersText, sideText } from './words.ts';

/**
 * The comparison as JUnit (schemas/junit-strict.xsd): one suite for each kind of change that fails the gate, with one failed
 * case for each change. A passing case has the rest, so that the file is never empty.
 */
export function writeJunit(comparison: Comparison, write: (chunk: string) => void, options: ComparisonOptions): void {
  const failing = groups(comparison.changes.filter(({ action }) => action === 'fail'));
  const failures = comparison.gate.counts.fail;
  const xml = new XmlWriter(write);
  const plugins = comparison.new.plugins.map(({ name }) => name).join('+');
  const name = ['pjrt-conformance gate', plugins].filter(Boolean).join(' ');
  xml.element('testsuites', { name, tests: failures + 1, failures, errors: 0, time: '0.000' }, () => {
    suite(xml, comparison, options, 'gate', 0, 0, 1, () => {
      xml.element('testcase', { classname: 'pjrt.gate', name: 'comparison', time: '0.000' }, () =>
        xml.element('system-out', {}, remarks(comparison)),
      );
    });
    failing.forEach((group, index) => {
      const count = group.changes.length;
      suite(xml, comparison, options, `gate.${group.kind}`, index + 1, count, count, () => cases(xml, group));
    });
  });
  write('\n');
}

function suite(
  xml: XmlWriter,
  { old, new: now }: Comparison,
  { fixedTime }: ComparisonOptions,
  name: string,
  id: number,
  failures: number,
  tests: number,
  content: () => void,
): void {
  const timestamp = (fixedTime?.toISOString() ?? now.startedAt ?? new Date(0).toISOString()).slice(0, 19);
  const hostname = now.host?.split(' ')[0] ?? 'unknown';
  const counts = { tests, failures, errors: 0, skipped: 0, time: '0.000' };
  xml.element('testsuite', { name, ...counts, timestamp, hostname, id, package: 'pjrt' }, () => {
    xml.element('properties', {}, () => {
      xml.element('property', { name: 'pjrt.gate.old', value: sideText(old) });
      xml.element('property', { name: 'pjrt.gate.new', value: sideText(now) });
    });
    content();
  });
}

function cases(xml: XmlWriter, { kind, title, changes }: ChangeGroup): void {
  const seen = new Map<string, number>();
  for (const change of changes) {
    const own = change.plugin ? `${change.subject} of ${change.plugin}` : change.subject;
    const time = (seen.get(own) ?? 0) + 1;
    seen.set(own, time);
    const attributes = { classname: `pjrt.gate.${kind}`, name: time === 1 ? own : `${own} (${time})`, time: '0.000' };
    const way = fromTo(change);
    const message = [way, change.message].filter(Boolean).join(': ');
    xml.element('testcase', attributes, () =>
      xml.element('failure', { message, type: `pjrt.gate.${kind}` }, `${title}: ${body(change, message)}`),
    );
  }
}

function body({ detail = [], place, requirements = [], reproduce, caution }: Change, message: string): string {
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
