import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import { command as builtCommand } from './support/command.ts';
import { buildHostile } from './support/hostile.ts';

let directory: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-bundle-'));
  mkdirSync(join(directory, 'suites'));
  copyFileSync(packagePath('tests', 'suites', 'hostile.yaml'), join(directory, 'suites', 'hostile.yaml'));
  const plugin = await buildHostile('segv-in-compile');
  const run = ['run', '--plugin', plugin, '--suites', 'suites', '--suite', 'hostile', '--workers', '1', '--output'];
  const env = { XLA_FLAGS: '--a=b', PJRT_TOKEN: 'secret', HOME_OF_MINE: '/x' };
  expect(command([...run, 'whole'], env).status).toBe(1);
  for (const part of [1, 2]) command([...run, `part${part}`, '--shard', `${part}/2`]);
  command(['report', 'part1/events.jsonl', 'part2/events.jsonl', '--output', 'merged']);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const command = (args: readonly string[], env: NodeJS.ProcessEnv = {}) => builtCommand(args, directory, env);

test('a run is packed and verified, and packing it again gives the same bytes', () => {
  const { status, stdout, stderr } = command(['bundle', 'whole', '--with-plugin'], { TZ: 'Asia/Tokyo' });
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(
    /^whole\/bundle\.zip\n\d+ bytes, sha256 [0-9a-f]{64}\nto check it: pjrt-conformance verify whole\/bundle\.zip\n$/,
  );
  expect(command(['verify', 'whole/bundle.zip'])).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(
      /^whole\/bundle\.zip: valid: \d+ files, \d+ events, 11 cases accounted for, exit code 1\n$/,
    ),
  });
  command(['bundle', 'whole/events.jsonl', '--with-plugin', '--output', 'again.zip'], { TZ: 'UTC' });
  expect(readFileSync(join(directory, 'again.zip'))).toEqual(readFileSync(join(directory, 'whole', 'bundle.zip')));
});

test('the log has the environment without secrets', () => {
  const [header] = readFileSync(join(directory, 'whole', 'events.jsonl'), 'utf8').split('\n');
  const { environment } = JSON.parse(header!);
  expect(environment).toMatchObject({ XLA_FLAGS: '--a=b', PJRT_TOKEN: '[redacted]' });
  expect(header).not.toMatch(/HOME_OF_MINE|:"secret"/);
});

test('a merged log has its own chain, and can be packed too', () => {
  expect(command(['bundle', 'merged']).status).toBe(0);
  expect(command(['verify', 'merged/bundle.zip'])).toMatchObject({ status: 0, stderr: '' });
});

test('a violation is reported with its rule; an unreadable bundle has another exit code', () => {
  const text = readFileSync(join(directory, 'whole', 'bundle.zip'));
  writeFileSync(join(directory, 'cut.zip'), text.subarray(0, text.length / 2));
  expect(command(['verify', 'cut.zip'])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('not a readable bundle'),
  });
  const flipped = Buffer.from(text);
  flipped[text.length >> 1]! ^= 0xff;
  writeFileSync(join(directory, 'flipped.zip'), flipped);
  const { status, stdout } = command(['verify', 'flipped.zip', '--format', 'json']);
  expect([status, JSON.parse(stdout).violations[0].rule]).toEqual([1, 'archive-data']);
});

test('an unfinished run, or one whose files have changed, is not packed', () => {
  const log = readFileSync(join(directory, 'whole', 'events.jsonl'), 'utf8');
  writeFileSync(join(directory, 'cut.jsonl'), log.split('\n').slice(0, -2).join('\n'));
  expect(command(['bundle', 'cut.jsonl']).stderr).toMatch(
    /^error: cut\.jsonl: the run is unfinished: .* run --resume cut\.jsonl/,
  );
  appendFileSync(join(directory, 'suites', 'hostile.yaml'), '# later\n');
  expect(command(['bundle', 'whole'])).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(
      /^error: \S*events\.jsonl: files that the run used have changed:\n {2}suite hostile: sha256 /,
    ),
  });
});
