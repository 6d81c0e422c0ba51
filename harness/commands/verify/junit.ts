import sax from 'sax';
import type { VerifiedCase } from './cases.ts';
import type { Outcome } from './outcome.ts';
import type { AddViolation, Say } from './rules.ts';

const COUNTED = { tests: 'testcase', failures: 'failure', errors: 'error', skipped: 'skipped' } as const;

interface Element {
  name: string;
  attributes: Record<string, string>;
  /** Number of elements of each name below it. */
  below: Record<string, number>;
}

/** Compares a JUnit file with the log: cases, totals, and what is red. */
export function checkJunit(
  content: Buffer,
  name: string,
  cases: ReadonlyMap<string, VerifiedCase>,
  outcome: Outcome,
  addViolation: AddViolation,
): void {
  const say: Say = (what) => addViolation('report-junit', name, what);
  const wanted = new Map(
    [...cases.values()].map((item) => [`pjrt.${item.suite.replaceAll('/', '.')}\0${item.name}`, item]),
  );
  const seen = new Set<string>();
  let red = 0;
  const close = (element: Element): void => {
    if (element.name === 'testsuite' || element.name === 'testsuites') checkTotals(element, say);
    if (element.name !== 'testcase') return;
    const isRed = 'failure' in element.below || 'error' in element.below;
    if (isRed) red++;
    const { classname = '', name: title = '' } = element.attributes;
    // Cases of the harness itself and of framework releases are in no plan.
    if (classname === 'pjrt.harness' || classname === 'pjrt.framework') return;
    const key = `${classname}\0${title}`;
    const item = wanted.get(key);
    if (!item) say(`${classname} ${title} is not a case of the log`);
    else if (seen.has(key)) say(`${item.id} occurs twice`);
    else if (isRed !== isRedInLog(item, outcome)) {
      say(`${item.id} is ${isRed ? 'red' : 'no failure'}, in the log it is ${item.result?.status ?? 'notrun'}`);
    }
    seen.add(key);
  };
  const fault = readXml(content, close);
  if (fault !== undefined) {
    say(fault);
    return;
  }
  for (const [key, { id }] of wanted) if (!seen.has(key)) say(`${id} is missing`);
  if (red > 0 !== (outcome.exitCode !== 0)) {
    say(`${red} cases contain a failure, and the exit code of the run is ${outcome.exitCode}`);
  }
}

const isRedInLog = ({ id, result }: VerifiedCase, { failing }: Outcome): boolean =>
  failing.has(id) || result?.status === 'error';

function checkTotals(element: Element, say: Say): void {
  for (const [attribute, below] of Object.entries(COUNTED)) {
    const said = element.attributes[attribute];
    const is = element.below[below] ?? 0;
    if (said !== undefined && Number(said) !== is)
      say(`${element.attributes.name}: ${attribute} is ${said}, there are ${is}`);
  }
}

/** Reads the file element by element; `closed` is called at the end of each. Returns what is wrong with the XML. */
function readXml(content: Buffer, closed: (element: Element) => void): string | undefined {
  const stack: Element[] = [];
  const xml = sax.parser(true);
  let fault: string | undefined;
  let root = '';
  xml.onerror = (error) => {
    fault ??= `not XML: ${error.message.split('\n')[0]}`;
  };
  // A document type can redefine the text: the format has none.
  xml.ondoctype = () => {
    fault ??= 'it has a document type';
  };
  xml.onopentag = ({ name, attributes }) => {
    root ||= name;
    stack.push({ name, attributes: attributes as Record<string, string>, below: Object.create(null) });
  };
  xml.onclosetag = () => {
    const element = stack.pop()!;
    const above = stack.at(-1);
    if (above) {
      above.below[element.name] = (above.below[element.name] ?? 0) + 1;
      for (const [name, count] of Object.entries(element.below)) above.below[name] = (above.below[name] ?? 0) + count;
    }
    if (!fault) closed(element);
  };
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for (let at = 0; at < content.length && !fault; at += 1 << 16) {
      xml.write(decoder.decode(content.subarray(at, at + (1 << 16)), { stream: true }));
    }
    if (!fault) xml.close();
  } catch (error) {
    fault ??= `not XML: ${(error as Error).message.split('\n')[0]}`;
  }
  if (!fault && root !== 'testsuites') fault = `the root is ${root || 'missing'}, expected testsuites`;
  return fault;
}
