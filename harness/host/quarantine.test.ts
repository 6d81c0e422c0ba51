import { expect, test } from 'vitest';
import type { CaseResult } from '../model/case-result.ts';
import type { Status } from '../model/status.ts';
import { sampleCase } from '../suite/sample-case.test-helper.ts';
import type { Isolation } from '../suite/types.ts';
import type { Job } from './job-queue.ts';
import { Quarantine } from './quarantine.ts';

const job = (isolation: Isolation, more: Partial<Job> = {}): Job => ({
  number: 1,
  case: sampleCase('s:a', { isolation }),
  programs: [],
  part: 0,
  isolated: isolation === 'process',
  exclusive: false,
  lost: 0,
  tries: [],
  ...more,
});
const ended = (status: Status, calls = 1): CaseResult => ({ status, findings: [], durationMs: 1, nativeMs: 1, calls });

const doubt = { result: ended('fail'), worker: 1, ran: [] };

test('only cases in quarantine share a process, until one is repeated', () => {
  const quarantine = new Quarantine({ plugins: [] });
  expect(quarantine.alone(job('worker'))).toBe(false);
  expect(quarantine.alone(job('quarantine'))).toBe(false);
  expect(quarantine.alone(job('process'))).toBe(true);
  expect(quarantine.alone(job('quarantine', { doubt }))).toBe(true);
  expect(quarantine.alone(job('worker', { why: 'rerun' }))).toBe(true);
  expect(quarantine.alone(job('quarantine', { exclusive: true }))).toBe(true);
  expect(quarantine.alone(job('worker', { exclusive: true }))).toBe(false);
});

test('a case that is known to fail, or whose result needs a new process, begins in its own', () => {
  const quarantine = new Quarantine({ plugins: [], knownToFail: (id) => id === 's:known' });
  expect(quarantine.isolates(sampleCase('s:a', { isolation: 'process' }))).toBe(true);
  expect(quarantine.isolates(sampleCase('s:a', { isolation: 'quarantine' }))).toBe(false);
  expect(quarantine.isolates(sampleCase('s:known', { isolation: 'quarantine' }))).toBe(true);
  expect(quarantine.isolates(sampleCase('s:known', { isolation: 'worker' }))).toBe(false);
});

test('a case that lacks a plugin needs no process of its own', () => {
  const quarantine = new Quarantine({ plugins: [] });
  expect(quarantine.isolates(sampleCase('s:a', { isolation: 'process', requires: { plugins: 2 } }))).toBe(false);
});

test.each<[string, CaseResult, boolean]>([
  ['a pass', ended('pass'), false],
  ['a failure', ended('fail'), true],
  ['a warning', ended('warn'), true],
  ['what the plugin does not offer', ended('unsupported'), false],
  ['the end of the process', ended('crash'), true],
])('%s after other cases', (_, result, doubted) => {
  const quarantine = new Quarantine({ plugins: [] });
  expect(quarantine.doubts(job('quarantine'), 3, result)).toBe(doubted);
  expect(quarantine.doubts(job('quarantine'), 0, result)).toBe(false);
  expect(quarantine.doubts(job('worker'), 3, result)).toBe(false);
});

test('what a plugin does not offer is in doubt without a client that shows whether it still works', () => {
  const quarantine = new Quarantine({ plugins: [] });
  const own = { ...job('quarantine'), case: sampleCase('s:a', { isolation: 'quarantine', client: 'own' }) };
  expect(quarantine.doubts(own, 1, ended('unsupported'))).toBe(true);
  expect(quarantine.doubts(own, 1, ended('unsupported', 0))).toBe(false);
});

test('a missed deadline ends the sharing at once, and so do lost processes in the end', () => {
  const quarantine = new Quarantine({ plugins: [] });
  quarantine.doubts(job('quarantine'), 1, ended('timeout'));
  expect(quarantine.alone(job('quarantine'))).toBe(true);
  const another = new Quarantine({ plugins: [] });
  for (let i = 0; i < 4; i++) another.lose();
  expect(another.alone(job('quarantine'))).toBe(true);
});

test('a result that other cases had changed ends the sharing', () => {
  const quarantine = new Quarantine({ plugins: [] });
  expect(quarantine.compare('fail', 'fail')).toBe(false);
  expect(quarantine.alone(job('quarantine'))).toBe(false);
  expect(quarantine.compare('crash', 'pass')).toBe(true);
  expect(quarantine.alone(job('quarantine'))).toBe(true);
});

test('sharing ends when it costs more than it saves', () => {
  const quarantine = new Quarantine({ plugins: [] });
  quarantine.doubts(job('quarantine'), 1, ended('pass'));
  for (let i = 0; i < 4; i++) quarantine.doubts(job('quarantine'), 1, ended('fail'));
  expect(quarantine.alone(job('quarantine'))).toBe(false);
  quarantine.doubts(job('quarantine'), 1, ended('fail'));
  expect(quarantine.alone(job('quarantine'))).toBe(true);
});

test('a case whose needs the manifest does not meet has no process of its own', () => {
  const needs = sampleCase('s:a', { isolation: 'process', requires: { options: ['num_nodes'] } });
  const isolated = (knownOptions: Record<string, 'int64'>): boolean =>
    new Quarantine({ plugins: [{ name: 'plugin', library: 'plugin.so', options: {}, knownOptions }] }).isolates(needs);
  expect(isolated({})).toBe(false);
  expect(isolated({ num_nodes: 'int64' })).toBe(true);
});
