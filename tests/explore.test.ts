import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { State } from '../harness/commands/explore/state.ts';
import { buildFaults } from '../tools/mutation/library.ts';
import { cli } from './support/cli.ts';
import { referenceLibrary } from './support/reference.ts';

let directory: string;
let reference: string;
let library: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-explore-test-'));
  reference = await referenceLibrary();
  library = await buildFaults();
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const explore = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  cli(['explore', ...args], { cwd: directory, env });

const stateOf = (output: string): State =>
  JSON.parse(readFileSync(join(directory, output, 'state.json'), 'utf8')) as State;

test('a right plugin passes on several devices, and an exploration is resumed', async () => {
  const plugin = ['--plugin', 'reference', '--option', 'num_devices=3', '--devices', '3', '--output', 'right'];
  const first = await explore([...plugin, '--count', '24']);
  expect(first.exitCode, first.stdout).toBe(0);
  expect(stateOf('right')).toMatchObject({ next: 24, right: 24, avoided: [], findings: [] });
  const again = await explore([...plugin, '--count', '48']);
  expect(again.exitCode).toBe(2);
  expect(again.stderr).toContain('--resume resumes it');
  const resumed = await explore([...plugin, '--count', '48', '--resume']);
  expect(resumed.exitCode, resumed.stdout).toBe(0);
  expect(stateOf('right')).toMatchObject({ next: 48, right: 48, findings: [] });
  const other = await explore([...plugin, '--count', '48', '--resume', '--seed', '9']);
  expect(other.stderr).toContain('the exploration has seed 0, now 9');
});

test('what is not offered is not played, and said', async () => {
  // The artifact of a program that an older plugin takes is older too.
  const run = await explore(['--plugin', 'xla-cpu', '--count', '72', '--output', 'older']);
  expect(run.exitCode, run.stdout).toBe(0);
  expect(run.stdout).toContain('PJRT_Buffer_DonateWithControlDependency is not in the plugin');
  // What the manifest knows is named; what it does not know violates a SHOULD, and fails nothing.
  for (const { known, level } of stateOf('older').findings) if (known === undefined) expect(level).toBe('should');
});

test('a fault is found, shortened and written as a suite that detects it', async () => {
  const env = { PJRT_FAULTS_BASE: reference, PJRT_FAULT: 'donation-writes-referenced-memory' };
  const run = await explore(['--plugin', library, '--count', '150', '--max-findings', '1', '--output', 'fault'], env);
  expect(run.exitCode, run.stdout).toBe(1);
  const [finding] = stateOf('fault').findings;
  expect(finding!.calls).toBeLessThanOrEqual(8);
  const suite = (plugin: string, variables: NodeJS.ProcessEnv = {}) =>
    cli(['run', '--plugin', plugin, '--suites', 'fault/suites', '--tests', `${finding!.id}/*`, '--output', 'out'], {
      cwd: directory,
      env: variables,
    });
  expect((await suite('reference')).exitCode).toBe(0);
  expect((await suite(library, env)).exitCode).toBe(1);
});

test.each(['async-buffers-mixed-up', 'bits-of-raw_offset_20'])('%s is found', async (fault) => {
  const env = { PJRT_FAULTS_BASE: reference, PJRT_FAULT: fault };
  const run = await explore(['--plugin', library, '--count', '150', '--max-findings', '1', '--output', fault], env);
  expect(run.exitCode, run.stdout).toBe(1);
  expect(stateOf(fault).findings).toMatchObject([{ level: 'must', calls: 1 }]);
});

test('what a failing session withheld is not given to an event that it destroyed', async () => {
  const suite = [
    'suite: gone',
    'description: A case fails after it destroyed an event that was never set.',
    'cases:',
    '  - id: fails',
    '    description: The name of the platform is not empty, which it says.',
    '    covers: [CLI-NAM-001]',
    '    steps:',
    '      - pending: created',
    '        as: {never: event, never_gate: completion}',
    '      - destroy: $never',
    '      - call: PJRT_Client_PlatformName',
    '        with: {client: $client}',
    "        expect: {platform_name: {equals: ''}}",
  ];
  writeFileSync(join(directory, 'gone.yaml'), `${suite.join('\n')}\n`);
  // XLA ends the process when an event is set that is no more.
  const args = ['run', '--plugin', 'xla-cpu-106', '--suites', 'gone.yaml', '--tests', 'gone:*', '--output', 'gone'];
  const run = await cli(args, { cwd: directory });
  expect(run.stdout).toContain('1 failed');
  expect(run.stdout).not.toContain('crash');
});

test('an output that is a file is an error of the command', async () => {
  writeFileSync(join(directory, 'taken'), '');
  const run = await explore(['--plugin', 'reference', '--output', 'taken']);
  expect(run).toMatchObject({
    exitCode: 2,
    stderr: `error: ${join(directory, 'taken')}: there is a file of that name\n`,
  });
});

test('a state that is none is left alone', async () => {
  writeFileSync(join(directory, 'state.json'), '{');
  const run = await explore(['--plugin', 'reference', '--output', '.']);
  expect(run.exitCode).toBe(2);
  expect(run.stderr).toContain('is not the state of an exploration');
  expect(readFileSync(join(directory, 'state.json'), 'utf8')).toBe('{');
});
