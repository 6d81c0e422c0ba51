import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { packagePath } from '../../harness/base/paths.ts';
import { vocabulary } from '../../harness/run/suites/vocabulary.ts';
import { loadSets, readSuite } from '../../harness/suite/load.ts';
import { loadRequirements, parseRequirements } from '../../harness/suite/requirements.ts';
import { newCase } from './case.ts';
import { newFault } from './fault.ts';
import { newProbe } from './probe.ts';
import { newReportField } from './report-field.ts';
import { newRequirement } from './requirement.ts';
import type { Scaffold } from './scaffold.ts';

const read = (path: string): string | undefined =>
  existsSync(packagePath(path)) ? readFileSync(packagePath(path), 'utf8') : undefined;

/** What a scaffold adds to a file: one piece of text; all else stays as it is. */
function added({ files }: Scaffold, path: string): string {
  const [before, now] = [read(path)!, files[path]!];
  let start = 0;
  while (before[start] === now[start] && start < before.length) start++;
  const piece = now.slice(start, now.length - before.length + start);
  expect(before).toBe(now.slice(0, start) + now.slice(start + piece.length));
  return piece;
}

const sentence = { api: 'Buffer_ReadyEvent', text: 'It: is one.', source: 'pjrt_c_api.h: one' };
const requirement = () => newRequirement('BUF-HOST', sentence, read);

test('a requirement gets the next number of its group', () => {
  const made = requirement();
  expect(added(made, 'suites/requirements.yaml')).toContain('text: "It: is one."');
  const all = [...parseRequirements(made.files['suites/requirements.yaml']!, 'suites/requirements.yaml').values()];
  const [newest] = all.filter(({ id }) => !loadRequirements().has(id));
  const before = all.findLast(({ id }) => id.startsWith('BUF-HOST-') && id !== newest!.id)!;
  expect(newest).toMatchObject({ ...sentence, level: 'must', area: before.area });
  expect(Number(newest!.id.slice(-3))).toBe(Number(before.id.slice(-3)) + 1);
});

describe('a case', () => {
  const covers = 'BUF-HOST-001';

  test.each([
    ['in a suite that is there', 'buffers/host-transfer', {}],
    ['in a new suite', 'buffers/never-tested', { about: 'What was never tested: one thing.' }],
  ])('is valid as it is written: %s', (_, suite, about) => {
    const { files } = newCase(`${suite}:is-new`, { covers, ...about }, read);
    const file = `suites/${suite}.yaml`;
    const { problems, suite: made } = readSuite(files[file]!, {
      file,
      id: suite,
      requirements: loadRequirements(),
      sets: loadSets(),
      vocabulary: vocabulary(),
    });
    expect(problems).toEqual([]);
    expect(made!.cases.map(({ id }) => id)).toContain(`${suite}:is-new`);
  });
});

test('a fault is in the catalogue and in its source', () => {
  const options = { area: 'events', file: 'events.cc', function: 'PJRT_Event_Await', breaks: 'EVT-AWT-001' };
  const made = newFault('event-of-a-test', { ...options, defect: 'It is late.', suites: 'events/*' }, read);
  expect(added(made, 'plugins/faults/events.cc')).toContain('FAULT("event-of-a-test") {');
  expect(added(made, 'plugins/faults/catalogue.yaml')).toMatch(/^ *event-of-a-test:\n +defect: It is late\.$/m);
});

test('a probe is a file of its own, with its sentence', () => {
  const { files } = newProbe('events/event-of-a-test', { text: 'An event is one' }, read);
  expect(files['harness/worker/probes/events/event-of-a-test.ts']).toContain(
    "/** An event is one. */\nexport const eventOfATest = probe('event-of-a-test'",
  );
});

test('a field of a report is a member of its type', () => {
  const made = newReportField('ofATest', { of: 'HeaderEvent', text: 'What it is', type: 'number' }, read);
  expect(added(made, 'harness/model/events.ts')).toContain('  ofATest?: number;\n');
  expect(() => newReportField('a', { of: 'Header', text: 'x' }, read)).toThrow(/one of PlannedCase/);
});

test.each([
  [
    'a requirement without its source',
    () => newRequirement('BUF-HOST', { ...sentence, source: undefined }, read),
    /--source is missing/,
  ],
  ['a requirement with a number', () => newRequirement('BUF-HOST-001', sentence, read), /id without its number/],
  ['a field of an unknown type', () => newReportField('a', { of: 'Header', text: 'x' }, read), /one of PlannedCase/],
  ['a case without a suite', () => newCase('is-new', {}, read), /suite\/path:case-id/],
])('%s is an error that says what to write', (_, make, message) => {
  expect(make).toThrow(message);
});
