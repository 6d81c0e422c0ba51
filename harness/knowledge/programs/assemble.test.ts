import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AssemblyError } from './assemble.ts';

const TEXT = new TextEncoder().encode('module {}');
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-assemble-'));
  vi.stubEnv('PJRT_CONFORMANCE_CACHE', join(directory, 'cache'));
  vi.resetModules(); // The Python that was found is remembered by the module.
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true, force: true });
});

/** A Python with these libraries, which runs these lines of a shell script instead of a program. */
function impostor(libraries: Record<string, string>, ...lines: string[]): void {
  const path = join(directory, 'python');
  const look = `[ "$1" = -c ] && { echo '${JSON.stringify(libraries)}'; exit; }`;
  writeFileSync(path, ['#!/bin/sh', look, 'cat > /dev/null', ...lines, ''].join('\n'));
  chmodSync(path, 0o755);
  vi.stubEnv('PJRT_CONFORMANCE_PYTHON', path);
}

const assembled = async (current?: readonly [number, number, number]): Promise<string> => {
  const { assemble } = await import('./assemble.ts');
  return Buffer.from(assemble(TEXT, 'p.mlir', { current })).toString();
};
const refused = async (): Promise<Pick<AssemblyError, 'kind' | 'message'>> => {
  const error = (await assembled().catch((e) => e)) as AssemblyError;
  expect(error.name).toBe('AssemblyError');
  return { kind: error.kind, message: error.message };
};

test('the artifact is what the script prints, and is kept for each version', async () => {
  impostor({ jaxlib: '1' }, `echo run >> ${join(directory, 'runs')}`, 'printf "artifact at $2"');
  expect(await assembled([1, 2, 3])).toBe('artifact at 1.2.3');
  expect(await assembled([1, 2, 3])).toBe('artifact at 1.2.3');
  expect(await assembled()).toBe('artifact at any');
  expect(readdirSync(join(directory, 'cache', 'assembled'))).toHaveLength(2);
  const { readFileSync } = await import('node:fs');
  expect(readFileSync(join(directory, 'runs'), 'utf8')).toBe('run\nrun\n');
});

test('without Python', async () => {
  vi.stubEnv('PJRT_CONFORMANCE_PYTHON', join(directory, 'none'));
  expect(await refused()).toEqual({ kind: 'python', message: expect.stringContaining('needs Python 3.8') });
});

test('without jaxlib', async () => {
  impostor({ numpy: '2' });
  expect(await refused()).toEqual({ kind: 'jaxlib', message: expect.stringContaining('needs a Python with jaxlib') });
});

test('what the script refuses is named with its place', async () => {
  impostor({ jaxlib: '1' }, `echo '{"kind": "parse", "message": "no such op", "line": 3, "column": 5}'; exit 3`);
  expect(await refused()).toEqual({ kind: 'parse', message: 'p.mlir:3:5: no such op' });
});

test('a script that does not finish', async () => {
  impostor({ jaxlib: '1' }, 'echo trouble >&2; exit 1');
  expect(await refused()).toEqual({ kind: 'failed', message: expect.stringMatching(/exit code 1: trouble$/) });
});
