import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Event } from '../harness/model/events.ts';
import { type CliRun, cli, livingProcesses } from './support/cli.ts';
import { validateJunit } from './support/junit-schemas.ts';

/**
 * Code that Node loads before the command. In the parent it does something when the log has so many results: what goes wrong
 * there is nobody's fault but the harness's, and must not cost what is known.
 */
const preload = (act: string): string => `
if (process.argv[1].includes('cli')) {
  const fs = require('node:fs');
  const { writeSync } = fs;
  let results = 0;
  fs.writeSync = function (fd, bytes, ...rest) {
    if (Buffer.isBuffer(bytes) && bytes.includes('{"type":"case"') && ++results === 5) { ${act} }
    return writeSync.call(fs, fd, bytes, ...rest);
  };
}`;

const ACTS: Record<string, string> = {
  'an exception that nobody catches': "setImmediate(() => { throw new Error('out of the blue'); })",
  'an exception that is no error': "setImmediate(() => { throw 'out of the blue'; })",
  'a promise that nobody handles': "Promise.reject(new Error('out of the blue'))",
  'one exception after the other': "setInterval(() => { throw new Error('out of the blue'); }, 50)",
};

let directory = '';
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-boundary-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function run(act: string): Promise<CliRun> {
  const code = join(directory, `${Object.values(ACTS).indexOf(act)}.cjs`);
  writeFileSync(code, preload(act));
  const args = ['run', '--plugin', 'reference', '--suite', 'events', '--report', 'html', '--output', 'out'];
  return cli(args, { env: { NODE_OPTIONS: `--require ${code}` } });
}

const resultsOf = (events: readonly Event[]): number => events.filter(({ type }) => type === 'case').length;

describe('an error of the harness ends the run with what is known', () => {
  test.each(Object.entries(ACTS))('%s', async (_, act) => {
    const { exitCode, events, stderr, stdout, report, junit, leftovers } = await run(act);
    expect(exitCode, stdout + stderr).toBe(5);
    expect(stdout + stderr).toContain('out of the blue');
    expect(events.at(-1)).toMatchObject({ type: 'footer', exitCode: 5, interrupted: false });
    expect(events).toContainEqual(expect.objectContaining({ type: 'note', level: 'error', fact: { kind: 'harness' } }));
    // The rest was not run.
    expect(resultsOf(events)).toBeGreaterThanOrEqual(4);
    expect(resultsOf(events)).toBeLessThan(62);
    expect(report.complete).toBe(true);
    validateJunit(junit);
    expect(leftovers).toEqual([]);
    expect(livingProcesses(events)).toEqual([]);
  });
});
