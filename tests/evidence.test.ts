import {
  appendFileSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { packagePath } from '../harness/base/paths.ts';
import type { Event } from '../harness/model/events.ts';
import { foldRun, type Run } from '../harness/model/run.ts';
import { readEvents } from '../harness/report/index.ts';
import { compile } from './support/c-compiler.ts';
import { command as builtCommand } from './support/command.ts';
import { buildHostile } from './support/hostile.ts';

/** What a run says of what really ran, and what it does if that is not what it should be. */

let root: string;
let directory: string;
let env: NodeJS.ProcessEnv;
let count = 0;
const LIST = ['--mustpass', '1.0', '--profile', 'no-device'];
const inside = (name: string): string => join(directory, name);
const command = (...args: string[]) => builtCommand(args, directory, env);
const run = (...more: string[]) =>
  command('run', '--plugin', './foo.so', '--workers', '1', '--quiet', '--output', 'out', ...more);
const logged = (): Run => foldRun(readEvents(inside('out/events.jsonl')) as Iterable<Event>);
const notes = (kind: string) => logged().notes.filter(({ fact }) => fact?.kind === kind);

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'pjrt-evidence-'));
  const include = `-I${packagePath('plugins', 'reference', 'generated')}`;
  const source = packagePath('tests', 'support', 'swaps.c');
  const build = (name: string, id: string) =>
    compile(['-shared', '-fPIC', include, source, '-o', join(root, name), '-ldl', `-Wl,--build-id=0x${id}`]);
  await build('foo.so', 'aa');
  await build('other.so', 'bb');
  copyFileSync(await buildHostile('toy'), join(root, 'base.so'));
  copyFileSync(await buildHostile('extension-bad-size'), join(root, 'other-base.so'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

beforeEach(() => {
  directory = join(root, String(count++));
  mkdirSync(directory);
  for (const name of ['foo.so', 'other.so', 'base.so', 'other-base.so']) copyFileSync(join(root, name), inside(name));
  env = { SWAPS_BASE: inside('base.so') };
});

const swapping = (before: string, after: string): void =>
  void Object.assign(env, { SWAPS_MARK: inside('mark'), SWAPS_OLD: inside(before), SWAPS_NEW: inside(after) });

describe.runIf(process.platform === 'linux')('the files of a run', () => {
  test('the log has what was mapped with the plugin, by path and build', () => {
    expect(run(...LIST).stderr).toBe('');
    const [plugin] = logged().plugins;
    const hash = { sizeBytes: expect.any(Number), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) };
    expect(plugin!.mapped).toContainEqual(
      expect.objectContaining({ path: inside('foo.so'), buildId: 'aa', ...hash, sha256: plugin!.sha256 }),
    );
    expect(plugin!.mapped).toContainEqual(expect.objectContaining({ path: inside('base.so'), ...hash }));
    expect(notes('changed')).toEqual([]);
    expect(logged().header!.tool.sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  test.each([
    ['the plugin', 'foo.so', 'other.so', /foo\.so changed during the run: at first SHA-256 /],
    ['a library of the plugin', 'base.so', 'other-base.so', /base\.so changed during the run: at first /],
  ])('%s is exchanged: the run fails, and says so', (_, before, after, message) => {
    swapping(before, after);
    const { status, stdout } = run('--profile', 'no-device');
    expect([status, stdout]).toEqual([1, expect.stringMatching(message)]);
    expect(notes('changed')).toEqual([expect.objectContaining({ breach: true })]);
    expect(readFileSync(inside('out/junit.xml'), 'utf8')).toContain('changed during the run');
  });

  test('the manifest is edited', () => {
    writeFileSync(inside('plugin.yaml'), 'library: ./foo.so\n');
    writeFileSync(inside('new.yaml'), 'library: ./foo.so\nserial: true\n');
    swapping('plugin.yaml', 'new.yaml');
    const { status } = command(
      'run',
      '--plugin',
      './plugin.yaml',
      '--profile',
      'no-device',
      '--quiet',
      '--output',
      'out',
    );
    expect(status).toBe(1);
    expect(notes('changed')).toEqual([expect.objectContaining({ breach: true })]);
    expect(notes('changed')[0]!.message).toContain('plugin.yaml changed during the run');
  });

  test('the same plugin is written again: it passes, with a note', () => {
    writeFileSync(inside('same.so'), readFileSync(inside('foo.so')));
    swapping('foo.so', 'same.so');
    expect(run('--profile', 'no-device').status).toBe(0);
    expect(notes('changed')).toEqual([expect.not.objectContaining({ breach: true })]);
  });
});

describe('what can replace the harness', () => {
  const planted = (): string => {
    writeFileSync(inside('planted.cjs'), '');
    return `--require ${inside('planted.cjs')}`;
  };

  test('a run of a list refuses it before it begins', () => {
    env.NODE_OPTIONS = planted();
    expect(run(...LIST)).toMatchObject({
      status: 2,
      stderr:
        'error: --mustpass: code of others can change what this run says: NODE_OPTIONS (--require, which can load code); run without it\n',
    });
    env.NODE_OPTIONS = '--max-old-space-size=2000 --no-warnings';
    expect(run(...LIST)).toMatchObject({ stderr: '' });
  });

  test('from a manifest too', () => {
    writeFileSync(inside('plugin.yaml'), stringify({ library: './foo.so', env: { NODE_OPTIONS: planted() } }));
    const args = ['run', '--plugin', './plugin.yaml', '--quiet', '--output', 'out'];
    expect(command(...args, ...LIST).stderr).toMatch(
      /^error: --mustpass: the manifest of plugin \(.*plugin\.yaml\) sets NODE_OPTIONS/,
    );
    command(...args, '--tests', 'load/*');
    expect(notes('foreign')).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/^the manifest of plugin sets NODE_OPTIONS/) }),
    ]);
  });

  test('in another run it is a note, and the log has the variable', () => {
    env.NODE_OPTIONS = planted();
    run('--tests', 'load/*');
    expect(notes('foreign').map(({ message }) => message)).toEqual([
      'NODE_OPTIONS is set: --require, which can load code; code of others can change what this run says',
    ]);
    expect(logged().header!.environment).toMatchObject({ NODE_OPTIONS: env.NODE_OPTIONS });
  });

  test('a tool whose files were changed runs no list', () => {
    const copy = inside('package');
    cpSync(packagePath('dist'), join(copy, 'dist'), {
      recursive: true,
      filter: (path) => !/\.(?:map|d\.ts)$/.test(path),
    });
    for (const name of [
      'package.json',
      'node_modules',
      'suites',
      'schemas',
      'frameworks',
      'mustpass',
      'consumers',
      'fixtures',
      'plugins',
      'templates',
    ])
      symlinkSync(packagePath(name), join(copy, name));
    const main = join(copy, 'dist', 'cli', 'main.cjs');
    const copied = () =>
      builtCommand(['run', '--plugin', './foo.so', ...LIST, '--quiet', '--output', 'out'], directory, env, main);
    expect(copied().stderr).toBe('');
    appendFileSync(join(copy, 'dist', 'worker', 'main.cjs'), '\n');
    expect(copied()).toMatchObject({
      status: 2,
      stderr:
        'error: --mustpass: 1 of the files of this package are not those that were published, such as dist/worker/main.cjs; install it again (in a checkout: npm run build)\n',
    });
  });
});

describe('a submission that was resumed', () => {
  const refusals = (): string => {
    const statement = {
      product: { vendor: 'example', name: 'foo', version: '1' },
      plugin: { file: 'foo.so', sha256: logged().plugins[0]!.sha256 },
      mustpass: { version: '1.0', profile: 'no-device' },
      hardware: 'none',
      driver: 'none',
      contact: 'foo@example.com',
    };
    const place = inside('results/example/foo/1');
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'statement.yaml'), stringify(statement));
    command('bundle', 'out', '--statement', join(place, 'statement.yaml'));
    copyFileSync(inside('out/bundle.zip'), join(place, 'bundle.zip'));
    return command('results', 'check').stdout;
  };

  test('is valid if it was stopped', () => {
    env.SWAPS_MARK = inside('mark');
    expect(run(...LIST).status).toBe(130);
    command('run', '--resume', 'out', '--quiet');
    expect(logged().resumed).toEqual([expect.objectContaining({ after: 'interrupted', begun: true })]);
    expect(refusals()).toMatch(/^✓ example\/foo\/1: /);
  });

  test('is refused if the end of its log was cut off', () => {
    run(...LIST);
    const log = inside('out/events.jsonl');
    const lines = readFileSync(log, 'utf8').split('\n');
    writeFileSync(log, `${lines.slice(0, -20).join('\n')}\n`);
    command('run', '--resume', 'out', '--quiet');
    expect(logged().notes.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^`results check` refuses this run: it was killed, or its log was cut/),
    );
    expect(refusals()).toMatch(
      /^✗ example\/foo\/1: resumed: at .*: it was killed, or its log was cut, and then resumed/,
    );
  });
});
