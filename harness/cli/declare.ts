import { Document, visit } from 'yaml';
import { runPlan } from '../host/runner.ts';
import { DTYPES } from '../numerics/dtypes.ts';
import type { Declared, ResolvedPlugin } from '../plugins/types.ts';
import { programNeeds } from '../programs/program-needs.ts';
import { loadProgram, programNames } from '../programs/programs.ts';
import type { Event, PluginFacts } from '../report/events.ts';
import { applyEvent, emptyRun } from '../report/model.ts';
import { cleanLine } from '../report/sanitize.ts';
import type { Case, StepBody } from '../suite/types.ts';
import { deadlines, explainLoad, startFacts, wirePlugin, workerEnv } from './plugin-setup.ts';
import type { Surroundings } from './surroundings.ts';

/** Deadline of a transfer or a compilation: of a compiler that is slow, not of one that is asked for much. */
const CASE_MS = 120_000;

/** What a plugin was seen to do, as a declaration. */
export interface Draft {
  declared: Declared;
  /** Why nothing could be seen. */
  failure?: PluginFacts['failure'];
}

/** Small programs that together use every operation of the committed ones, on types that nearly every plugin has. */
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

const testCase = (name: string, steps: StepBody[]): Case => ({
  id: `declare:${name}`,
  suite: 'declare',
  name,
  params: {},
  file: 'declare',
  line: 1,
  title: name,
  covers: [],
  level: 'must',
  levels: {},
  tags: [],
  requires: {},
  isolation: 'worker',
  client: 'shared',
  deadline: {},
  steps: steps.map((step) => ({ ...step, line: 1 })),
});

/** An array goes to the device and comes back. */
const transferOf = (dtype: string): Case =>
  testCase(`dtype ${dtype}`, [
    { verb: 'data', as: 'data', data: { iota: { dtype, shape: [1] } } },
    { verb: 'put', as: 'buffer', data: '$data' },
    { verb: 'get', as: 'back', buffer: '$buffer' },
    { verb: 'expect', actual: '$back', equals: '$data' },
  ]);

const compilationOf = (program: string): Case =>
  testCase(`program ${program}`, [{ verb: 'compile', as: 'executable', program }]);

/**
 * Looks at what a plugin does: each element type in a transfer, each operation in a small program, its extensions,
 * memories, and the functions that were called. Never throws because of a plugin.
 */
export async function draftDeclaration(plugin: ResolvedPlugin, timeout: number, around: Surroundings): Promise<Draft> {
  const run = emptyRun();
  const good = new Set<string>();
  const programs = programsForOps();
  const load = deadlines({ timeoutClient: timeout }, [plugin]);
  await runPlan(
    {
      cases: [...DTYPES.map(({ name }) => transferOf(name)), ...programs.map(compilationOf)],
      plugins: [wirePlugin({ ...plugin, ...(plugin.manifest ? { manifest: undeclared(plugin.manifest) } : {}) })],
      facts: [startFacts(plugin)],
      env: workerEnv(around.env, [plugin]),
      binding: 'lazy',
      caller: {},
      clients: true,
      workers: 1,
      deadlines: { ...load, call: Math.max(timeout, CASE_MS), case: Math.max(timeout, CASE_MS) },
      explainLoad,
      annotate: (_, result) => result,
      signal: around.signal,
    },
    (event: Event) => {
      // Not of the suites, so no plan knows them.
      if (event.type === 'case') {
        if (event.result.status === 'pass') good.add(event.id);
      } else if (event.type !== 'start') applyEvent(run, event);
    },
  );
  const facts = run.plugins[0] ?? startFacts(plugin);
  const ops = programs
    .filter((name) => good.has(compilationOf(name).id))
    .flatMap((p) => programNeeds(loadProgram(p)).ops);
  return {
    declared: {
      dtypes: DTYPES.map(({ name }) => name).filter((name) => good.has(transferOf(name).id)),
      ops: distinct(ops),
      extensions: distinct((facts.extensions ?? []).map(({ name }) => name).filter((name) => /^[A-Z]\w+$/.test(name))),
      memoryKinds: distinct((facts.memories ?? []).map(({ kind }) => kind)),
      functions: distinct(
        Object.entries(facts.answers ?? {})
          .filter(([name, answers]) => /^PJRT_\w+$/.test(name) && answers.includes('OK'))
          .map(([name]) => name),
      ),
    },
    ...(facts.failure ? { failure: facts.failure } : {}),
  };
}

/** A plugin is not held to its old declaration while a new one is drafted. */
const undeclared = ({ declares: _, ...manifest }: NonNullable<ResolvedPlugin['manifest']>) => manifest;

const distinct = (names: readonly string[]): string[] => [...new Set(names)].sort();

/** The declaration as a part of a manifest. */
export function formatDeclaration(name: string, declared: Declared): string {
  const document = new Document({ declares: declared });
  visit(document, {
    Seq: (_, list) => {
      list.flow = true;
    },
  });
  return (
    `# What ${cleanLine(name)} was seen to do. Whatever stays here must work: to refuse it becomes a failure.\n` +
    '# Operations were tried on f32, s32, u32 and pred; delete what is not promised on every declared element type.\n' +
    document.toString({ lineWidth: 100 })
  );
}
