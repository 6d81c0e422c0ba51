import { describe, expect, test } from 'vitest';
import { NEWEST_MINOR } from '../../knowledge/abi/index.ts';
import { formatNeeds, formatNeedsJson, formatNeedsMarkdown } from './format-needs.ts';
import { type Need, needsOf } from './needs.ts';
import { allReleases, parseRelease } from './spec.ts';

const needs = (spec: string): Need[] => needsOf(parseRelease(spec));
const at = (spec: string, moment: Need['moment']): Need => needs(spec).find((n) => n.moment === moment)!;
const fn = (spec: string, name: string) => needs(spec).flatMap((n) => n.functions.filter((f) => f.name === name))[0];

test('what breaks first comes first', () => {
  expect(needs('jax@0.10.2').map((n) => n.moment)).toEqual([
    'import',
    'client creation',
    'first transfer',
    'first compile',
    'first execution',
    'first error',
    'exit',
    'when used',
  ]);
  expect(at('jax@0.10.2', 'client creation').functions[0]).toMatchObject({ absent: 'crash', error: 'process ends' });
});

test('every function that a release calls is listed once', () => {
  for (const chosen of allReleases()) {
    const names = needsOf(chosen).flatMap((n) => n.functions.map((f) => f.name));
    expect(new Set(names).size).toBe(names.length);
    // XLA's client calls nearly all; other callers have means of their own.
    expect(names.length).toBeGreaterThan(['gopjrt', 'zml'].includes(chosen.framework.name) ? 35 : 90);
  }
});

test('what it relies on for right data is among its needs', () => {
  expect(at('jax@0.10.2', 'first transfer').rules.join()).toContain('Right data: strided uploads (BUF-HOST-009,');
  expect(at('pytorch-xla@2.9', 'first transfer').rules.join()).not.toContain('strided');
});

describe('functions', () => {
  test.each([
    ['PJRT_Device_GetAttributes', { absent: 'fine', error: 'process ends' }],
    ['PJRT_TopologyDescription_Fingerprint', { absent: 'crash', error: 'passed on' }],
    ['PJRT_Error_ForEachPayload', { absent: 'crash', error: 'process ends' }],
    ['PJRT_Client_Compile', { absent: 'crash', error: 'fails', step: 'jit' }],
    ['PJRT_Buffer_Memory', { absent: 'crash', error: 'only UNIMPLEMENTED is fine' }],
    ['PJRT_Client_Load', { absent: 'fine', error: 'passed on' }],
  ])('%s', (name, need) => expect(fn('jax@0.10.2', name)).toMatchObject(need));

  test('a function that a release does not know is not asked for', () => {
    expect(fn('jax@0.8.1', 'PJRT_Error_ForEachPayload')).toBeUndefined();
  });
});

test('versions: the rule, what really works, what is promised', () => {
  const { rules } = at('jax@0.12.0', 'client creation');
  expect(rules.join('\n')).toMatch(/minor 29 or newer, no upper limit/);
  expect(rules.join('\n')).toMatch(/In practice the oldest is 0\.36: .*PJRT_Client_TopologyDescription/);
  expect(rules.join('\n')).toMatch(/2026-07-24\), which is 0\.114 and newer/);
  expect(at('jax@0.4.30', 'client creation').rules[0]).toMatch(/^Version: 0\.54 exactly/);
});

test('structs come in the size of the release', () => {
  const options = at('jax@0.7.2', 'first execution').structs.find((s) => s.name === 'PJRT_ExecuteOptions')!;
  expect(options.bytes).toBe(88);
  expect(options.others).toContainEqual({ minor: 78, bytes: 112 });
  const attributes = at('jax@0.6.2', 'client creation').structs.find((s) => s.name === 'PJRT_Plugin_Attributes_Args')!;
  expect(attributes.bytes).toBe(24);
});

test('programs and extensions', () => {
  const rules = (spec: string): string => at(spec, 'first compile').rules.join('\n');
  expect(rules('jax@0.12.0')).toMatch(/at most 1\.22\.0\. Without it they come in 1\.16\.3/);
  expect(rules('jax@0.4.35')).toMatch(/must not be newer than 1\.7\.8/);
  expect(rules('jax@0.4.30')).toMatch(/StableHLO 0\.17\.0, whatever/);
  expect(rules('pytorch-xla@2.9')).toMatch(/format "hlo"/);
  expect(rules('jax@0.9.2')).toMatch(/0\.93 or newer: at least 80 bytes/);
  expect(rules('jax@0.8.3')).not.toMatch(/0\.93 or newer/);
});

test('texts', () => {
  const chosen = parseRelease('jax@0.12.0');
  const list = needsOf(chosen);
  expect(formatNeeds(chosen, list)).toMatch(
    /^What a plugin must have for JAX 0\.12\.0 .*\n\nimport\n {2}\[ \] A shared/,
  );
  const newer = { ...chosen, release: { ...chosen.release, minor: NEWEST_MINOR + 1 } };
  expect(formatNeeds(newer, list)).toContain(`newer than the newest header that is known (0.${NEWEST_MINOR})`);
  expect(formatNeeds(chosen, list)).not.toContain('newer than the newest header');
  expect(formatNeedsMarkdown(chosen, list)).toContain(
    '| PJRT_Client_Compile | the process dies | jit fails | on every plugin |',
  );
  expect(JSON.parse(formatNeedsJson(chosen, list))).toMatchObject({ framework: 'jax', apiMinor: 116 });
});
