import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXPECTED, staleTables } from './check.ts';

describe('fixtures/expected', () => {
  it('is the last output of the generator, and the generator has not changed since', () => {
    expect(staleTables()).toEqual([]);
  });
});

describe('staleTables', () => {
  let directory = '';
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'expected-'));
    cpSync(EXPECTED, directory, { recursive: true });
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it('finds one changed digit, a missing table, an extra file and a changed generator', () => {
    const path = join(directory, 'unary', 'sine_f32.json');
    const text = readFileSync(path, 'utf8');
    writeFileSync(
      path,
      text.replace(/.("\}\}\})/, (_, end) => `${text.at(-6) === '0' ? '1' : '0'}${end}`),
    );
    rmSync(join(directory, 'binary', 'add_f16.json'));
    writeFileSync(join(directory, 'stray.json'), '{}');
    const problems = staleTables(directory, 'another digest');
    expect(problems.map((p) => p.split(':')[0]!.replace(/ \(sha256.*/, ''))).toEqual([
      'the generator has changed since the tables were made',
      'binary/add_f16.json is missing',
      'unary/sine_f32.json is not what the manifest says',
      'stray.json is not in the manifest',
    ]);
  });

  it('reports a missing manifest', () => {
    rmSync(join(directory, 'manifest.json'));
    expect(staleTables(directory)).toEqual([expect.stringMatching(/manifest.json is missing/)]);
  });
});
