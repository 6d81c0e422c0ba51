import { XmlWriter } from '../../report/xml-writer.ts';
import type { Cell } from './cell.ts';
import type { Matrix } from './matrix.ts';
import { cellTitle, culpritText, evidenceText } from './words.ts';

/**
 * The matrix as JUnit (schemas/junit-strict.xsd): one suite for each cell. Its first test case is the cell itself, with an
 * error or a skip if it has no result; each failing case of it follows, with its culprit.
 */
export function writeJunit(matrix: Matrix, write: (chunk: string) => void): void {
  const xml = new XmlWriter(write);
  const suites = matrix.cells.map((cell) => ({ cell, failures: failuresOf(matrix, cell) }));
  const totals = {
    tests: suites.reduce((sum, { failures }) => sum + 1 + failures.length, 0),
    failures: suites.reduce((sum, { failures }) => sum + failures.length, 0),
    errors: suites.filter(({ cell }) => cell.status === 'error').length,
  };
  const names = matrix.plugins.map(({ name }) => name).join('+');
  xml.element('testsuites', { name: `pjrt-conformance coexistence ${names}`, ...totals, time: '0.000' }, () => {
    for (const [id, { cell, failures }] of suites.entries()) suiteOf(xml, matrix, cell, failures, id);
  });
  write('\n');
}

interface Failure {
  where: string;
  message: string;
  text: string;
  type: string;
}

function failuresOf({ interferences }: Matrix, cell: Cell): Failure[] {
  const byCase = new Map<string, Failure>();
  for (const item of interferences) {
    const trouble = cell.troubles.find((t) => t.level === 'fail' && t.where === item.where && t.type === item.type);
    if (item.level !== 'fail' || !item.cells.includes(cell.name) || !trouble) continue;
    const { where } = item;
    const text = [
      trouble.message,
      `to blame: ${culpritText(item)} (${evidenceText(item)})`,
      ...(item.requirements.length > 0 ? [`requirement: ${item.requirements.join(', ')}`] : []),
      ...(trouble.detail === undefined ? [] : [trouble.detail]),
      `reproduce: ${cell.reproduce}`,
    ].join('\n');
    const known = byCase.get(where);
    const message = `${trouble.message} (to blame: ${culpritText(item)})`;
    byCase.set(
      where,
      known ? { ...known, text: `${known.text}\n\n${text}` } : { where, message, text, type: item.type },
    );
  }
  return [...byCase.values()];
}

/** Names of suites have no other characters than letters, digits and `_.-`. */
const junitName = (name: string): string => name.replace('+', '.then.').replace(/[^A-Za-z0-9_.-]/g, '_');

function suiteOf(xml: XmlWriter, matrix: Matrix, cell: Cell, failures: readonly Failure[], id: number): void {
  const time = (cell.durationMs / 1000).toFixed(3);
  const errors = cell.status === 'error' ? 1 : 0;
  const skipped = cell.status === 'impossible' ? 1 : 0;
  const counts = { tests: 1 + failures.length, failures: failures.length, errors, skipped, time };
  const attributes = { timestamp: matrix.startedAt.slice(0, 19), hostname: matrix.host, id, package: 'pjrt' };
  const name = junitName(cell.name);
  xml.element('testsuite', { name: `coexistence.${name}`, ...counts, ...attributes }, () => {
    xml.element('properties', {}, () => {
      xml.element('property', { name: 'pjrt.coexistence.plugins', value: cell.plugins.join(', ') });
      xml.element('property', { name: 'pjrt.coexistence.company', value: cell.company });
    });
    const classname = `pjrt.coexistence.${name}`;
    xml.element('testcase', { classname, name: cellTitle(cell), time }, () => {
      if (errors) xml.element('error', { message: cell.line, type: 'pjrt.coexistence' }, cell.line);
      else if (skipped) xml.element('skipped', { message: cell.line });
      else xml.element('system-out', {}, cell.line);
    });
    for (const { where, message, text, type } of failures) {
      xml.element('testcase', { classname, name: where, time: '0.000' }, () =>
        xml.element('failure', { message, type }, text),
      );
    }
  });
}
