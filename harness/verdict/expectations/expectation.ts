import type { CaseExpectation } from '../../model/expectation.ts';

/** Conditions on a run for an entry to apply. Values are globs where docs/expectations.md says so. */
export interface Conditions {
  plugin?: string;
  sha256?: string;
  apiMinor?: { min?: number; max?: number };
  platformVersion?: string;
  os?: string;
  arch?: string;
  host?: string;
}

/** An entry of an expectations file. */
export interface Expectation extends Omit<CaseExpectation, 'outcome'> {
  /** Globs on case ids. */
  cases: string[];
  requirements: string[];
  /** Those of the file and its own; all must hold. */
  when: Conditions[];
}

/** An expectations file. */
export interface ExpectationsFile {
  /** Path as reports show it. */
  file: string;
  sha256: string;
  /** Conditions of all entries. */
  when: Conditions;
  entries: Expectation[];
}
