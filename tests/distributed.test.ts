import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStore } from '../harness/host/store/open-store.ts';
import { waitFor } from '../harness/host/store/store.ts';
import { type CliRun, cli, livingProcesses, runCli, verdicts } from './support/cli.ts';
import { referenceLibrary } from './support/reference.ts';
import { hasStore, type RunningStore, startStore } from './support/stores.ts';

// Jobs of several processes of the reference plugin, through the built-in store, a real Redis and a real etcd.

let plugin: string;
beforeAll(async () => {
  plugin = await referenceLibrary();
});

const run = (...more: string[]): Promise<CliRun> => runCli(['--plugin', plugin, '--quiet', ...more]);

const EVERYTHING = ['--tests', 'distributed/*'];
const START = ['--tests', 'distributed/start:*'];
/** Without most of what the store and nodes do wrong, which takes long and is the same whatever the store is. */
const MOST = [...START, '--tests', 'distributed/collectives:*', '--tests', 'distributed/faults:store-*'];

function expectPass(result: CliRun, atLeast: number): void {
  expect(Object.entries(verdicts(result)).filter(([, status]) => status !== 'pass')).toEqual([]);
  expect(Object.keys(verdicts(result)).length).toBeGreaterThan(atLeast);
  expect(result.exitCode).toBe(0);
  expect(livingProcesses(result.events)).toEqual([]);
  expect(result.leftovers).toEqual([]);
}

test('two processes meet through the built-in store', async () => {
  expectPass(await run('--nodes', '2', ...EVERYTHING), 30);
});

test('four processes meet through the built-in store', async () => {
  expectPass(await run('--nodes', '4', ...START), 5);
});

test('nodes that compute together need a device each, if a variable says which devices a process has', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'conformance-shares-'));
  try {
    const manifest = join(directory, 'shared.yaml');
    const knownOptions = ['num_devices', 'node_id', 'num_nodes'].map(
      (name) => `${name}: {kind: int64, description: x}`,
    );
    writeFileSync(
      manifest,
      `name: shared\nlibrary: ${plugin}\nknownOptions: {${knownOptions.join(', ')}}\ndevices: {visibleBy: [SHARED_DEVICES]}\n`,
    );
    const one = async (devices: number) =>
      verdicts(
        await runCli([
          ...['--plugin', manifest, '--quiet', '--option', `num_devices=${devices}`],
          ...['--tests', 'distributed/collectives:pair[program=multi/replicas_all_reduce]'],
          ...['--tests', 'distributed/collectives:alone'],
        ]),
      );
    expect(Object.values(await one(1)).sort()).toEqual(['pass', 'unsupported']);
    expect(Object.values(await one(2))).toEqual(['pass', 'pass']);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

// Each store is used in both ways; what takes long goes through one of them.
const STORES = [
  { kind: 'redis', four: START, harnesses: MOST, atLeast: [5, 15] },
  { kind: 'etcd', four: MOST, harnesses: START, atLeast: [15, 5] },
] as const;

describe.each(STORES)('$kind', ({ kind, four, harnesses, atLeast }) => {
  const there = hasStore(kind);
  let store: RunningStore;
  beforeAll(async () => {
    if (there) store = await startStore(kind);
  });
  afterAll(() => store?.stop());
  const name = (what: string) => (there ? what : `${what} (skipped: ${kind} is not installed)`);

  test.skipIf(!there)(name('four processes meet through it'), async () => {
    expectPass(await run('--nodes', '4', '--store', store.url, ...four), atLeast[0]);
  });

  test.skipIf(!there)(name('harnesses with one process each meet through it'), async () => {
    const both = await Promise.all(
      ['0/2', '1/2'].map((node) => run('--node', node, '--store', store.url, ...harnesses)),
    );
    for (const one of both) expectPass(one, atLeast[1]);
  });

  test.skipIf(!there)(name('keys and values are any bytes'), async () => {
    const open = await openStore(store.url, {});
    const [key, value] = ['\u0000\u00ff key/*?[a]', Uint8Array.from({ length: 256 }, (_, i) => i)];
    await open.write(key, value);
    expect(await open.read(key)).toEqual(value);
    await open.write(key, new Uint8Array());
    expect(await open.read(key)).toEqual(new Uint8Array());
    await open.remove([key]);
    expect(await open.read(key)).toBeUndefined();
    await open.close();
  });

  test.skipIf(!there)(name('whoever waits when it goes away gets an error at once'), async () => {
    const other = await startStore(kind);
    const open = await openStore(other.url, {});
    const waiting = waitFor(open, 'never', 600_000);
    const ended = expect(waiting).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await other.stop();
    await ended;
    await open.close();
  });

  test.skipIf(!there)(name('a store that goes away during a run is no finding about the plugin'), async () => {
    const other = await startStore(kind);
    const running = cli(
      ['run', '--plugin', plugin, '--tests', 'distributed/start:end*', '--store', other.url, '--output', 'out'],
      {
        started: (child) => child.stdout!.once('data', () => void other.stop()),
      },
    );
    const { report, exitCode } = await running;
    const cases = report.suites.flatMap((suite) => suite.cases);
    expect(cases.map(({ status }) => status)).toEqual(['error', 'error']);
    for (const { reason } of cases) expect(reason).toContain(`${kind}://127.0.0.1:`);
    expect(exitCode).not.toBe(1);
  });
});
