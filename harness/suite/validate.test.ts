import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { packagePath } from '../base/paths.ts';
import { listCases } from './list-cases.ts';
import { loadSets } from './load.ts';
import { readSample, SAMPLE_REQUIREMENTS, sampleCase } from './sample-suite.test-helper.ts';
import { formatValidation, validateSuites } from './validate.ts';

const directory = mkdtempSync(join(tmpdir(), 'suite-validate-'));
afterAll(() => rmSync(directory, { recursive: true }));

test('problems are counted and printed', () => {
  const suites = join(directory, 'suites');
  mkdirSync(suites);
  const good = sampleCase('matrix: {n: [1, 2]}\nsteps: [{probe: event-on-ready}]');
  writeFileSync(join(suites, 'sample.yaml'), good);
  writeFileSync(join(suites, 'bad.yaml'), good.replace('suite: sample', 'suite: bad').replace('probe:', 'prob:'));
  const found = validateSuites([suites], {}, { requirements: SAMPLE_REQUIREMENTS });
  expect(formatValidation(found).replaceAll(directory, '')).toMatchInlineSnapshot(`
    "/suites/bad.yaml:8:14: cases[0].steps[0]: unknown verb "prob"
        expected: one of run, data, program, recorded, rounds, pending, complete, listen, heard, put, get, compile, execute, call, valid-call, layout, read, decode, expect, observe, await, destroy, client, for-each, repeat, soak, on-threads, if-offered, probe
        help: did you mean "probe"?
    1 valid suite, 2 valid cases, 1 problem
    "
  `);
  const unknown = validateSuites(
    [join(suites, 'sample.yaml')],
    { probes: new Map([['other', { checks: 'It is another.', with: {} }]]) },
    { requirements: SAMPLE_REQUIREMENTS },
  );
  expect(unknown.problems.map((p) => p.message)).toEqual(['unknown probe "event-on-ready"']);
});

test('the shared sets are valid', () => {
  const sets = loadSets(packagePath('suites', 'sets.yaml'));
  expect(sets.get('dtypes.storage')).toHaveLength(15);
  expect([...sets.keys()]).toContain('shapes.small');
});

const { cases } = readSample(`suite: sample
description: A sample.
cases:
  - {id: copy, description: It copies., covers: [BUF-HOST-002, BUF-HOST-005], tags: [smoke], isolation: process, matrix: {shape: [[], [2, 3]]}, steps: [{probe: event-on-ready}]}
  - {id: look, description: It looks., covers: [CLI-LKP-002], client: none, steps: [{probe: event-on-ready}]}
`);

test('a list as text', () => {
  expect(listCases(cases)).toMatchInlineSnapshot(`
    "sample (3)
      copy  [must, BUF-HOST-002 BUF-HOST-005, #smoke, own process]  It copies.
        sample:copy[shape=scalar]
        sample:copy[shape=2x3]
      look  [must, CLI-LKP-002, no client]  It looks.

    3 cases
    "
  `);
  expect(listCases([])).toBe('\n0 cases\n');
});

test('a list as JSON', () => {
  expect(listCases(cases, 'ids')).toBe('sample:copy[shape=scalar]\nsample:copy[shape=2x3]\nsample:look\n');
  expect(JSON.parse(listCases(cases, 'json'))[1]).toMatchObject({
    id: 'sample:copy[shape=2x3]',
    params: { shape: [2, 3] },
    steps: 1,
  });
});
