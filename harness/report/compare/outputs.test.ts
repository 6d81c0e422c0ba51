import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { validateJunit } from '../../../tests/support/junit-schemas.ts';
import { packagePath } from '../../base/paths.ts';
import { foldRun } from '../../model/run.ts';
import { everyStatus, facts, footer, header, result, suiteEvents } from '../../model/sample-log.test-helper.ts';
import { type Comparison, compareRuns } from './compare.ts';
import { COMPARISON_FORMATS } from './formats.ts';
import { MARKDOWN_LIMIT } from './markdown.ts';
import { DEFAULT_POLICY } from './policy.ts';
import type { NamedRun } from './side.ts';
import { comparisonLines } from './text.ts';

const passing = (): NamedRun => ({
  name: 'old/events.jsonl',
  run: foldRun([
    ...everyStatus().map((event) =>
      event.type === 'case' ? { ...event, result: result('pass', { callMs: { PJRT_Client_Compile: 3 } }) } : event,
    ),
  ]),
});
const failing = (): NamedRun => ({ name: 'new/events.jsonl', run: foldRun(everyStatus()) });

const sample = (): Comparison => compareRuns([passing()], [failing()], DEFAULT_POLICY);

/** Hostile text in every field that a plugin or a suite controls. */
const HOSTILE = '`"<script>&\u0000\u001b[31m</details>\n| a | ]]> \ud800';

function hostile(cases: number, detail = 0): Comparison {
  const side = (status: 'pass' | 'fail'): NamedRun => ({
    name: HOSTILE,
    run: foldRun([
      header({ tool: { name: HOSTILE, version: HOSTILE }, reproduce: HOSTILE }),
      { type: 'plugin', plugin: facts({ name: HOSTILE, attributes: { [HOSTILE]: status } }) },
      ...suiteEvents(
        's',
        Array.from({ length: cases }, (_, i) => ({
          name: `case ${i} ${HOSTILE}`,
          result: result(status, {
            findings:
              status === 'fail'
                ? [{ type: 'x', level: 'must' as const, message: HOSTILE, detail: `${HOSTILE}\n`.repeat(detail) }]
                : [],
          }),
        })),
      ),
      footer(),
    ]),
  });
  return compareRuns([side('pass')], [side('fail')], DEFAULT_POLICY);
}

async function written(comparison: Comparison, name: string): Promise<string> {
  const format = COMPARISON_FORMATS.find((each) => each.name === name)!;
  const write = await format.load();
  let text = '';
  write(comparison, (chunk) => (text += chunk), { fixedTime: new Date(0) });
  return text;
}

test('the terminal shows failures first, with finding and command, and the verdict last', () => {
  const lines = comparisonLines(sample());
  const at = (text: string): number => lines.findIndex((line) => line.includes(text));
  expect(lines[0]).toBe('old         example, API 0.90 (old/events.jsonl)');
  expect(at('✗ New crashes and hangs (2)')).toBeGreaterThan(0);
  expect(at('✗ New failures (2)')).toBeGreaterThan(at('✗ New crashes and hangs (2)'));
  expect(at('! New warnings (1)')).toBeGreaterThan(at('✗ Passed before, did not run now'));
  const crash = at('errors/handling:destroy-twice');
  expect(lines.slice(crash, crash + 6)).toEqual([
    '  errors/handling:destroy-twice  pass → crash',
    '      plugin died with SIGSEGV in PJRT_Buffer_Destroy',
    '      suites/errors/handling.yaml:9 · BUF-DEL-002',
    '        stderr, last lines:',
    '        | first line',
    '        | … [1000 bytes omitted]',
  ]);
  expect(lines.filter((line) => line.includes('reproduce: npx pjrt-conformance'))).not.toHaveLength(0);
  expect(lines.at(-1)).toMatch(/^gate: \d+ regressions, \d warnings? \(exit code 1\)$/);
});

/** As {@link hostile}, with a cause for each case. */
function causes(cases: number, causeOf: (at: number) => string): Comparison {
  const side = (now: boolean): NamedRun => ({
    name: now ? 'new' : 'old',
    run: foldRun([
      header(),
      { type: 'plugin', plugin: facts({ apiVersion: { major: 0, minor: now ? 80 : 90 } }) },
      ...suiteEvents(
        's',
        Array.from({ length: cases }, (_, i) => ({
          name: `case-${i}`,
          result: now
            ? result('fail', { findings: [{ type: 'x', level: 'must' as const, message: causeOf(i) }] })
            : result('pass'),
        })),
      ),
      footer(),
    ]),
  });
  return compareRuns([side(false)], [side(true)], DEFAULT_POLICY);
}

test('what explains the other changes comes first; cases of one cause are one entry, the most frequent cause first', () => {
  const lines = comparisonLines(causes(9, (at) => (at === 0 ? 'wrong layout' : `got ${at} of ${at * 3} bytes`)));
  const at = (text: string): number => lines.findIndex((line) => line.includes(text));
  expect(at('Older version of the C API')).toBeGreaterThan(0);
  expect(at('✗ New failures (9)')).toBeGreaterThan(at('Older version of the C API'));
  expect(lines.filter((line) => line.startsWith('  s:case')).map((line) => line.trim().split(' ')[0])).toEqual([
    's:case-1',
    's:case-0',
  ]);
  expect(lines).toContain('      7 more alike: s:case-2, s:case-3, s:case-4, … (--verbose)');
});

test('quiet shows failures and the verdict; many of one kind are counted, not listed', () => {
  const lines = comparisonLines(
    causes(30, (at) => `wrong ${String.fromCharCode(97 + at)}`),
    { quiet: true },
  );
  expect(lines.join('\n')).not.toContain('caution');
  expect(lines.filter((line) => line.startsWith('  s:case'))).toHaveLength(10);
  expect(lines.join('\n')).toContain('and 20 more (--verbose, or --format json)');
  expect(comparisonLines(hostile(30), { verbose: true }).filter((line) => line.startsWith('  s:case'))).toHaveLength(
    30,
  );
});

describe('JSON', () => {
  const read = (file: string): object => JSON.parse(readFileSync(packagePath('schemas', file), 'utf8')) as object;
  const ajv = new Ajv2020({ allowUnionTypes: true });
  ajv.addSchema(read('events.schema.json'), 'events.schema.json');
  const validate = ajv.compile(read('comparison.schema.json'));

  test.each([
    ['every status', sample],
    ['hostile text', () => hostile(3, 2)],
    ['nothing to say', () => compareRuns([passing()], [passing()], DEFAULT_POLICY)],
  ])('matches its schema: %s', async (_, make) => {
    const value: unknown = JSON.parse(await written(make(), 'json'));
    validate(value);
    expect(validate.errors ?? []).toEqual([]);
  });
});

describe('JUnit', () => {
  test.each([
    ['every status', sample],
    ['hostile text', () => hostile(3, 2)],
    ['nothing to say', () => compareRuns([passing()], [passing()], DEFAULT_POLICY)],
  ])('is valid for the strict schema: %s', async (_, make) => {
    const comparison = make();
    const xml = await written(comparison, 'junit');
    validateJunit(xml);
    expect(xml.match(/<failure /g)?.length ?? 0).toBe(comparison.gate.counts.fail);
  });

  test('has a case for each failing change', async () => {
    const xml = await written(sample(), 'junit');
    expect(xml).toContain(
      '<testcase classname="pjrt.gate.new-crash" name="errors/handling:destroy-twice" time="0.000">',
    );
    expect(xml).toContain('type="pjrt.gate.new-crash"');
    expect(xml).toContain('WARNING: new-warning: buffers/host-transfer:lookup-negative-id');
  });
});

describe('Markdown', () => {
  test('shows failures, and warnings collapsed', async () => {
    const text = await written(sample(), 'markdown');
    expect(text).toMatch(/^## ❌ PJRT gate: \d+ regressions, \d warnings?\n/);
    expect(text).toContain('### New crashes and hangs (2)');
    expect(text).toContain('<details><summary>New warnings (1)</summary>');
    expect(text).toContain('reproduce: npx pjrt-conformance');
    expect(text.match(/<details>/g)!.length).toBe(text.match(/<\/details>/g)!.length);
  });

  test.each([
    ['many changes', 2000, 1],
    ['long details', 300, 400],
  ])('fits into a comment and states what is omitted: %s', async (_, cases, detail) => {
    const text = await written(hostile(cases, detail), 'markdown');
    expect(text.length).toBeLessThanOrEqual(MARKDOWN_LIMIT);
    expect(text).toMatch(/\*\*\d+ more entries do not fit into a comment:\*\* see comparison\.json\./);
    expect(text).toMatch(/^- cases: /m);
  });

  test('cannot be damaged by text from a plugin', async () => {
    const text = await written(hostile(2, 2), 'markdown');
    const outside = text.replace(/^(`{3,})text\n[\s\S]*?\n\1$/gm, '');
    expect(outside).not.toContain('<script>');
    expect(outside.match(/<details>/g)!.length).toBe(outside.match(/<\/details>/g)!.length);
  });
});

test('a text file has the same contents as the terminal', async () => {
  expect(await written(sample(), 'text')).toBe(`${comparisonLines(sample()).join('\n')}\n`);
});
