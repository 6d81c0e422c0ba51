/** One thing that `doctor` looked at. */
export interface Finding {
  /** Stable name of the check, such as `needed-library`. */
  id: string;
  /** `error`: may be the cause; `warning`: may matter; `info`: good to know; `ok`: looked at and found in order. */
  severity: 'error' | 'warning' | 'info' | 'ok';
  /** One line. */
  what: string;
  /** What was seen, a line each. */
  evidence: string[];
  /** What to do next. */
  next?: string;
}

/** A finding, with what was seen and what to do next. */
export const finding = (
  id: string,
  severity: Finding['severity'],
  what: string,
  evidence: string[] = [],
  next?: string,
): Finding => ({ id, severity, what, evidence, ...(next === undefined ? {} : { next }) });

const ORDER = ['error', 'warning', 'info', 'ok'] as const;

/** Most likely cause first: errors before all else, and of equals the one that comes earlier on the way to a client. */
export const ordered = (findings: readonly Finding[]): Finding[] =>
  [...findings].sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
