import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { compatibility } from '../harness/commands/compat/compat.ts';
import { diagnose } from '../harness/commands/doctor/diagnose.ts';
import type { Diagnosis } from '../harness/commands/doctor/diagnosis.ts';
import type { Event } from '../harness/model/events.ts';
import { readSuite } from '../harness/suite/load.ts';
import { loadRequirements } from '../harness/suite/requirements.ts';
import { findRelease } from '../harness/verdict/frameworks/load.ts';
import { parseRelease } from '../harness/verdict/frameworks/spec.ts';
import { RUN } from '../tools/mutation/catalogue.ts';
import { judge, observe } from '../tools/mutation/judge.ts';
import { sampleFault } from '../tools/mutation/sample-fault.test-helper.ts';
import { cli, quietEnvironment } from './support/cli.ts';
import { buildHostile, buildOnToy } from './support/hostile.ts';
import { SCRAMBLES, type Scramble, scrambled, scrambledFramework } from './support/scrambled.ts';

/**
 * Messages are for people: nothing may be decided by what they say. Here the real engines see what they saw before, with every
 * message replaced, and must decide the same.
 */

/** What workers reported, in the order of the runs, and whether runs are recorded or repeated from here. */
const tape = vi.hoisted(() => ({
  runs: [] as Event[][],
  next: 0,
  scramble: undefined as Scramble | undefined,
}));

vi.mock('../harness/host/runner.ts', async (original) => {
  const actual = await original<typeof import('../harness/host/runner.ts')>();
  const runPlan: typeof actual.runPlan = async (plan, emit) => {
    const { scramble } = tape;
    if (scramble) {
      for (const event of tape.runs[tape.next++] ?? []) emit(scrambled(structuredClone(event), scramble));
      return;
    }
    const events: Event[] = [];
    tape.runs.push(events);
    await actual.runPlan(plan, (event) => {
      events.push(structuredClone(event));
      emit(event);
    });
  };
  return { ...actual, runPlan };
});

// The rest of what engines are given as text: what a file is, and what is wrong with the YAML of a suite.
vi.mock('../harness/commands/inspect/file-facts.ts', async (original) => {
  const actual = await original<typeof import('../harness/commands/inspect/file-facts.ts')>();
  const fileFacts: typeof actual.fileFacts = (path, host) => {
    const { scramble } = tape;
    const { facts, misfit, ...look } = actual.fileFacts(path, host);
    const change = scramble ?? ((text: string) => text);
    return {
      ...look,
      facts: {
        ...facts,
        description: change(facts.description),
        ...(facts.unloadable === undefined ? {} : { unloadable: change(facts.unloadable) }),
        ...(facts.elf ? { elf: { ...facts.elf, faults: [...facts.elf.faults, ...damage(path)].map(change) } } : {}),
      },
      ...(misfit ? { misfit: { ...misfit, what: change(misfit.what) } } : {}),
    };
  };
  return { ...actual, fileFacts };
});

/** A file that the loader takes although it is damaged. */
const damage = (path: string): string[] => (basename(path) === 'damaged.so' ? ['a table is cut off'] : []);

vi.mock('../harness/suite/located-yaml.ts', async (original) => {
  const actual = await original<typeof import('../harness/suite/located-yaml.ts')>();
  const parseYaml: typeof actual.parseYaml = (text, file) => {
    const { scramble } = tape;
    const document = actual.parseYaml(text, file);
    const change = scramble ?? ((message: string) => message);
    return { ...document, problems: document.problems.map((p) => ({ ...p, message: change(p.message) })) };
  };
  return { ...actual, parseYaml };
});

// Workers are started from what is built: their sources would need a compiler.
vi.mock('../harness/base/paths.ts', async (original) => {
  const actual = await original<typeof import('../harness/base/paths.ts')>();
  return { ...actual, programPath: (name: string) => actual.packagePath('dist', `${name}.cjs`) };
});

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-scrambled-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));
beforeEach(() => {
  tape.runs = [];
  tape.scramble = undefined;
});

/** What an engine decides as things are, and with every message replaced. */
async function decisions<T>(decide: () => Promise<T>): Promise<[asIs: T, ...others: (readonly [string, T])[]]> {
  const asIs = await decide();
  const others: (readonly [string, T])[] = [];
  for (const [name, scramble] of SCRAMBLES) {
    tape.scramble = scramble;
    tape.next = 0;
    others.push([name, await decide()]);
    expect(tape.next, 'the same runs as before').toBe(tape.runs.length);
  }
  return [asIs, ...others];
}

const around = () => ({
  cwd: directory,
  env: quietEnvironment(),
  argv: [],
  stdout: { write: () => {} },
  stderr: { write: () => {} },
  signal: new AbortController().signal,
});

/** A plugin in C: the toy, changed. */
function onToy(name: string, code: string): Promise<string> {
  const source = join(directory, `${name}.c`);
  writeFileSync(source, `#include "fault.h"\n${code}`);
  return buildOnToy(source, join(directory, `${name}.so`));
}

const NOT_ON_CPU = `
static PJRT_Error *not_on_cpu(PJRT_Buffer_IsOnCpu_Args *args) { args->is_on_cpu = 0; return 0; }
static PJRT_Error *no_download(PJRT_Buffer_ToHostBuffer_Args *args) {
  (void)args;
  return toy_error(PJRT_Error_Code_INTERNAL, "no way back");
}
static void spoil(PJRT_Api *api) {
  api->PJRT_Buffer_IsOnCpu = not_on_cpu;
  api->PJRT_Buffer_ToHostBuffer = no_download;
}
TOY_PLUGIN(spoil)
`;
const SHORT_TABLE = `
#include <stddef.h>
static void spoil(PJRT_Api *api) { api->struct_size = offsetof(PJRT_Api, PJRT_Error_ForEachPayload); }
TOY_PLUGIN(spoil)
`;
const IN_USE = `
#include <stdio.h>
FAULT_IN(PJRT_Client_Create) {
  fprintf(stderr, "not again\\n");
  return toy_error(PJRT_Error_Code_ABORTED, "The accelerator is already in use.");
}
`;

const own = new Map<string, string>([
  ['not-on-cpu', NOT_ON_CPU],
  ['short-table', SHORT_TABLE],
  ['in-use', IN_USE],
]);
async function plugin(name: string): Promise<string> {
  const code = own.get(name);
  if (code !== undefined) return onToy(name, code);
  if (name !== 'damaged') return buildHostile(name);
  const library = join(directory, 'damaged.so');
  copyFileSync(await buildHostile('no-get-pjrt-api'), library);
  return library;
}

describe('compat', () => {
  const RELEASES = ['jax@0.4.38', 'jax', 'pytorch-xla', 'tensorflow'].map(parseRelease);
  const seen = new Map<string, unknown>();

  /** What it says of each release, without what it quotes. */
  async function verdicts(library: string) {
    const options = {
      plugin: [library],
      binding: 'lazy',
      compatibility: true,
      fetch: false,
      timeoutCall: 2000,
    } as const;
    const { scramble } = tape;
    const chosen = RELEASES.map(({ framework, release }) => {
      const scrambled = scramble ? scrambledFramework(framework, scramble) : framework;
      return { framework: scrambled, release: findRelease(scrambled, release.version)! };
    });
    const found = await compatibility(chosen, { ...options, plugin: [library] }, around(), () => {});
    if (!('rows' in found)) return Object.keys(found);
    return found.rows.map(({ release, prediction, window }) => ({
      release: release.version,
      outcome: prediction.outcome,
      moment: prediction.moment,
      facts: prediction.facts.length,
      limits: prediction.limits.length,
      untried: prediction.untried.length,
      hasMessage: prediction.message !== undefined,
      hasClient: prediction.noClient === undefined,
      standing: window.standing,
    }));
  }

  test.each([
    'toy',
    'not-on-cpu',
    'short-table',
    'dtor-crash',
    'client-create-error',
    'segv-in-client-create',
    'exit3-in-compile',
    'null-slots',
    'no-get-pjrt-api',
  ])('%s', async (name) => {
    const library = await plugin(name);
    const [asIs, ...others] = await decisions(() => verdicts(library));
    for (const [scramble, verdict] of others) expect({ scramble, verdict }).toEqual({ scramble, verdict: asIs });
    seen.set(name, asIs);
  });

  test('the plugins are distinguished', () => {
    for (const name of ['not-on-cpu', 'dtor-crash', 'client-create-error', 'segv-in-client-create']) {
      expect(seen.get(name), name).not.toEqual(seen.get('toy'));
    }
  });
});

describe('doctor', () => {
  /** What it decides, without the sentences. */
  const decided = ({ usable, devices, exitCode, findings }: Diagnosis) => ({
    usable,
    devices,
    exitCode,
    findings: findings.map(({ id, severity, next, evidence }) => ({
      id,
      severity,
      next,
      lines: id === 'file' ? evidence.length : undefined,
      quotesStderr: id === 'client' && evidence.some((line) => line.startsWith('stderr: ')),
    })),
  });
  const options = { binding: 'now', fetch: false, timeout: 2000 } as const;

  test.each([
    ['toy', 'file'],
    ['not-elf', 'file'],
    ['wrong-arch', 'file'],
    ['missing-dependency', 'needed-library'],
    ['undefined-symbol', 'undefined-symbol'],
    ['no-get-pjrt-api', 'entry-point'],
    ['damaged', 'damaged'],
    ['returns-null', 'load'],
    ['struct-size-0', 'load'],
    ['major-1', 'version'],
    ['abort-at-load', 'death'],
    ['segv-in-client-create', 'death'],
    ['hang-in-client-create', 'death'],
    ['null-slots', 'devices'],
    ['client-create-error', 'client'],
    ['in-use', 'lock-file'],
  ])('%s', async (name, first) => {
    const library = await plugin(name);
    const lock = join(directory, 'lock');
    writeFileSync(lock, '');
    const manifest = join(directory, `${name}.json`);
    const hardware = { name: 'a Foo', lockFiles: [lock], advice: 'have one', source: 'this test' };
    writeFileSync(manifest, JSON.stringify({ name, description: 'A test.', library, hardware }));
    const spec = name === 'in-use' ? manifest : library;
    const texts = new Set<string>();
    const [asIs, ...others] = await decisions(async () => {
      const diagnosis = await diagnose(spec, options, around(), (_, work) => work);
      for (const { what, evidence } of diagnosis.findings) texts.add([what, ...evidence].join('\n'));
      return decided(diagnosis);
    });
    expect(asIs.findings[0]?.id).toBe(first);
    if (name === 'in-use') expect(asIs.findings.some(({ quotesStderr }) => quotesStderr)).toBe(true);
    for (const [scramble, verdict] of others) expect({ scramble, verdict }).toEqual({ scramble, verdict: asIs });
    expect([...texts].some((text) => text.includes('qwx'))).toBe(true);
  });
});

describe("mutation's judge", () => {
  /** Faults that its cases could detect, that they could not, and that show outside cases. */
  const FAULTS = [
    sampleFault('covered', { breaks: ['CLI-LKP-001'] }),
    sampleFault('uncovered', { breaks: ['XXX-YYY-001'] }),
    sampleFault('outside', { breaks: [], cases: [RUN] }),
  ];

  test.each([
    ['success-with-null', ['--tests', 'client/lookup*'], ['detected', 'wrong-case', 'wrong-case']],
    [
      'success-with-null',
      ['--tests', 'client/lookup*', '--max-failures', '1'],
      ['detected', 'wrong-case', 'wrong-case'],
    ],
    ['major-1', ['--tests', 'client/lookup*'], ['wrong-case', 'wrong-case', 'detected']],
    ['dtor-crash', ['--tests', 'client/lookup*'], ['missed', 'missed', 'missed']],
  ])('%s %j', async (name, args, outcomes) => {
    const command = ['run', '--plugin', await buildHostile(name), ...args, '--output', 'out', '--workers', '1'];
    const { events, exitCode } = await cli(command);
    const planned = events.flatMap((event) => (event.type === 'suite' ? event.cases.map(({ id }) => id) : []));
    const judged = (log: readonly Event[]) =>
      FAULTS.map((fault) => {
        const { outcome, caughtBy, failing } = judge(fault, planned, observe(log, exitCode), { reached: true });
        return { outcome, caughtBy, failing };
      });
    const asIs = judged(events);
    expect(asIs.map(({ outcome }) => outcome)).toEqual(outcomes);
    for (const [scramble, change] of SCRAMBLES) {
      const verdict = judged(events.map((event) => scrambled(event, change)));
      expect({ scramble, verdict }).toEqual({ scramble, verdict: asIs });
    }
  });
});

test('the problems of a suite are found in the same places', async () => {
  const requirements = loadRequirements();
  const source = { file: 'a.yaml', requirements, sets: new Map(), vocabulary: {} };
  const texts = [
    'suite: [a',
    'suite: a\nsuite: b\n',
    'suite: a\ncases: &x []\n',
    'suite: a\ndescription: b\ncases:\n  - id: c\n    steps: [{x: 1}]\n',
  ];
  const places = async () =>
    texts.map((text) => readSuite(text, source).problems.map(({ path, position, kind }) => [path, position, kind]));
  const [asIs, ...others] = await decisions(places);
  expect(asIs.map((found) => found.length > 0)).toEqual([true, true, true, true]);
  for (const [scramble, found] of others) expect({ scramble, found }).toEqual({ scramble, found: asIs });
});
