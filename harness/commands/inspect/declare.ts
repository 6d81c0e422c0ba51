import { Document, visit } from 'yaml';
import type { CommandEnvironment } from '../../base/environment.ts';
import { cleanLine } from '../../base/sanitize.ts';
import { withDevices } from '../../host/devices/with-devices.ts';
import { DTYPES } from '../../knowledge/numerics/dtypes.ts';
import { programNeeds } from '../../knowledge/programs/program-needs.ts';
import { loadProgram, programNames } from '../../knowledge/programs/programs.ts';
import type { Declared, ResolvedPlugin } from '../../model/plugin.ts';
import type { PluginFacts } from '../../model/plugin-facts.ts';
import { applyEvent, emptyRun } from '../../model/run.ts';
import type { Wait } from '../../run/plugin/load-plugin.ts';
import { deadlines, resolveAll, startFacts } from '../../run/plugin/plugin-setup.ts';
import { runAlone } from '../../run/plugin/run-alone.ts';
import { forAll, moreTimeForAll } from '../../run/plugin/timeouts.ts';
import { readSuite } from '../../suite/load.ts';
import { throwIfAny } from '../../suite/problem.ts';
import { loadRequirements } from '../../suite/requirements.ts';
import type { Case } from '../../suite/types.ts';
import type { InspectOptions } from './inspect.ts';

/** Deadline of each step: client creation may be slow, and so may be a first transfer or compilation. */
const TIMEOUT_MS = 120_000;

/** Observed capabilities of a plugin, as a declaration. */
export interface Draft {
  /** Facts about the plugin. */
  name: string;
  declared: Declared;
  /** Why nothing could be observed. */
  failure?: PluginFacts['failure'];
}

/** Small programs that together use every operation of the committed ones, on types that nearly every plugin supports. */
export function programsForOps(): string[] {
  const common = new Set(['f32', 's32', 'u32', 'pred']);
  const candidates = programNames()
    .map(loadProgram)
    .filter((p) => !p.bad && p.replicas === 1 && p.partitions === 1 && !/^(custom_call|memory|versions)\//.test(p.name))
    .map((p) => ({ name: p.name, ...programNeeds(p) }))
    .map((p) => ({ ...p, uncommon: p.dtypes.filter((type) => !common.has(type)).length }))
    .sort((a, b) => a.uncommon - b.uncommon || a.ops.length - b.ops.length);
  const covered = new Set<string>();
  const chosen: string[] = [];
  for (const { name, ops } of candidates) {
    if (ops.every((op) => covered.has(op))) continue;
    for (const op of ops) covered.add(op);
    chosen.push(name);
  }
  return chosen;
}

/** Cases that transfer each element type and compile each of these programs. */
export function casesOf(programs: readonly string[]): Case[] {
  const suite = {
    suite: 'declare',
    description: 'What a plugin offers.',
    cases: [
      {
        id: 'dtype',
        description: 'An array goes to the device and comes back.',
        covers: ['CORE-TYPE-001'],
        matrix: { dtype: DTYPES.map(({ name }) => name) },
        steps: [
          { data: { as: 'data', data: { iota: { dtype: '$dtype', shape: [1] } } } },
          { put: { as: 'buffer', data: '$data' } },
          { get: { as: 'back', buffer: '$buffer' } },
          { expect: { actual: '$back', equals: '$data' } },
        ],
      },
      {
        id: 'program',
        description: 'A program compiles.',
        covers: ['CORE-OP-001'],
        matrix: { program: programs },
        steps: [{ compile: { as: 'executable', program: '$program' } }],
      },
    ],
  };
  const source = { file: 'declare', requirements: loadRequirements(), sets: new Map(), vocabulary: {} };
  const read = readSuite(JSON.stringify(suite), source);
  throwIfAny(read.problems);
  return read.suite!.cases;
}

/** Drafts what the plugin's manifest can declare. @param spec as for `--plugin` @throws PluginError */
export async function declare(
  spec: string,
  options: InspectOptions,
  environment: CommandEnvironment,
  wait: Wait,
): Promise<Draft> {
  const [plugin] = await resolveAll({ plugin: [spec], fetch: options.fetch, host: options.host }, environment, 'none');
  return withDevices([plugin!], options, environment, () =>
    wait(`trying ${plugin!.name}`, draftDeclaration(plugin!, options.timeout, environment)),
  );
}

/**
 * Observes what a plugin supports: each element type in a transfer, each operation in a small program, its extensions,
 * memories, and the functions called. Never throws because of a plugin.
 */
async function draftDeclaration(
  plugin: ResolvedPlugin,
  timeout: number | undefined,
  environment: CommandEnvironment,
): Promise<Draft> {
  const run = emptyRun();
  const good = new Set<string>();
  const cases = casesOf(programsForOps());
  const tried = { ...plugin, manifest: plugin.manifest && undeclared(plugin.manifest) };
  const how = {
    binding: 'lazy',
    deadlines: timeout === undefined ? deadlines(forAll(TIMEOUT_MS), [plugin]) : forAll(timeout),
    moreTime: moreTimeForAll,
  } as const;
  await runAlone(tried, cases, environment, how, (event) => {
    // They belong to no suite, so no plan contains them.
    if (event.type === 'case') {
      if (event.result.status === 'pass') good.add(event.id);
    } else if (event.type !== 'start') applyEvent(run, event);
  });
  const facts = run.plugins[0] ?? startFacts(plugin);
  const values = (name: string) => cases.filter(({ id }) => good.has(id)).flatMap(({ params }) => params[name] ?? []);
  return {
    name: plugin.name,
    declared: {
      dtypes: values('dtype').map(String),
      ops: distinct(values('program').flatMap((name) => programNeeds(loadProgram(String(name))).ops)),
      extensions: distinct((facts.extensions ?? []).map(({ name }) => name).filter((name) => /^[A-Z]\w+$/.test(name))),
      memoryKinds: distinct((facts.memories ?? []).map(({ kind }) => kind)),
      functions: distinct(
        Object.entries(facts.answers ?? {})
          .filter(([name, answers]) => /^PJRT_\w+$/.test(name) && answers.includes('OK'))
          .map(([name]) => name),
      ),
    },
    failure: facts.failure,
  };
}

/** The old declaration must not apply while a new one is drafted. */
const undeclared = ({ declares: _, ...manifest }: NonNullable<ResolvedPlugin['manifest']>) => manifest;

const distinct = (names: readonly string[]): string[] => [...new Set(names)].sort();

/** The declaration as part of a manifest. */
export function formatDeclaration(name: string, declared: Declared): string {
  const document = new Document({ declares: declared });
  visit(document, {
    Seq: (_, list) => {
      list.flow = true;
    },
  });
  return (
    `# What ${cleanLine(name)} was found to support. Everything listed must work: refusing it is a failure.\n` +
    '# Operations were tried on f32, s32, u32 and pred; delete those that do not work on every declared element type.\n' +
    document.toString({ lineWidth: 100 })
  );
}
