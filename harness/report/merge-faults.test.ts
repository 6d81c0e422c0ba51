import { describe, expect, it, test } from 'vitest';
import type { Event } from '../model/events.ts';
import { foldRun, type Header } from '../model/run.ts';
import { facts, footer, header, result, suiteEvents } from '../model/sample-log.test-helper.ts';
import { selectionDigest } from '../model/selection-digest.ts';
import { MergeError, mergeLogs } from './merge.ts';
import type { MergeFaultKind } from './merge-faults.ts';

const IDS = ['a:one', 'a:two', 'a:three', 'a:four'];
const SELECTION = { cases: IDS.length, sha256: selectionDigest(IDS) };
/** Two cases in each of two shards. */
const NAMES = [
  ['one', 'two'],
  ['three', 'four'],
];

interface Differences {
  header?: Partial<Header>;
  shard?: Partial<NonNullable<Header['shard']>>;
  options?: Record<string, unknown>;
  settings?: Record<string, unknown>;
  plugin?: Parameters<typeof facts>[0];
  names?: string[];
}

/** A finished shard of a run, with the differences. */
function shard(index: 1 | 2, more: Differences = {}): Event[] {
  const names = more.names ?? NAMES[index - 1]!;
  return [
    header({
      startedAt: `2026-02-03T04:05:0${index}.000Z`,
      shard: { index, count: 2, selection: SELECTION, ...more.shard },
      invocation: {
        cwd: '/data',
        options: { binding: 'now', ...more.options },
        settings: {
          createOptions: [['num_devices=2']],
          deadlines: { call: 60_000 },
          expectations: [],
          ...more.settings,
        },
      },
      ...more.header,
    }),
    { type: 'plugin', plugin: facts(more.plugin) },
    ...suiteEvents(
      'a',
      names.map((name) => ({ name, plan: { index: NAMES.flat().indexOf(name) }, result: result('pass') })),
    ),
    footer(),
  ];
}

const without = (events: readonly Event[], type: Event['type'], count = 1): Event[] => {
  const last = events.map((event) => event.type).lastIndexOf(type);
  return events.toSpliced(last, count);
};
const changed = (events: readonly Event[], type: Event['type'], more: object): Event[] =>
  events.map((event) => (event.type === type ? ({ ...event, ...more } as Event) : event));

const NO_SHARD = { header: { shard: undefined } } as unknown as Differences;
const LATER = { header: { startedAt: '2026-03-01T00:00:00.000Z' } };
const RESUMED: Event = {
  type: 'resume',
  startedAt: '2026-02-03T05:00:00.000Z',
  argv: [],
  atMs: 900,
  after: 'cut-off',
  tornBytes: 0,
};

function merged(logs: Readonly<Record<string, Event[]>>, options = {}): Event[] {
  return mergeLogs(
    Object.entries(logs).map(([name, events]) => ({ name: name.replace(/#.*/, ''), events })),
    options,
  );
}

function faultsOf(logs: Readonly<Record<string, Event[]>>, options = {}): MergeError['faults'] {
  try {
    merged(logs, options);
  } catch (error) {
    if (error instanceof MergeError) return error.faults;
    throw error;
  }
  return [];
}

test('the shards of a run are merged', () => {
  expect(faultsOf({ one: shard(1), two: shard(2) })).toEqual([]);
  const run = foldRun(merged({ two: shard(2), one: shard(1) }));
  expect([...run.cases.keys()]).toEqual(IDS);
  expect(run.footer).toMatchObject({ exitCode: 0, counts: { pass: 4 } });
});

/** What is wrong with a set of logs, and what is said about it. */
const WRONG: [string, Record<string, Event[]>, MergeFaultKind, RegExp][] = [
  ['the same log twice', { one: shard(1), 'one#2': shard(1), two: shard(2) }, 'twice', /^one is given twice$/],
  ['a copy', { one: shard(1), copy: shard(1), two: shard(2) }, 'twice', /^one is a copy of copy: leave one out$/],
  [
    'a log and what it was before it was resumed',
    { one: [...shard(1).slice(0, -1), RESUMED, footer()], old: shard(1).slice(0, -1), two: shard(2) },
    'earlier-copy',
    /^old is an earlier state of one, .*: leave old out$/,
  ],
  [
    'the same shard of another run',
    { one: shard(1), again: shard(1, LATER), two: shard(2) },
    'same-shard',
    /^one and again are both shard 1 of 2, of runs that began at 2026-02-03.* and 2026-03-01/,
  ],
  [
    'shards that overlap',
    { one: shard(1), two: shard(2, { names: ['two', 'three', 'four'] }) },
    'same-case',
    /^case a:two is in one and in two$/,
  ],
  ['a missing shard', { one: shard(1) }, 'missing-shard', /^the log of shard 2 of 2 is missing/],
  [
    'shards that lack a case',
    { one: shard(1), two: shard(2, { names: ['three'] }) },
    'missing-case',
    /^the logs have 3 cases, of 4 that were selected/,
  ],
  [
    'another number of shards',
    { one: shard(1), two: shard(2, { shard: { count: 3 } }) },
    'other-count',
    /one has 2, two has 3$/,
  ],
  [
    'a whole run',
    { one: shard(1), two: shard(2, NO_SHARD) },
    'whole-run',
    /^two is not a shard: it is the log of a whole run/,
  ],
  [
    'other bytes of the plugin',
    { one: shard(1), two: shard(2, { plugin: { sha256: 'ff'.repeat(32) } }) },
    'other-plugin',
    /^plugins: one has .*abab.*, two has .*ffff/,
  ],
  ['another plugin', { one: shard(1), two: shard(2, { plugin: { name: 'other' } }) }, 'other-plugin', /"other"/],
  [
    'another suite file',
    { one: shard(1), two: changed(shard(2), 'suite', { sha256: 'ff' }) },
    'other-suite',
    /^suite a: one and two have different files$/,
  ],
  [
    'another selection',
    { one: shard(1), two: shard(2, { shard: { selection: { cases: 9, sha256: 'ff' } } }) },
    'other-selection',
    /^selected cases: one has \{"cases":4,.*two has \{"cases":9,/,
  ],
  [
    'another profile',
    { one: shard(1), two: shard(2, { header: { profile: 'smoke' } }) },
    'other-profile',
    /"standard".*"smoke"/,
  ],
  [
    'the corpus',
    { one: shard(1), two: shard(2, { header: { profile: 'corpus' } }) },
    'other-profile',
    /two has "corpus"/,
  ],
  [
    'another version of the tool',
    { one: shard(1), two: shard(2, { header: { tool: { name: 'pjrt-conformance', version: '9.9.9' } } }) },
    'other-tool',
    /^version of the tool: .*two has "9\.9\.9"/,
  ],
  [
    'another accuracy profile',
    { one: shard(1), two: shard(2, { header: { numerics: { profile: 'strict', from: 'option' } } }) },
    'other-settings',
    /^accuracy profile: .*two has "strict"/,
  ],
  [
    'other expectations',
    {
      one: shard(1),
      two: shard(2, { header: { expectations: { files: [{ file: 'e.yaml', sha256: 'ee' }], date: '2026-02-03' } } }),
    },
    'other-expectations',
    /^expectations files: one has \[\], two has \["ee"\]$/,
  ],
  [
    'another strictness',
    { one: shard(1), two: shard(2, { header: { options: { strict: true } } }) },
    'other-options',
    /"strict"/,
  ],
  [
    'another --as-api',
    { one: shard(1), two: shard(2, { options: { asApi: { minor: 60 } } }) },
    'other-options',
    /^--as-api: .*60/,
  ],
  [
    'another --repeat',
    { one: shard(1), two: shard(2, { options: { repeat: 3 } }) },
    'other-options',
    /^--repeat: .*two has 3/,
  ],
  [
    'other create options',
    { one: shard(1), two: shard(2, { settings: { createOptions: [['num_devices=4']] } }) },
    'other-settings',
    /^create options: .*=2.*=4/,
  ],
  [
    'other deadlines',
    { one: shard(1), two: shard(2, { settings: { deadlines: { call: 1 } } }) },
    'other-settings',
    /^deadlines: .*two has \{"call":1\}/,
  ],
  [
    'another file of durations',
    { one: shard(1), two: shard(2, { shard: { durations: { file: 'd.json', sha256: 'dd' } } }) },
    'other-durations',
    /^file of durations \(sha256\): one has "none", two has "dd"$/,
  ],
  [
    'another API version on the other machine',
    { one: shard(1), two: shard(2, { plugin: { apiVersion: { major: 0, minor: 91 } } }) },
    'other-machine',
    /^API version of the plugin: one has "0\.90", two has "0\.91"$/,
  ],
  [
    'another platform',
    { one: shard(1), two: shard(2, { plugin: { platformVersion: 'driver 2' } }) },
    'other-machine',
    /^platform of the plugin: .*driver 2/,
  ],
  [
    'other devices',
    { one: shard(1), two: shard(2, { plugin: { devices: [{ id: 0, kind: 'Example 2', debug: '' }] } }) },
    'other-machine',
    /^devices: one has \["Example","Example"\], two has \["Example 2"\]$/,
  ],
  [
    'an unfinished log',
    { one: shard(1), two: without(without(shard(2), 'footer'), 'case') },
    'unfinished',
    /^two has no end: the run is unfinished, 1 of 2 cases have no result \(a:four\); to resume it: .* run --resume two$/,
  ],
  [
    'a log that was cut off before the plugin was loaded',
    { one: shard(1), two: [...shard(2).slice(0, 1), ...shard(2).slice(2, 3)] },
    'unfinished',
    /^two has no end: the run is unfinished, 2 of 2 cases/,
  ],
  [
    'a log that ends after its last result',
    { one: shard(1), two: without(shard(2), 'footer') },
    'unfinished',
    /^two has no end: the run is unfinished; to resume it/,
  ],
  [
    'a run that stopped early',
    { one: shard(1), two: without(shard(2), 'case') },
    'stopped',
    /^two stopped early: 1 of 2 cases have no result \(a:four\)/,
  ],
];

describe('a set of logs is refused that has', () => {
  it.each(WRONG)('%s', (_, logs, kind, message) => {
    const faults = faultsOf(logs);
    expect(faults.map((fault) => fault.kind)).toEqual([kind]);
    expect(faults[0]!.message).toMatch(message);
  });
});

test('only what is missing can be allowed, and is reported', () => {
  for (const [name, logs, kind] of WRONG) {
    const incomplete = ['missing-shard', 'missing-case', 'unfinished', 'stopped'].includes(kind);
    expect(faultsOf(logs, { allowMissing: true }).length === 0, name).toBe(incomplete);
  }
  const run = foldRun(merged({ one: shard(1) }, { allowMissing: true }));
  expect(run.footer).toMatchObject({ exitCode: 5, verdict: expect.stringContaining('shard 2 of 2 is missing') });
});

describe('a set of logs is merged whose shards', () => {
  it.each<[string, Record<string, Event[]>]>([
    [
      'are on machines with other names and processors',
      { one: shard(1), two: shard(2, { header: { host: { ...header().host, name: 'other', cpus: 96 } } }) },
    ],
    ['had other numbers of workers', { one: shard(1), two: shard(2, { options: { workers: 3 } }) }],
    [
      'did not all create a client',
      { one: shard(1), two: shard(2, { plugin: { devices: undefined, platformName: undefined } as never }) },
    ],
    [
      'are of a version that did not record the selection',
      {
        one: shard(1, { header: { shard: { index: 1, count: 2 }, invocation: undefined } as never }),
        two: shard(2, { header: { shard: { index: 2, count: 2 }, invocation: undefined } as never }),
      },
    ],
    ['were resumed', { one: [...shard(1).slice(0, -1), RESUMED, footer()], two: shard(2) }],
  ])('%s', (_, logs) => {
    expect(faultsOf(logs)).toEqual([]);
  });
});

test('a mixture of shards with and without a recorded selection is refused', () => {
  const old = shard(2, {
    header: { tool: { name: 'pjrt-conformance', version: '0.0.9' }, shard: { index: 2, count: 2 } },
  });
  expect(faultsOf({ one: shard(1), two: old }).map(({ kind }) => kind)).toEqual(['other-tool']);
});

test('many shared cases are one line', () => {
  const names = Array.from({ length: 40 }, (_, i) => `case-${i}`);
  const faults = faultsOf({ one: shard(1, { names }), two: shard(2, { names }) });
  expect(faults.map(({ message }) => message)).toEqual([
    '40 cases: a:case-0, a:case-1, a:case-2 and 37 more are in one and in two',
  ]);
});
