import type { ExitCode, ExitName } from '../../verdict/exit-codes.ts';
import { exitCode } from '../../verdict/exit-codes.ts';
import { blame, type Interference } from './blame.ts';
import type { Cell, CellStatus } from './cell.ts';
import type { StaticNote } from './static-notes.ts';

/** A plugin of the matrix. */
export interface Subject {
  name: string;
  library: string;
  sha256: string;
  apiVersion?: string;
  /** It is only a partner of the others. */
  control?: true;
}

/** What is known about plugins in one process. */
export interface Matrix {
  version: string;
  tool: { name: string; version: string };
  startedAt: string;
  host: string;
  plugins: Subject[];
  cells: Cell[];
  interferences: Interference[];
  /** What the files show without loading them. */
  static: StaticNote[];
  exitCode: ExitCode;
  verdict: ExitName;
  line: string;
}

/** Version of schemas/coexistence.schema.json. */
const MATRIX_VERSION = '1.0';

/** The matrix that some cells add up to. */
export function matrixOf(
  of: Pick<Matrix, 'tool' | 'startedAt' | 'host' | 'plugins' | 'cells' | 'static'>,
  { interrupted }: { interrupted: boolean },
): Matrix {
  const interferences = blame(of.cells);
  const verdict = verdictOf(of.cells, interrupted);
  return {
    version: MATRIX_VERSION,
    ...of,
    interferences,
    exitCode: exitCode(verdict),
    verdict,
    line: lineOf(of.cells, interferences, verdict),
  };
}

function verdictOf(cells: readonly Cell[], interrupted: boolean): ExitName {
  const some = (...statuses: CellStatus[]) => cells.some(({ status }) => statuses.includes(status));
  if (interrupted) return 'interrupted';
  if (some('fail')) return 'fails';
  if (some('error')) return 'internal-error';
  return some('pass', 'warn', 'known') ? 'passes' : 'unusable';
}

function lineOf(cells: readonly Cell[], interferences: readonly Interference[], verdict: ExitName): string {
  const count = (...statuses: CellStatus[]) => cells.filter(({ status }) => statuses.includes(status)).length;
  const parts = [
    [count('pass', 'warn'), 'pass'],
    [count('known'), 'show only known deviations'],
    [count('no-client'), 'pass as far as they go without a client of each plugin'],
    [count('fail'), 'fail'],
    [count('impossible'), 'are impossible'],
    [count('error'), 'have no result'],
  ] as const;
  const counted = parts.filter(([n]) => n > 0).map(([n, what]) => `${n} ${what}`);
  const failing = interferences.filter(({ level }) => level === 'fail');
  const culprits = [...new Set(failing.map(({ culprit }) => culprit ?? 'nobody in particular'))];
  const blamed = failing.length > 0 ? `; to blame: ${culprits.join(', ')}` : '';
  return `${verdict}: of ${cells.length} arrangements ${counted.join(', ')}${blamed}`;
}

/** The cell of an ordered pair of a matrix, of a plugin with itself, or alone. */
export const cellsAt = (cells: readonly Cell[], first: string, second: string): Cell[] =>
  cells.filter(
    ({ company, plugins }) =>
      company !== 'all' && plugins.length === 2 && plugins[0] === first && plugins[1] === second,
  );
