import type { Ability } from '../verdict/abilities.ts';
import { useOf } from './load.ts';
import type { Fault, Framework, Release, Use } from './types.ts';

/** What a release makes of a plugin. `limits`: it works, but not everything does. */
export type Outcome = 'works' | 'limits' | 'refuses' | 'aborts' | 'unknown';

/** When it happens, in the order of a process's life. */
export const MOMENTS = [
  'import',
  'client creation',
  'first transfer',
  'first compile',
  'first execution',
  'first error',
  'exit',
  'when used',
] as const;
export type Moment = (typeof MOMENTS)[number];

export interface Prediction {
  outcome: Outcome;
  moment?: Moment;
  /** One line: why. */
  reason: string;
  /** What the user sees, as far as it is known. */
  message?: string;
  /** What does not work, one line each. */
  limits: string[];
  /** The facts that it rests on, with their source. */
  facts: string[];
  /** What could not be tried, one line each. */
  untried: string[];
  /** With which words the plugin gives no client here, as without its device: what was not tried may still fail. */
  noClient?: string;
}

/** One stage of a session that the harness went through as a caller of the release's API version. */
export interface Stage {
  stage: 'client' | 'attributes' | 'transfer' | 'compile' | 'execute' | 'error';
  /** Undefined: it went well, or was not reached. */
  failure?: { call?: string; code?: string; message: string; died: boolean };
}

/** What prediction needs to know of a plugin. */
export interface PluginView {
  minor: number;
  /** By full name. */
  abilities: ReadonlyMap<string, Ability>;
  /** How functions answered that do not work, by full name. */
  answers: Readonly<Record<string, readonly string[]>>;
  extensions: readonly { name: string; structSize: number; nullSlots?: readonly string[] }[];
  stablehloCurrent?: string;
  /** As the client says, or as is known of the plugin without one. */
  platformName?: string;
  /** Exported symbols that matter to a framework. */
  exportsTensorflowInit: boolean;
  /** How a process ended that had destroyed its clients and then exited, if not as it should. */
  exit?: string;
  /** Stages as a caller of a minor; undefined when that was not tried. */
  session(minor: number): readonly Stage[] | undefined;
  /** Its answer when it gives no client to a caller of its own version either, as a rule for want of a device. */
  noClient?: { code?: string; message: string };
}

/** What could not be found out: sessions in words, functions by full name. */
interface Gaps {
  sessions: string[];
  functions: string[];
}

/** Oldest minor that any framework's client accepts. */
export const FLOOR = 29;

interface Trouble {
  outcome: 'refuses' | 'aborts' | 'limits';
  moment: Moment;
  reason: string;
  message?: string;
  facts: string[];
  /** The framework stops by itself, before it calls the plugin in that moment. */
  beforeCalls?: true;
}

/**
 * What a release of a framework does with a plugin: its version rule first, then what a session with its struct sizes
 * showed, then every function that it calls against what the plugin can do with it.
 * @param compatible value of ENABLE_PJRT_COMPATIBILITY; undefined when it is not set
 */
export function predict(framework: Framework, release: Release, plugin: PluginView, compatible?: boolean): Prediction {
  const troubles: Trouble[] = [];
  const gaps: Gaps = { sessions: [], functions: [] };
  const rule = versionRule(release, plugin, compatible);
  if (rule) return conclude([rule], gaps, release, plugin);
  if (framework.name === 'tensorflow' && !plugin.exportsTensorflowInit) {
    troubles.push({
      outcome: 'refuses',
      moment: 'import',
      reason: 'the library exports no TFNPD_InitPlugin: it is loaded, but no device appears, and nothing is said',
      facts: ['TensorFlow asks a pluggable device for TFNPD_InitPlugin (measured with 2.21.0)'],
    });
  }
  troubles.push(...sessionTroubles(framework, release, plugin, gaps));
  troubles.push(...stablehloTroubles(release, plugin));
  troubles.push(...extensionTroubles(framework, release, plugin));
  if (plugin.exit !== undefined) troubles.push(exitTrouble(plugin.exit));
  const memoryless = hasNoMemories(plugin);
  if (memoryless) troubles.push(...memoryTroubles(release, plugin));
  for (const name of Object.keys(framework.functions)) {
    if (memoryless && MEMORY_FUNCTIONS.includes(name)) continue;
    const use = useOf(framework, release, name);
    if (use) troubles.push(...functionTroubles(framework, release, plugin, name, use, gaps));
  }
  return conclude(troubles, gaps, release, plugin);
}

/** Clients without memories leave all of these out; one of them alone is another matter. */
const MEMORY_FUNCTIONS = [
  'Client_AddressableMemories',
  'Device_AddressableMemories',
  'Device_DefaultMemory',
  'Buffer_Memory',
];
/** From 0.67 on (JAX 0.5.1, PyTorch/XLA 2.7) every upload names a memory. */
const MEMORIES_NEEDED = 67;

const hasNoMemories = ({ abilities }: PluginView): boolean =>
  MEMORY_FUNCTIONS.every((name) => abilities.get(`PJRT_${name}`) === 'unimplemented');

function memoryTroubles(release: Release, { abilities }: PluginView): Trouble[] {
  if (release.minor >= MEMORIES_NEEDED) {
    return [
      {
        outcome: 'refuses',
        moment: 'first transfer',
        reason: 'the plugin has no memories, and every upload names one',
        message: 'UNIMPLEMENTED',
        facts: ['measured with ten releases of JAX: from 0.5.1 on the first upload fails, before it everything works'],
      },
    ];
  }
  if (abilities.get('PJRT_Executable_OutputMemoryKinds') !== 'works') return [];
  return [
    {
      outcome: 'aborts',
      moment: 'first execution',
      reason: 'PJRT_Executable_OutputMemoryKinds names memories of outputs, and the plugin has none',
      facts: [
        'measured with JAX 0.4.38: the kind of a buffer without a memory must not differ from that of the output',
      ],
    },
  ];
}

function versionRule(release: Release, { minor }: PluginView, compatible: boolean | undefined): Trouble | undefined {
  const exact = compatible === undefined ? release.rule === 'exact' : !compatible;
  const facts = [
    exact
      ? 'version rule: the minors must be equal (ENABLE_PJRT_COMPATIBILITY is not set to true)'
      : `version rule: major 0, minor at least ${FLOOR}, no upper limit`,
  ];
  if (exact && minor !== release.minor) {
    return {
      outcome: 'refuses',
      moment: 'client creation',
      reason: `it accepts minor ${release.minor} only; ENABLE_PJRT_COMPATIBILITY=true relaxes that`,
      message: `Mismatched PJRT plugin PJRT API version (0.${minor}) and framework PJRT API version 0.${release.minor}).`,
      facts,
    };
  }
  if (!exact && minor < FLOOR) {
    return {
      outcome: 'refuses',
      moment: 'client creation',
      reason: `API 0.${minor} is older than 0.${FLOOR}, the oldest that is accepted`,
      facts,
    };
  }
  return undefined;
}

const STAGE_MOMENTS: Record<Stage['stage'], Moment> = {
  client: 'client creation',
  attributes: 'client creation',
  transfer: 'first transfer',
  compile: 'first compile',
  execute: 'first execution',
  error: 'first error',
};

/** What went wrong when the harness acted as a caller of that version, with its struct sizes. */
function sessionTroubles(framework: Framework, release: Release, plugin: PluginView, gaps: Gaps): Trouble[] {
  const stages = plugin.session(release.minor);
  if (!stages) {
    gaps.sessions.push(`no session as a caller of 0.${release.minor} was tried`);
    return [];
  }
  for (const { stage, failure } of stages) {
    if (!failure) continue;
    // Every caller is told that: it says something of this machine, not of the framework.
    if (stage === 'client' && plugin.noClient && sameFailure(failure, plugin.noClient)) continue;
    const name = failure.call?.replace(/^PJRT_/, '');
    const use = name === undefined ? undefined : useOf(framework, release, name);
    if (name === 'Plugin_Attributes' && !attributesAsked(release)) continue;
    const tolerated =
      failure.code === 'UNIMPLEMENTED' &&
      (use?.onError === 'abort unless UNIMPLEMENTED' || use?.onError === 'UNIMPLEMENTED is fine');
    if (tolerated) continue;
    // A framework may do the same with other functions than the harness.
    const everyday =
      name === undefined || use === undefined ? STAGE_MOMENTS[stage] : calledAt(framework, release, name, use);
    if (everyday === undefined) continue;
    if (name !== undefined && use && !isCalled(framework, name, use, 'fails', plugin)) continue;
    const aborts = failure.died || use?.onError === 'abort' || use?.onError === 'abort unless UNIMPLEMENTED';
    const call = failure.call ?? 'a call';
    return [
      {
        outcome: aborts ? 'aborts' : 'refuses',
        moment: stage === 'error' ? STAGE_MOMENTS.error : everyday,
        reason: failure.died
          ? `the process dies in ${call}`
          : `${call} answers ${failure.code ?? 'an error'}${aborts ? ', which ends the process' : ''}`,
        ...(failure.died ? {} : { message: failure.message }),
        facts: [`seen by acting as a caller of API 0.${release.minor}, with the sizes of its structs`],
      },
    ];
  }
  return [];
}

const sameFailure = (a: { code?: string; message: string }, b: { code?: string; message: string }): boolean =>
  a.code === undefined || b.code === undefined ? a.message === b.message : a.code === b.code;

/** Before 0.5.0 JAX, and what was built beside it, asked for the attributes with other means or tolerated their absence. */
const attributesAsked = (release: Release): boolean => release.minor >= 64;

function stablehloTroubles(release: Release, { stablehloCurrent }: PluginView): Trouble[] {
  const { readsAttribute, clamps, writes } = release.stablehlo;
  if (release.sendsHlo || writes === null || !readsAttribute || clamps || stablehloCurrent === undefined) return [];
  if (compareVersions(stablehloCurrent, writes) <= 0) return [];
  return [
    {
      outcome: 'refuses',
      moment: 'first compile',
      reason: `it asks itself for StableHLO ${stablehloCurrent}, the plugin's version, and can write ${writes} at most`,
      message: `target version ${stablehloCurrent} is greater than current version ${writes}`,
      beforeCalls: true,
      facts: ["the plugin's stablehlo_current_version is taken as it is by this release alone"],
    },
  ];
}

/** Slots of the Layouts extension that a minor makes frameworks call: struct_size of the node is never looked at. */
export const LAYOUT_SLOTS = [
  { sinceMinor: 81, slot: 'Executable_GetOutputLayouts', bytes: 72 },
  { sinceMinor: 93, slot: 'Executable_GetParameterLayouts', bytes: 80 },
];

const exitTrouble = (exit: string): Trouble => ({
  outcome: 'aborts',
  moment: 'exit',
  reason: `a process that has destroyed its clients ${exit} at its exit`,
  facts: ['seen in a worker of the harness'],
});

function extensionTroubles(framework: Framework, release: Release, plugin: PluginView): Trouble[] {
  const layouts = plugin.extensions.find((e) => e.name === 'Layouts');
  if (!layouts) return [];
  const called = (framework.extensions.Layouts?.abortOnError ?? []).map((text) => text.split(' ', 1)[0]!);
  const missing = (layouts.nullSlots ?? []).filter((slot) => called.some((name) => slot.endsWith(name)));
  const nulls = missing.map((slot) => ({
    outcome: 'aborts' as const,
    moment: 'first transfer' as const,
    reason: `${slot} of the Layouts extension is NULL and is called for every array`,
    facts: ['functions of an extension that is there are called without a test (measured with JAX 0.4.38 to 0.10.2)'],
  }));
  const short = LAYOUT_SLOTS.filter(
    ({ sinceMinor, bytes }) => plugin.minor >= sinceMinor && release.minor >= sinceMinor && layouts.structSize < bytes,
  ).map(({ sinceMinor, slot, bytes }) => ({
    outcome: 'aborts' as const,
    moment: 'first compile' as const,
    reason: `the Layouts extension has ${layouts.structSize} bytes, and ${slot} at its end (${bytes} bytes) is called in plugins of 0.${sinceMinor} and newer`,
    facts: ['extension struct sizes are never checked by a framework (measured: crash at the first jit)'],
  }));
  return [...nulls, ...short];
}

const PHASE_MOMENTS: Record<string, Moment> = {
  load: 'client creation',
  client_creation: 'client creation',
  device_enumeration: 'client creation',
  topology: 'client creation',
  transfer: 'first transfer',
  buffer_query: 'first transfer',
  events: 'first transfer',
  compile: 'first compile',
  execute: 'first execution',
  errors: 'first error',
  destruction: 'exit',
};

/** When a release first gets to a function: functions outside the everyday workload only when somebody asks for them. */
export function momentOf(framework: Framework, release: Release, name: string): Moment {
  const use = useOf(framework, release, name);
  return (use && calledAt(framework, release, name, use)) ?? 'when used';
}

/** The moment to which a function belongs, if it is reached. */
export const phaseMoment = (framework: Framework, name: string): Moment =>
  PHASE_MOMENTS[framework.phases[name] ?? ''] ?? 'when used';

/** First steps that failed in the measured workload. */
const STEP_MOMENTS: Record<string, Moment> = {
  init: 'client creation',
  devices: 'client creation',
  h2d: 'first transfer',
  d2h: 'first transfer',
  jit: 'first compile',
  workload: 'first compile',
};

function functionTroubles(
  framework: Framework,
  release: Release,
  plugin: PluginView,
  name: string,
  use: Use,
  gaps: Gaps,
): Trouble[] {
  const ability = plugin.abilities.get(`PJRT_${name}`) ?? 'absent';
  if (ability === 'works' || !isCalled(framework, name, use, ability, plugin)) return [];
  if (name === 'Client_Create' && ability === 'fails' && plugin.noClient) return [];
  const moment = momentOf(framework, release, name);
  const core = moment !== 'when used';
  const call = `PJRT_${name}`;
  const calledBy = use.gate
    ? use.gate.how
    : `called on every plugin${use.addedIn ? `, though younger than some: it came with 0.${use.addedIn}` : ''}`;
  const source = `${call}: ${calledBy}; an error ${use.onError === 'abort' ? 'ends the process' : `is: ${use.onError}`} (${release.status})`;
  const worst = (outcome: Trouble['outcome']): Trouble['outcome'] => (core ? outcome : 'limits');
  switch (ability) {
    case 'untried':
      if (core && use.onError.startsWith('abort')) gaps.functions.push(call);
      return [];
    case 'absent':
    case 'null': {
      const what = ability === 'null' ? 'is NULL' : `is not in API 0.${plugin.minor}`;
      return [
        { outcome: worst('aborts'), moment, reason: `${call} ${what} and is called all the same`, facts: [source] },
      ];
    }
    case 'dies':
    case 'hangs':
      return [{ outcome: worst('aborts'), moment, reason: `the process ${ability} in ${call}`, facts: [source] }];
    case 'unimplemented':
    case 'fails':
      return failing(framework, release, plugin, { name, use, ability, core, moment, source });
  }
}

/** A function that answers with an error: what was measured counts before what the source says. */
function failing(
  framework: Framework,
  release: Release,
  plugin: PluginView,
  f: { name: string; use: Use; ability: 'unimplemented' | 'fails'; core: boolean; moment: Moment; source: string },
): Trouble[] {
  const answers = plugin.answers[`PJRT_${f.name}`] ?? [];
  const answer = f.ability === 'unimplemented' ? 'UNIMPLEMENTED' : (answers[0] ?? 'an error');
  const call = `PJRT_${f.name}`;
  const seen = nearestFault(framework, release, f.ability === 'unimplemented' ? 'UNIMPLEMENTED' : 'INTERNAL', f.use);
  const facts = [f.source];
  const step = seen?.error[f.name];
  if (seen?.dies.includes(f.name)) {
    facts.push(
      `measured with ${framework.title} ${seen.release}: the process dies when ${call} answers ${seen.answer}`,
    );
    return [
      {
        outcome: f.core ? 'aborts' : 'limits',
        moment: f.moment,
        reason: `${call} answers ${answer}, which ends the process`,
        facts,
      },
    ];
  }
  if (step !== undefined) {
    const failed = STEP_MOMENTS[step];
    facts.push(
      `measured with ${framework.title} ${seen!.release}: ${call} answering ${seen!.answer} fails the step ${step}`,
    );
    return [
      {
        outcome: failed && f.core ? 'refuses' : 'limits',
        moment: failed ? f.moment : 'when used',
        reason: `${call} answers ${answer}`,
        message: answer,
        facts,
      },
    ];
  }
  if (seen?.harmless.includes(f.name)) return [];
  if (f.use.onError === 'ignored' || f.use.onError === 'UNIMPLEMENTED is fine') return [];
  if (f.use.onError === 'abort unless UNIMPLEMENTED' && f.ability === 'unimplemented') return [];
  if (f.use.onError.startsWith('abort')) {
    return [
      {
        outcome: f.core ? 'aborts' : 'limits',
        moment: f.moment,
        reason: `${call} answers ${answer}, which ends the process`,
        facts,
      },
    ];
  }
  return [{ outcome: 'limits', moment: f.moment, reason: `${call} answers ${answer}`, facts }];
}

const CONTEXT_PLATFORMS = ['cpu', 'cuda', 'rocm', 'sycl'];
/** Of a plugin's topology, for the key of JAX's compilation cache, which knows these platforms alone. */
const CACHE_FUNCTIONS = ['TopologyDescription_Serialize', 'TopologyDescription_Fingerprint'];
const CACHE_PLATFORMS = ['cpu', 'gpu', 'cuda', 'rocm', 'tpu', 'neuron'];

/** Whether the plugins with which a release was watched say nothing of a call: it depends on platform or extensions. */
const dependsOnPlugin = (name: string, { gate }: Use): boolean =>
  gate?.withoutExtension !== undefined || gate?.withExtension !== undefined || CACHE_FUNCTIONS.includes(name);

/** What arrays in host memory are not read with. The plugins on which releases were watched had no others. */
const DOWNLOAD = 'Buffer_ToHostBuffer';

const lacks = ({ abilities }: PluginView, name: string): boolean =>
  ['unimplemented', 'fails'].includes(abilities.get(`PJRT_${name}`) ?? '');

/** Whether the release gets to the call with this plugin at all. */
function isCalled(framework: Framework, name: string, { gate }: Use, ability: Ability, plugin: PluginView): boolean {
  // A client without a topology is asked nothing about it.
  if (name.startsWith('TopologyDescription_') && lacks(plugin, 'Client_TopologyDescription')) return false;
  if (name.startsWith('Memory_') && hasNoMemories(plugin)) return false;
  const platform = plugin.platformName ?? 'cpu';
  if (framework.name === 'jax' && name === DOWNLOAD && platform === 'cpu') return false;
  if (framework.name === 'jax' && CACHE_FUNCTIONS.includes(name) && !CACHE_PLATFORMS.includes(platform)) return false;
  if (!gate) return true;
  const has = (name: string): boolean => plugin.extensions.some((e) => e.name === name);
  if (gate.withExtension !== undefined && !has(gate.withExtension)) return false;
  // Contexts are made for host callbacks, which JAX passes on to these platforms alone.
  if (/the caller passes a context/.test(gate.how) && !CONTEXT_PLATFORMS.includes(platform)) return false;
  if (gate.withoutExtension !== undefined && has(gate.withoutExtension)) return false;
  if (gate.minMinor !== undefined && plugin.minor < gate.minMinor) return false;
  if (ability === 'absent' && /struct_size reaches the slot/.test(gate.how)) return false;
  if (gate.nullChecked && ability === 'null') return false;
  // Tested for NULL alone: behind the end of an older table there is anything, as a rule nothing.
  if (gate.nullChecked && ability === 'absent') return false;
  return (
    !/only called when \w+ gave an event/.test(gate.how) ||
    plugin.abilities.get('PJRT_Device_CreateAsyncTrackingEvent') === 'works'
  );
}

/** When a release calls a function for the first time in everyday work; undefined when it does not. */
function calledAt(framework: Framework, release: Release, name: string, use: Use): Moment | undefined {
  if (name === DOWNLOAD) return 'first transfer';
  const seen = nearest(framework, release, framework.calls, use);
  const moment = MOMENTS.find((m) => seen?.moments[m]?.includes(name));
  if (moment !== undefined || (seen && !dependsOnPlugin(name, use))) return moment;
  if (!coreFunctions(framework, release).has(name)) return undefined;
  return phaseMoment(framework, name);
}

/** Functions of the everyday workload, as seen with the release that is nearest below in API version. */
function coreFunctions(framework: Framework, release: Release): Set<string> {
  const below = framework.core.filter((c) => c.minor <= release.minor);
  return new Set((below.at(-1) ?? framework.core[0]!).functions);
}

/** The campaign of failing functions with the release that is nearest: below if there is one. */
export function nearestFault(
  framework: Framework,
  release: Release,
  answer: 'UNIMPLEMENTED' | 'INTERNAL',
  use?: Use,
): Fault | undefined {
  const having = framework.faults.filter((f) => f.answer === answer);
  return nearest(framework, release, having, use) ?? nearest(framework, release, having);
}

/** What was measured with the release that is nearest, below if there is one, among those that use a function alike. */
function nearest<T extends { release: string }>(
  framework: Framework,
  release: Release,
  measured: readonly T[],
  use?: Use,
): T | undefined {
  const order = framework.releases.map((r) => r.version);
  const at = (version: string): number => order.indexOf(version);
  const alike = measured.filter((m) => !use || (at(use.from) <= at(m.release) && at(m.release) <= at(use.to)));
  return alike.filter((m) => at(m.release) <= at(release.version)).at(-1) ?? alike[0];
}

const SEVERITY = { aborts: 0, refuses: 1, limits: 2 } as const;

/** The trouble that a user meets first decides; what comes later is told as limits. */
function conclude(troubles: readonly Trouble[], gaps: Gaps, release: Release, { noClient }: PluginView): Prediction {
  const ordered = [...troubles].sort(
    (a, b) =>
      MOMENTS.indexOf(a.moment) - MOMENTS.indexOf(b.moment) ||
      Number(b.beforeCalls ?? false) - Number(a.beforeCalls ?? false) ||
      SEVERITY[a.outcome] - SEVERITY[b.outcome],
  );
  const fatal = ordered.find((t) => t.outcome !== 'limits');
  const limits = [...new Set(ordered.filter((t) => t !== fatal).map((t) => `${t.moment}: ${t.reason}`))];
  const based = `${release.version}: ${release.status}`;
  const facts = [...new Set([...(fatal ? fatal.facts : []), ...ordered.flatMap((t) => t.facts)]), based];
  const functions = gaps.functions.length === 0 ? [] : [`functions: ${gaps.functions.join(', ')}`];
  const session =
    'a session: client, devices, transfer, compilation, execution and error; repeat it where the device is';
  const untried = [...(noClient ? [session] : []), ...gaps.sessions, ...functions];
  const refusal = noClient && [noClient.code, noClient.message.split('\n', 1)[0]].filter(Boolean).join(': ');
  const told = { limits, facts, untried, ...(refusal === undefined ? {} : { noClient: refusal }) };
  if (fatal) {
    return {
      outcome: fatal.outcome,
      moment: fatal.moment,
      reason: fatal.reason,
      ...(fatal.message === undefined ? {} : { message: fatal.message }),
      ...told,
    };
  }
  if (refusal !== undefined) {
    return {
      outcome: 'unknown',
      moment: 'client creation',
      reason: `the plugin gives no client here (${refusal}); nothing that can be seen without one speaks against it`,
      message: refusal,
      ...told,
    };
  }
  if (untried.length > 0) return { outcome: 'unknown', reason: `not tried: ${untried[0]}`, ...told };
  if (limits.length > 0) return { outcome: 'limits', reason: limits[0]!, ...told };
  return { outcome: 'works', reason: 'nothing that it needs is missing', ...told };
}

/** Negative when a is older than b. */
export function compareVersions(a: string, b: string): number {
  const [x, y] = [a, b].map((v) => v.split('.').map(Number)) as [number[], number[]];
  for (let i = 0; i < Math.max(x.length, y.length); i++) {
    const difference = (x[i] ?? 0) - (y[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
