import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CliRun, livingProcesses, runCli, verdicts } from './support/cli.ts';
import { pythonWith } from './support/python-venv.ts';
import { referenceLibrary } from './support/reference.ts';

// NumPy exchanges arrays with the reference plugin through DLPack.

const SUITE = 'views/dlpack-libraries';
const directory = mkdtempSync(join(tmpdir(), 'pjrt-dlpack-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

let plugin: string;
beforeAll(async () => {
  plugin = await referenceLibrary();
}, 900_000);

const run = (python: string, cases: string, ...more: string[]): Promise<CliRun> =>
  runCli(['--plugin', plugin, '--tests', `${SUITE}:${cases}`, '--workers', '1', ...more], {
    PJRT_CONFORMANCE_PYTHON: python,
  });

const findingsOf = ({ events }: CliRun) => events.flatMap((e) => (e.type === 'case' ? e.result.findings : []));
const reasonsOf = ({ events }: CliRun) => events.flatMap((e) => (e.type === 'case' ? (e.result.reason ?? []) : []));

/** A Python that claims to have NumPy, and runs these lines of a shell script instead of the program. */
function impostor(name: string, ...lines: string[]): string {
  const path = join(directory, name);
  const answer = `[ "$1" = -c ] && { echo '{"numpy": "0"}'; exit; }`;
  writeFileSync(path, ['#!/bin/sh', answer, 'cat > /dev/null', ...lines, ''].join('\n'));
  chmodSync(path, 0o755);
  return path;
}

test('NumPy takes arrays from the plugin and gives it its own', { timeout: 600_000 }, async () => {
  const python = pythonWith('dlpack', ['numpy==2.0.2'], 9);
  const { exitCode, ...rest } = await run(python, '*library=numpy*');
  const statuses = Object.entries(verdicts({ exitCode, ...rest }));
  expect(statuses.length).toBeGreaterThan(10);
  // NumPy knows capsules with a version from 2.1 on.
  for (const [id, status] of statuses)
    expect([id, status]).toEqual([id, id.includes('versioned') ? 'unsupported' : 'pass']);
  expect(exitCode).toBe(0);
});

test('NumPy takes and gives capsules with a version', { timeout: 600_000 }, async () => {
  const python = pythonWith('dlpack-versioned', ['numpy==2.2.6'], 10);
  const result = await run(python, '*library=numpy,capsule=versioned*');
  const statuses = Object.values(verdicts(result));
  expect(statuses.length).toBeGreaterThan(2);
  expect(new Set(statuses)).toEqual(new Set(['pass']));
});

describe('what is missing is said', () => {
  test('Python', async () => {
    const result = await run(join(directory, 'none'), 'export-scalar*');
    expect(Object.values(verdicts(result))).toEqual(['unsupported']);
    expect(reasonsOf(result)).toEqual([expect.stringContaining('$PJRT_CONFORMANCE_PYTHON')]);
  });

  test('a library', async () => {
    const result = await run(impostor('no-torch'), 'export-deleted*library=torch*');
    expect(Object.values(verdicts(result))).toEqual(['unsupported']);
    expect(reasonsOf(result)).toEqual([expect.stringContaining('needs a Python with torch')]);
  });
});

describe('a process that ends is blamed on the call that it was in', () => {
  const begin = ['echo "@ client" >&3', 'echo "@ exchange" >&3', 'echo "> 1 PJRT_Event_Await" >&3'];

  test('inside a call', async () => {
    const result = await run(
      impostor('dies', ...begin, 'echo "< 1 OK 0.1" >&3', 'echo "> 2 PJRT_Buffer_Delete" >&3', 'kill -SEGV $$'),
      'export-scalar*',
    );
    expect(Object.values(verdicts(result))).toEqual(['fail']);
    expect(findingsOf(result)).toEqual([expect.objectContaining({ type: 'pjrt.Crash', call: 'PJRT_Buffer_Delete' })]);
  });

  test('outside calls', async () => {
    const result = await run(impostor('exits', ...begin, 'echo "< 1 OK 0.1" >&3', 'exit 3'), 'export-scalar*');
    expect(findingsOf(result)).toEqual([
      expect.objectContaining({ type: 'pjrt.Crash', message: expect.stringContaining('exited with code 3') }),
    ]);
  });

  test('a hang', async () => {
    const result = await run(
      impostor('hangs', ...begin, 'sleep 1000'),
      'export-scalar*',
      '--timeout-call',
      '2s',
      '--timeout-first',
      '2s',
    );
    expect(Object.values(verdicts(result))).toEqual(['timeout']);
    expect(JSON.stringify(result.events)).toContain('PJRT_Event_Await');
    expect(livingProcesses(result.events)).toEqual([]);
  });

  test('a second client that is refused is no fault', async () => {
    const refusal = '= {"refused": {"call": "PJRT_Client_Create", "code": 9, "text": "in use"}}';
    const result = await run(impostor('refuses', 'echo "@ client" >&3', `echo '${refusal}' >&3`), 'export-scalar*');
    expect(reasonsOf(result)).toEqual([expect.stringContaining('a second process gets no client')]);
  });

  test('a program that does not run is an internal error', async () => {
    const result = await run(impostor('invalid', 'exit 2'), 'export-scalar*');
    expect(Object.values(verdicts(result))).toEqual(['error']);
  });
});
