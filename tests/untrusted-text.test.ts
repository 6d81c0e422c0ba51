/** What a plugin and its users say, in everything that a run writes: no credentials, no commands, no more than there is room for. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { INJECTIONS, obeyed } from '../harness/base/ci-readers.test-helper.ts';
import { packagePath } from '../harness/base/paths.ts';
import type { Event } from '../harness/model/events.ts';
import type { Finding } from '../harness/model/finding.ts';
import { compile } from './support/c-compiler.ts';
import { type CliRun, cli } from './support/cli.ts';
import { referenceLibrary } from './support/reference.ts';

let directory: string;
let plugin: string;
let base: NodeJS.ProcessEnv;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-text-'));
  plugin = join(directory, 'pjrt-plugin-talker.so');
  const include = `-I${packagePath('plugins', 'reference', 'generated')}`;
  await compile(['-shared', '-fPIC', include, packagePath('tests', 'support', 'talker.c'), '-o', plugin, '-ldl']);
  base = { TALKER_BASE: await referenceLibrary(), TALKER_FILE: join(directory, 'said.txt') };
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const REPORTS = ['html', 'markdown', 'sarif', 'gitlab', 'ctrf', 'badge', 'durations'].flatMap((r) => ['--report', r]);

interface Said extends CliRun {
  /** Everything that it wrote, by file. */
  files: Map<string, string>;
  out: string;
}

let runs = 0;

/** Runs cases that fail or have errors, with a plugin that says a text. */
async function saying(said: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Said> {
  writeFileSync(base.TALKER_FILE!, said);
  const out = join(directory, `out ${runs++}`);
  const more = ['--suite', 'errors/contract', '--suite', 'devices', '--suite', 'client', '--workers', '1', ...REPORTS];
  const run = await cli(['run', '--plugin', plugin, ...more, '--output', out, ...args], {
    cwd: directory,
    env: { ...base, ...env },
  });
  const files = filesOf(out);
  const lines = Buffer.from(files.get('events.jsonl')!, 'latin1').toString().trimEnd().split('\n');
  return { ...run, out, files, events: lines.map((line) => JSON.parse(line) as Event) };
}

const filesOf = (out: string): Map<string, string> =>
  new Map(
    readdirSync(out, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(out, name)).isFile())
      .map((name) => [name, readFileSync(join(out, name), 'latin1')]),
  );

const findingsOf = ({ events }: CliRun): Finding[] =>
  events.flatMap((event) => (event.type === 'case' ? event.result.findings : []));

/** A credential of its own for each place. */
let count = 0;
const secrets: string[] = [];
function secret(): string {
  const one = `Zk3vQ9x${String(count++).padStart(3, '0')}T7bLm`;
  secrets.push(one);
  return one;
}

test('credentials are in no file and on no terminal, wherever they were put', { timeout: 300_000 }, async () => {
  const [given, quoted, inherited] = [secret(), secret(), secret()];
  const env = {
    GITHUB_ACTIONS: 'true',
    GITHUB_STEP_SUMMARY: join(directory, 'summary.md'),
    XLA_FLAGS: `--xla_dump_hlo_pass_re=.* --token=${secret()} --max_tokens=100`,
    PJRT_API_KEY: secret(),
    JAX_CRED: secret(),
    TPU_VENDOR_LICENSE: secret(),
    XLA_APIKEY: secret(),
    NEURON_SESSION_PASSWORD: secret(),
    PJRT_STORE: `redis://me:${secret()}@cache:6379/0`,
    PJRT_MODEL_URL: `https://b.s3.amazonaws.com/k?X-Amz-Credential=${secret()}&X-Amz-Security-Token=${secret()}&X-Amz-Signature=${secret()}`,
    PJRT_BLOB: `https://a.blob.core.windows.net/c/b?sv=2022-11-02&sig=${secret()}`,
    PJRT_OLD_URL: `https://b/k?AWSAccessKeyId=${secret()}&Signature=${secret()}`,
    XLA_HOOK: `https://hooks.slack.com/services/T000/B000/${secret()}`,
    XLA_DB: `Server=db;User Id=me;Password=${secret()};AccountKey=${secret()}==`,
    JAX_HEADER: `Authorization: Bearer ${secret()}`,
    LD_X: `-----BEGIN PRIVATE KEY-----\n${secret()}\n-----END PRIVATE KEY-----`,
    TZ: 'UTC',
    // Not recorded, but the plugin may say it.
    MY_DEPLOY_TOKEN: inherited,
  };
  const said = [
    `the option value ${given} and ${quoted} are unknown, as is ${inherited}`,
    `api_key=${secret()}`,
    `{"client_secret": "${secret()}"}`,
    `{\\"auth_token\\":\\"${secret()}\\"}`,
    `password: ${secret()}`,
    `curl -u me:${secret()} -H 'X-Api-Key: ${secret()}' https://x`,
    `Set-Cookie: sid=${secret()}; Path=/`,
    `ghp_${secret()}${secret()} glpat-${secret()}${secret()} hf_${secret()}${secret()}`,
    `eyJhbGciOiJIUzI1NiJ9.${secret()}.${secret()}`,
    `https://discord.com/api/webhooks/1/${secret()} https://${secret()}@github.com/a/b`,
    `http://x/?access_token=${secret()}&token=${secret()}&key=${secret()}`,
    `--token ${secret()} --api-key='${secret()}'`,
    `machine x login me password ${secret()}`,
    `xoxb-1-${secret()} sk-proj-${secret()}${secret()} AIza${secret()}${secret()}`,
  ].join('\n');
  const args = [
    '--option',
    `api_key=${given}`,
    '--option',
    `auth_token:string=${quoted}`,
    '--option',
    'max_tokens=100',
  ];
  const run = await saying(said, [...args, '--debug'], env);
  expect(secrets.length).toBeGreaterThan(45);
  const written = [...run.files, ['stdout', run.stdout], ['stderr', run.stderr]];
  written.push(['summary', readFileSync(env.GITHUB_STEP_SUMMARY, 'utf8')]);
  const found = written.flatMap(([name, text]) =>
    secrets.filter((one) => text!.includes(one)).map((one) => [name, one]),
  );
  expect(found).toEqual([]);
  expect(run.files.size).toBeGreaterThan(10);
  // What is no credential is still there.
  const log = run.files.get('events.jsonl')!;
  for (const text of ['max_tokens=100', '--xla_dump_hlo_pass_re=.*', 'api_key=[redacted]', 'User Id=me']) {
    expect(log).toContain(text);
  }
  expect(log).toContain('the option value [redacted] and [redacted] are unknown, as is [redacted]');

  // Without its end, as after a kill: what the log does not have must be given again.
  const lines = log.trimEnd().split('\n');
  writeFileSync(join(run.out, 'events.jsonl'), `${lines.slice(0, -30).join('\n')}\n`, 'latin1');
  const resume = ['run', '--resume', join(run.out, 'events.jsonl')];
  const refused = await cli(resume, { env: { ...base, ...env } });
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toMatch(
    /the log keeps no credentials, so give this again, with what was \[redacted\]: --option 'api_key=\[redacted\]' .*'max_tokens=100'/,
  );
  const resumed = await cli([...resume, ...args], { env: { ...base, ...env } });
  expect(resumed.exitCode).toBe(1);
  expect(readFileSync(join(run.out, 'events.jsonl'), 'utf8')).toContain('was killed and was resumed');
  for (const [name, text] of filesOf(run.out))
    expect([name, secrets.filter((one) => text.includes(one))]).toEqual([name, []]);

  for (const command of ['doctor', 'inspect']) {
    const options = command === 'doctor' ? args : [];
    for (const format of ['text', 'json']) {
      const { stdout, stderr } = await cli([command, plugin, ...options, '--format', format], {
        env: { ...base, ...env },
      });
      expect(secrets.filter((one) => (stdout + stderr).includes(one))).toEqual([]);
    }
  }
  const wrong = await cli(['run', '--plugin', plugin, '--option', `api_key:int64=${given}`], {
    env: { ...base, ...env },
  });
  expect(wrong.exitCode).toBe(2);
  expect(wrong.stderr).not.toContain(given);
});

test('no command of a CI system is in the output, whoever says it', { timeout: 300_000 }, async () => {
  const said = `${INJECTIONS.join('\n')}\n`;
  const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(directory, 'summary.md') };
  for (const more of [[], ['--verbose'], ['--debug']]) {
    const { stdout, stderr } = await saying(said, more, env);
    // The annotations of the harness itself, one a line.
    let others = stdout.replace(
      /^::(?:error|warning|notice) file=[^:\n]*,line=\d+,title=[^:\n]*::(.*)$/gm,
      'annotation: $1',
    );
    expect(others).toContain('annotation: ');
    others = others.replace(/^::(?:error|warning)::\d+ more of the same kind/gm, '');
    expect(obeyed(others)).toEqual([]);
    expect(obeyed(stderr)).toEqual([]);
  }
  // Names of plugins, of files, and what a manifest says.
  for (const [i, text] of INJECTIONS.filter((one) => !/[/\0]/.test(one)).entries()) {
    const place = join(directory, `place ${i}`, text);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'manifest.json'), JSON.stringify({ name: text, library: text, [text]: text }));
    const { stdout, stderr, exitCode } = await inPlace(
      ['run', '--plugin', `${text}/manifest.json`],
      join(directory, `place ${i}`),
    );
    expect(exitCode).toBe(2);
    expect(obeyed(stdout + stderr)).toEqual([]);
    if (i % 6 === 0) {
      const named = await inPlace(['inspect', `${text}\n${text}.so`, '--format', 'json'], place);
      expect(obeyed(named.stdout + named.stderr)).toEqual([]);
    }
  }
});

const inPlace = (args: readonly string[], cwd: string): Promise<CliRun> => cli(args, { cwd, env: base });

test('a message of an impossible size is a finding, and nothing behind it is read', { timeout: 300_000 }, async () => {
  const run = await saying('short', [], { TALKER_SIZE: String(2n ** 62n) });
  expect(findingsOf(run).map(({ message }) => message)).toContainEqual(
    expect.stringContaining('returned an error whose message has 4611686018427387904 bytes, which no message has'),
  );
  for (const [name, text] of run.files) expect([name, text.includes('the-neighbouring-memory')]).toEqual([name, false]);
  expect(run.exitCode).toBe(1);
});

test('long messages are cut, and what was cut is counted', { timeout: 300_000 }, async () => {
  const run = await saying('a long message '.repeat(1 << 17));
  const texts = findingsOf(run).flatMap(({ message, detail = '', said = '' }) => [message, detail, said]);
  expect(texts.filter((text) => / … \[\d+ bytes omitted\]$/.test(text))).not.toEqual([]);
  for (const text of texts) expect(text.length).toBeLessThan(33 << 10);
  for (const [name, text] of run.files) expect([name, text.length < 8 << 20]).toEqual([name, true]);
});
