import { createHash } from 'node:crypto';
import { didYouMean } from '../../base/did-you-mean.ts';
import { systemReason } from '../../base/system-reason.ts';
import { readTextFile } from '../../base/text-file.ts';
import type { Status } from '../../model/status.ts';
import { checkedDocument } from '../../suite/checked-document.ts';
import type { DocumentPath, LocatedYaml } from '../../suite/located-yaml.ts';
import { formatPath, SuiteError, type SuiteProblem, throwIfAny } from '../../suite/problem.ts';
import { loadRequirements } from '../../suite/requirements.ts';
import type { Conditions, Expectation, ExpectationsFile } from './expectation.ts';

/** An entry as it is written. */
interface RawEntry
  extends Partial<Pick<Expectation, 'requirements'>>,
    Pick<Expectation, 'reason' | 'issue' | 'owner' | 'expires'> {
  cases: string | string[];
  expect: Status | Status[];
  when?: Conditions;
}

interface RawFile {
  when?: Conditions;
  expectations: RawEntry[];
}

/**
 * Reads an expectations file.
 * @param shown its path in reports and errors
 * @throws SuiteError with every problem at `file:line:column`
 */
export function readExpectations(path: string, shown: string = path): ExpectationsFile {
  let text: string;
  try {
    text = readTextFile(path);
  } catch (error) {
    const help = '--update-expectations creates it from a run';
    throw new SuiteError([{ file: shown, path: '', message: `cannot be read: ${systemReason(error)}`, help }]);
  }
  return parseExpectations(text, shown);
}

/** Parses the text of an expectations file. @throws SuiteError */
export function parseExpectations(text: string, file: string): ExpectationsFile {
  const document = checkedDocument(text, file, 'expectations.schema.json');
  const raw = document.value as RawFile;
  throwIfAny([
    ...conditionProblems(document, raw.when, ['when']),
    ...raw.expectations.flatMap((entry, at) => entryProblems(document, entry, ['expectations', at])),
  ]);
  return {
    file,
    sha256: createHash('sha256').update(text).digest('hex'),
    when: raw.when ?? {},
    entries: raw.expectations.map((entry, at) => toExpectation(document, raw, entry, at)),
  };
}

function toExpectation(document: LocatedYaml, raw: RawFile, entry: RawEntry, at: number): Expectation {
  const { requirements = [], issue, owner, expires } = entry;
  return {
    file: document.file,
    line: document.at(['expectations', at]).line,
    cases: [entry.cases].flat(),
    expect: [entry.expect].flat(),
    reason: entry.reason.trim(),
    ...{ requirements, issue, owner, expires },
    when: [raw.when, entry.when].filter((conditions) => conditions !== undefined),
  };
}

function entryProblems(document: LocatedYaml, entry: RawEntry, path: DocumentPath): SuiteProblem[] {
  const problem = problemsOf(document, path);
  const found = conditionProblems(document, entry.when, [...path, 'when']);
  if (entry.reason.trim() === '') found.push(problem(['reason'], 'empty text', { expected: 'why it is expected' }));
  if (entry.expires !== undefined && !isDay(entry.expires)) {
    found.push(problem(['expires'], 'no such date', { expected: 'a date, YYYY-MM-DD', got: entry.expires }));
  }
  for (const [at, id] of (entry.requirements ?? []).entries()) {
    const known = loadedRequirements();
    if (!known.has(id)) {
      const help = didYouMean(id, known.keys()) ?? 'suites/requirements.yaml lists all requirements';
      found.push(problem(['requirements', at], `there is no requirement ${JSON.stringify(id)}`, { help }));
    }
  }
  return found;
}

function conditionProblems(
  document: LocatedYaml,
  { apiMinor }: Conditions = {},
  path: DocumentPath = [],
): SuiteProblem[] {
  const { min = 0, max = Number.POSITIVE_INFINITY } = apiMinor ?? {};
  if (min <= max) return [];
  const expected = 'min at most max';
  return [problemsOf(document, path)(['apiMinor'], 'the range is empty', { expected, got: `${min} to ${max}` })];
}

const problemsOf =
  (document: LocatedYaml, base: DocumentPath) =>
  (path: DocumentPath, message: string, rest: Partial<SuiteProblem> = {}): SuiteProblem => ({
    file: document.file,
    position: document.at([...base, ...path]),
    path: formatPath([...base, ...path]),
    message,
    ...rest,
  });

let requirements: ReturnType<typeof loadRequirements> | undefined;

// Loaded only if a file names requirements, because it is large.
const loadedRequirements = (): NonNullable<typeof requirements> => (requirements ??= loadRequirements());

/** Whether a text such as 2026-02-30 is a valid date. */
const isDay = (text: string): boolean => {
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
};
