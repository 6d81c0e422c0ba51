import type { Moment } from '../../harness/verdict/frameworks/prediction.ts';

/** What JAX did with a plugin. */
export interface Observation {
  /** refuses: an exception; aborts: the process died or was killed; wrong: an incorrect result. */
  outcome: 'works' | 'refuses' | 'aborts' | 'wrong';
  /** Phase in which it stopped. */
  moment?: Moment;
  /** The exception, or what was wrong, or how the process ended. */
  message?: string;
  /** Last lines of output, if they say more than the exception. */
  stderr?: string;
}

/** How the process of session.py ended. */
export interface Ending {
  exitCode: number | null;
  signal: string | null;
  timedOut: boolean;
  stderr: string;
}

interface Line {
  begins?: Moment;
  failed?: string;
  wrong?: string;
}

const KEPT_LINES = 6;

/** Interprets the output of session.py and how its process ended. */
export function observe(log: string, { exitCode, signal, timedOut, stderr }: Ending): Observation {
  const lines = log
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Line);
  const moment = lines.findLast((line) => line.begins !== undefined)?.begins ?? 'import';
  const failed = lines.find((line) => line.failed !== undefined)?.failed;
  if (failed !== undefined) return { outcome: 'refuses', moment, message: failed };
  const wrong = lines.find((line) => line.wrong !== undefined)?.wrong;
  if (wrong !== undefined) return { outcome: 'wrong', moment, message: wrong };
  if (!timedOut && exitCode === 0) return { outcome: 'works' };
  return {
    outcome: 'aborts',
    moment,
    message: timedOut ? 'it hung' : signal === null ? `exit code ${exitCode}` : signal,
    stderr: stderr.trimEnd().split('\n').slice(-KEPT_LINES).join('\n'),
  };
}
