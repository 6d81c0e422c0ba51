import { AS_IT_IS, type Testcase, type Testsuite, writeJunitDocument } from '../../report/junit-document.ts';
import type { Cell } from './cell.ts';
import type { Matrix } from './matrix.ts';
import { cellTitle, culpritText, evidenceText } from './words.ts';

/**
 * The matrix as JUnit (schemas/junit-strict.xsd): one suite for each cell. Its first test case is the cell itself, with an
 * error or a skip if it has no result; each failing case of it follows, with its culprit.
 */
export function writeJunit(matrix: Matrix, write: (chunk: string) => void): void {
  const name = `pjrt-conformance coexistence ${matrix.plugins.map((plugin) => plugin.name).join('+')}`;
  writeJunitDocument({ name, durationMs: 0, suites: matrix.cells.map((cell) => suiteOf(matrix, cell)) }, write);
}

const suiteOf = (matrix: Matrix, cell: Cell): Testsuite<Testcase> => ({
  name: `coexistence.${junitName(cell.name)}`,
  durationMs: cell.durationMs,
  startedAt: matrix.startedAt,
  hostname: matrix.host,
  properties: [
    ['pjrt.coexistence.plugins', cell.plugins.join(', ')],
    ['pjrt.coexistence.company', cell.company],
  ],
  cases: [cellCase(cell), ...failuresOf(matrix, cell)],
  reader: AS_IT_IS,
});

/** Names of suites have no other characters than letters, digits and `_.-`. */
const junitName = (name: string): string => name.replace('+', '.then.').replace(/[^A-Za-z0-9_.-]/g, '_');

function cellCase(cell: Cell): Testcase {
  const base = { name: cellTitle(cell), durationMs: cell.durationMs };
  if (cell.status === 'error') return { ...base, element: 'error', type: 'pjrt.coexistence', message: cell.line };
  return cell.status === 'impossible'
    ? { ...base, element: 'skipped', message: cell.line }
    : { ...base, out: cell.line };
}

function failuresOf({ interferences }: Matrix, cell: Cell): Testcase[] {
  const byCase = new Map<string, Testcase>();
  for (const item of interferences) {
    const { where, type } = item;
    const trouble = cell.troubles.find((t) => t.level === 'fail' && t.where === where && t.type === type);
    if (item.level !== 'fail' || !item.cells.includes(cell.name) || !trouble) continue;
    const text = [
      trouble.message,
      `to blame: ${culpritText(item)} (${evidenceText(item)})`,
      ...(item.requirements.length > 0 ? [`requirement: ${item.requirements.join(', ')}`] : []),
      ...(trouble.detail === undefined ? [] : [trouble.detail]),
      `reproduce: ${cell.reproduce}`,
    ].join('\n');
    const known = byCase.get(where);
    const message = `${trouble.message} (to blame: ${culpritText(item)})`;
    const fresh: Testcase = { name: where, durationMs: 0, element: 'failure', type, message, body: text };
    byCase.set(where, known ? { ...known, body: `${known.body}\n\n${text}` } : fresh);
  }
  return [...byCase.values()];
}
