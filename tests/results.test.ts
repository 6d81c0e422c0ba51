import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Judgement } from '../harness/model/judgement.ts';
import type { PluginFacts } from '../harness/model/plugin-facts.ts';
import type { JsonReport } from '../harness/report/index.ts';
import { command as builtCommand } from './support/command.ts';
import { buildHostile } from './support/hostile.ts';

/** A submission from the run to the site, as a vendor and a reviewer make it. */

let directory: string;
let statement: Record<string, unknown>;
const command = (args: readonly string[]) => builtCommand(args, directory);
const LIST = ['--mustpass', '1.0', '--profile', 'no-device'];
const run = (...more: string[]) => command(['run', '--plugin', './foo.so', ...more]);

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-programme-'));
  copyFileSync(await buildHostile('toy'), join(directory, 'foo.so'));
  expect(run(...LIST, '--output', 'practice').stderr).toBe('');
  const report = JSON.parse(readFileSync(join(directory, 'practice', 'report.json'), 'utf8')) as JsonReport;
  statement = {
    product: { vendor: 'example', name: 'foo', version: '1.2.3' },
    plugin: { file: 'foo.so', sha256: (report.plugins[0] as PluginFacts).sha256 },
    mustpass: { version: '1.0', profile: 'no-device' },
    hardware: 'none',
    driver: 'none',
    contact: 'foo@example.com',
  };
  writeFileSync(join(directory, 'statement.yaml'), stringify(statement));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const judgementIn = (output: string): Judgement =>
  JSON.parse(readFileSync(join(directory, output, 'mustpass.json'), 'utf8')) as Judgement;

test('a run of a list is judged by it, in a sentence, a file and the exit code', () => {
  const { status, stdout } = run(...LIST, '--quiet', '--output', 'judged');
  const judgement = judgementIn('judged');
  expect(judgement).toMatchObject({ version: '1.0', profile: 'no-device' });
  expect(judgement.cases).toHaveLength(62);
  expect(stdout).toMatch(/^(?:passes|does not pass) mustpass 1\.0 \(profile no-device, API 0\.\d+\): /m);
  expect(stdout).toContain('judged/mustpass.json');
  expect(status).toBe(judgement.passes ? 0 : 1);
});

describe('a run for a submission is refused before it starts', () => {
  test.each([
    ['--tests', 'load/*'],
    ['--exclude', 'load/*'],
    ['--suite', 'load'],
    ['--accept-known'],
    ['--rerun-failed', '2'],
    ['--shard', '1/2'],
    ['--expectations', 'expected.yaml'],
    ['--as-api', '0.60'],
    ['--max-failures', '3'],
  ])('with %s', (...option) => {
    writeFileSync(join(directory, 'expected.yaml'), 'expectations: []\n');
    const { status, stderr } = run(...LIST, ...option, '--output', 'refused');
    expect(status).toBe(2);
    expect(stderr).toMatch(new RegExp(`^error: --mustpass with ${option[0]}: .*; omit it\\n`));
  });

  test.each<[string, object, RegExp]>([
    [
      'another plugin',
      { plugin: { file: 'foo.so', sha256: '00'.repeat(32) } },
      /plugin\.sha256 is 0{64}; .*foo\.so has/,
    ],
    ['another list', { mustpass: { version: '1.0', profile: 'full' } }, /it is for mustpass 1\.0 \(profile full\)/],
    ['no contact', { contact: undefined }, /wrong\.yaml:\d+:\d+: missing key "contact"/],
    [
      'a version that is a number',
      { product: { vendor: 'example', name: 'foo', version: 1.2 } },
      /wrong type|wrong form/,
    ],
  ])('with a statement about %s', (_, change, message) => {
    writeFileSync(join(directory, 'wrong.yaml'), stringify({ ...statement, ...change }));
    const { status, stderr } = run(...LIST, '--statement', 'wrong.yaml', '--output', 'refused');
    expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  test('with a statement and no list', () => {
    expect(run('--statement', 'statement.yaml')).toMatchObject({
      status: 2,
      stderr: 'error: --statement needs --mustpass with the version of a list\n',
    });
  });

  test('with waivers for another product', () => {
    writeFileSync(
      join(directory, 'waivers.yaml'),
      stringify({
        waivers: [
          {
            url: 'https://example.com/1',
            product: 'example/bar',
            versions: '*',
            cases: ['load/*'],
            reason: 'an example',
            expires: '2999-01-01',
          },
        ],
      }),
    );
    const given = ['--statement', 'statement.yaml', '--waivers', 'waivers.yaml'];
    const { status, stderr } = run(...LIST, ...given, '--output', 'refused');
    expect([status, stderr]).toEqual([2, expect.stringContaining('it is for example/bar, and this is example/foo')]);
  });
});

describe('from the run to the site', () => {
  beforeAll(() => {
    run(...LIST, '--statement', 'statement.yaml', '--quiet', '--output', 'submitted');
    expect(command(['bundle', 'submitted'])).toMatchObject({ status: 0, stderr: '' });
    const place = join(directory, 'results', 'example', 'foo', '1.2.3');
    mkdirSync(place, { recursive: true });
    copyFileSync(join(directory, 'submitted', 'bundle.zip'), join(place, 'bundle.zip'));
    copyFileSync(join(directory, 'statement.yaml'), join(place, 'statement.yaml'));
  });

  test('the bundle verifies and has the statement', () => {
    expect(command(['verify', 'submitted/bundle.zip']).status).toBe(0);
  });

  test('the submission is valid, with the verdict of the run', () => {
    const sentence = run('--resume', 'submitted', '--quiet').stdout.match(/^.*mustpass 1\.0.*$/m)![0];
    const { status, stdout } = command(['results', 'check']);
    expect(stdout).toBe(`✓ example/foo/1.2.3: ${sentence}\n1 submission: the evidence of each is valid\n`);
    expect(status).toBe(0);
    const { stdout: json } = command(['results', 'check', 'results', '--format', 'json']);
    expect(JSON.parse(json)).toMatchObject([{ vendor: 'example', product: 'foo', version: '1.2.3', faults: [] }]);
  });

  test('render writes the site', () => {
    const { status, stdout } = command(['results', 'render', 'results', '--output', 'site']);
    expect([status, stdout.endsWith('site/index.html\n')]).toEqual([0, true]);
    expect(readFileSync(join(directory, 'site', 'index.html'), 'utf8')).toContain('example/foo/1.2.3/index.html');
    expect(command(['verify', 'site/example/foo/1.2.3/bundle.zip']).status).toBe(0);
  });

  test('a submission that was changed is refused, by name, and is not in the site', () => {
    const place = join(directory, 'tampered', 'example', 'foo', '1.2.3');
    mkdirSync(dirname(join(place, 'x')), { recursive: true });
    copyFileSync(join(directory, 'submitted', 'bundle.zip'), join(place, 'bundle.zip'));
    writeFileSync(join(place, 'statement.yaml'), stringify({ ...statement, hardware: 'a thousand devices' }));
    const { status, stdout } = command(['results', 'render', 'tampered', '--output', 'empty']);
    expect(status).toBe(1);
    expect(stdout).toContain('✗ example/foo/1.2.3: statement-differs: ');
    expect(readFileSync(join(directory, 'empty', 'index.html'), 'utf8')).toContain('0 runs of 0 products');
  });

  test('a statement may also be given to bundle, for a run of a list', () => {
    expect(command(['bundle', 'judged', '--statement', 'statement.yaml']).status).toBe(0);
    run('--tests', 'load/*', '--output', 'some');
    expect(command(['bundle', 'some', '--statement', 'statement.yaml'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('some/events.jsonl is not a run for a submission: run --mustpass makes one'),
    });
  });
});

describe('a plugin that does not pass', () => {
  const junitOf = (output: string): string => readFileSync(join(directory, output, 'junit.xml'), 'utf8');
  const faulty = (...more: string[]) => command(['run', '--plugin', './faulty.so', ...LIST, ...more]);

  beforeAll(async () => {
    copyFileSync(await buildHostile('extension-bad-size'), join(directory, 'faulty.so'));
    const sha256 = createHash('sha256')
      .update(readFileSync(join(directory, 'faulty.so')))
      .digest('hex');
    writeFileSync(join(directory, 'faulty.yaml'), stringify({ ...statement, plugin: { file: 'faulty.so', sha256 } }));
  });

  test('the list is a red case of the JUnit report, which names what failed', () => {
    expect(faulty('--quiet', '--output', 'faulty').status).toBe(1);
    expect(judgementIn('faulty')).toMatchObject({ passes: false, counts: { failed: 1 } });
    expect(junitOf('faulty')).toMatch(/name="mustpass 1\.0"[^>]*>\s*<failure/);
    expect(junitOf('faulty')).toContain('failed: extensions/chain:walk (fail)');
    expect(junitOf('judged')).toMatch(/name="mustpass 1\.0"[^>]*>\s*<system-out/);
  });

  test('a waived case is waived in every report, and the list is passed', () => {
    const waiver = {
      url: 'https://example.com/1',
      product: 'example/foo',
      versions: '1.2.*',
      cases: ['extensions/chain:w*'],
      reason: 'an example',
      expires: '2999-01-01',
    };
    writeFileSync(join(directory, 'waivers.yaml'), stringify({ waivers: [waiver] }));
    const given = ['--statement', 'faulty.yaml', '--waivers', 'waivers.yaml', '--report', 'markdown'];
    const { status, stdout } = faulty(...given, '--output', 'waived');
    expect([status, stdout]).toEqual([0, expect.stringContaining(' 1 waived')]);
    expect(judgementIn('waived')).toMatchObject({ passes: true, counts: { failed: 0, waived: 1 } });
    expect(junitOf('waived')).toContain('WAIVED: an example; https://example.com/1');
    expect(junitOf('waived')).not.toMatch(/<(?:failure|error)\b/);
    expect(readFileSync(join(directory, 'waived', 'report.md'), 'utf8')).toContain('waived: an example');
    expect(command(['bundle', 'waived'])).toMatchObject({ status: 0, stderr: '' });
    expect(command(['verify', 'waived/bundle.zip']).status).toBe(0);
    expect(command(['run', '--resume', 'waived'])).toMatchObject({ status: 0 });
  });
});

test('a stopped run is resumed as a submission', () => {
  run(...LIST, '--quiet', '--output', 'stopped');
  const log = join(directory, 'stopped', 'events.jsonl');
  const lines = readFileSync(log, 'utf8').split('\n');
  writeFileSync(log, `${lines.slice(0, -20).join('\n')}\n`);
  const { stdout } = command(['run', '--resume', 'stopped', '--quiet']);
  expect(stdout).toMatch(/^(?:passes|does not pass) mustpass 1\.0/m);
  expect(judgementIn('stopped').counts.missing).toBe(judgementIn('judged').counts.missing);
});
