import { spawnSync } from 'node:child_process';
import { parse as parseJunit2json } from 'junit2json';
import { XmlDocument, type XmlElement } from 'libxml2-wasm';
import { parse as parseTestResults } from 'test-results-parser';
import convert from 'xml-js';
import { pythonWith } from './python-venv.ts';

/** A case as a reader shows it. */
export interface ReadCase {
  /** Class and name, or only the name if the reader has no classes. */
  name: string;
  outcome: 'passed' | 'failure' | 'error' | 'skipped';
  /** First line of its text about a case that did not pass. */
  shown?: string;
  /** Location of its annotation. */
  place?: string;
}

/** A file as a reader shows it; counts only if the reader has its own. */
interface Reading {
  cases: ReadCase[];
  counts?: { tests: number; failures: number; errors: number; skipped: number };
}

/** Programs that read JUnit files, and whether each needs a file or its text. */
export interface JunitReader {
  name: string;
  /** It has no classes. */
  namesOnly?: boolean;
  /** It does not distinguish failures from errors. */
  failuresOnly?: boolean;
  /** It decodes `&lt;` in text twice. */
  unescapesTwice?: boolean;
  /** The interpreter that it needs, which may be missing. */
  needs?: 'pip' | 'python3';
  read(path: string, xml: string): Promise<Reading> | Reading;
}

export const JUNIT_READERS: readonly JunitReader[] = [
  { name: 'junitparser (as EnricoMi/publish-unit-test-result)', needs: 'pip', read: readWithJunitparser },
  { name: 'expat', needs: 'python3', read: readWithExpat },
  { name: 'junit2json', read: (_, xml) => readWithJunit2json(xml) },
  {
    name: 'test-results-parser',
    namesOnly: true,
    failuresOnly: true,
    unescapesTwice: true,
    read: readWithTestResults,
  },
  { name: 'xml-js by the rules of mikepenz/action-junit-report', read: (_, xml) => readAsMikepenz(xml) },
  { name: 'libxml2 by the rules of GitLab', read: (_, xml) => readAsGitlab(xml) },
];

const firstLine = (text: string | undefined): string | undefined => text?.split('\n', 1)[0];

const caseName = (classname: string | undefined, name: string | undefined): string => `${classname}/${name}`;

const JUNITPARSER = `
import sys, json
from junitparser import JUnitXml, Failure, Error, Skipped
KINDS = {Failure: 'failure', Error: 'error', Skipped: 'skipped'}
xml = JUnitXml.fromfile(sys.argv[1])
cases = []
for suite in xml:
    for case in suite:
        entry = {'name': f'{case.classname}/{case.name}', 'outcome': 'passed'}
        for result in case.result:
            entry['outcome'] = KINDS[type(result)]
            entry['shown'] = (result.text or '').split('\\n')[0]
        cases.append(entry)
xml.update_statistics()
print(json.dumps({'cases': cases, 'counts': {
    'tests': xml.tests, 'failures': xml.failures, 'errors': xml.errors, 'skipped': xml.skipped}}))
`;

function readWithJunitparser(path: string): Reading {
  return python(pythonWith('junitparser-5.0.3', ['junitparser==5.0.3']), JUNITPARSER, path);
}

const EXPAT = `
import sys, json, xml.etree.ElementTree as E
root = E.parse(sys.argv[1]).getroot()
cases = []
for case in root.iter('testcase'):
    entry = {'name': f"{case.get('classname')}/{case.get('name')}", 'outcome': 'passed'}
    for kind in ('failure', 'error', 'skipped'):
        for element in case.findall(kind):
            entry['outcome'] = kind
            entry['shown'] = (element.text or '').split('\\n')[0]
    cases.append(entry)
counts = {key: sum(int(suite.get(key)) for suite in root) for key in ('tests', 'failures', 'errors', 'skipped')}
print(json.dumps({'cases': cases, 'counts': counts}))
`;

function readWithExpat(path: string): Reading {
  return python('python3', EXPAT, path);
}

function python(command: string, script: string, path: string): Reading {
  const { status, stdout, stderr, error } = spawnSync(command, ['-c', script, path], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(error?.message ?? stderr);
  return JSON.parse(stdout) as Reading;
}

async function readWithJunit2json(xml: string): Promise<Reading> {
  const parsed = await parseJunit2json(xml);
  if (!parsed || !('testsuite' in parsed)) throw new Error('junit2json finds no suites');
  const suites = parsed.testsuite ?? [];
  const sum = (key: 'tests' | 'failures' | 'errors' | 'skipped'): number =>
    suites.reduce((total, suite) => total + (suite[key] ?? 0), 0);
  return {
    counts: { tests: sum('tests'), failures: sum('failures'), errors: sum('errors'), skipped: sum('skipped') },
    cases: suites.flatMap((suite) =>
      (suite.testcase ?? []).map((item): ReadCase => {
        const name = caseName(item.classname, item.name);
        const [failure] = item.failure ?? [];
        const [error] = item.error ?? [];
        if (failure) return { name, outcome: 'failure', shown: firstLine(failure.inner) };
        if (error) return { name, outcome: 'error', shown: firstLine(error.inner) };
        const [skipped] = item.skipped ?? [];
        return skipped ? { name, outcome: 'skipped', shown: skipped.message } : { name, outcome: 'passed' };
      }),
    ),
  };
}

function readWithTestResults(path: string): Reading {
  const { suites } = parseTestResults({ type: 'junit', files: [path] });
  const outcomes: Record<string, ReadCase['outcome']> = { PASS: 'passed', FAIL: 'failure', SKIP: 'skipped' };
  return {
    cases: suites.flatMap(({ cases }) =>
      cases.map((item) => ({
        name: item.name,
        outcome: outcomes[item.status]!,
        ...(item.status === 'FAIL' ? { shown: item.failure } : {}),
      })),
    ),
  };
}

interface Compact {
  _attributes?: Record<string, string>;
  _text?: string | string[];
}
type CompactCase = Compact & Partial<Record<'failure' | 'error' | 'skipped', Compact | Compact[]>>;

const list = <T>(value: T | T[] | undefined): T[] => (value === undefined ? [] : ([value].flat() as T[]));

/**
 * Skipped wins over failures; each failure or error is an annotation of its own, with the message if there is one; the
 * location is that of the case, else the first ` path:line` in the text. A text in several pieces is printed with commas.
 */
function readAsMikepenz(xml: string): Reading {
  const { testsuites } = convert.xml2js(xml, { compact: true }) as {
    testsuites: { testsuite: Compact & { testcase: CompactCase | CompactCase[] } };
  };
  return {
    cases: list(testsuites.testsuite).flatMap((suite) =>
      list(suite.testcase).flatMap((item): ReadCase[] => {
        const { classname, name: own, file, line } = item._attributes ?? {};
        const name = caseName(classname, own);
        if (item.skipped) return [{ name, outcome: 'skipped', shown: list(item.skipped)[0]?._attributes?.message }];
        const problems = (['failure', 'error'] as const).flatMap((outcome) =>
          list(item[outcome]).map((problem): ReadCase => {
            const text = list(problem._text).join(',');
            const [, found] = / (\S+:\d+)\s/.exec(text) ?? [];
            const place = file && line ? `${file}:${line}` : found;
            return { name, outcome, shown: problem._attributes?.message ?? firstLine(text), place };
          }),
        );
        return problems.length > 0 ? problems : [{ name, outcome: 'passed' }];
      }),
    ),
  };
}

/** Values of `type` that make its converter misinterpret the element, or fail. */
const CAST = new Set(
  'yaml symbol integer float boolean date datetime file array string decimal binary base64Binary hexBinary double duration'.split(
    ' ',
  ),
);

/**
 * Failures before errors before skipped; only the text is shown; of cases with equal class, name and file the first is kept.
 */
function readAsGitlab(xml: string): Reading {
  using document = XmlDocument.fromString(xml);
  const seen = new Set<string>();
  const cases: ReadCase[] = [];
  for (const item of document.find('//testcase') as XmlElement[]) {
    const of = (attribute: string): string | undefined => item.attr(attribute)?.value;
    const name = caseName(of('classname'), of('name'));
    const identity = `${name} ${of('file')}`;
    if (seen.has(identity)) continue;
    seen.add(identity);
    const problem = (['failure', 'error', 'skipped'] as const)
      .map((outcome) => ({ outcome, element: item.find(outcome)[0] as XmlElement | undefined }))
      .find(({ element }) => element);
    if (!problem) cases.push({ name, outcome: 'passed' });
    else {
      if (CAST.has(problem.element!.attr('type')?.value ?? '')) throw new Error(`${name}: a type that is converted`);
      cases.push({ name, outcome: problem.outcome, shown: firstLine(problem.element!.content) });
    }
  }
  return { cases };
}
