import { Abi, introducedIn, NEWEST_MINOR, OLDEST_MINOR } from '../../knowledge/abi/index.ts';
import { isAmong, useOf } from './load.ts';
import { memoryFor, momentOf, phaseMoment } from './predict/calls.ts';
import { LAYOUT_SLOTS } from './predict/extensions.ts';
import { nearest, nearestFault } from './predict/nearest.ts';
import { FLOOR } from './predict/version-rule.ts';
import { MOMENTS, type Moment } from './prediction.ts';
import { reliancesOf } from './relies.ts';
import type { Chosen, Use } from './types.ts';
import { currentMinor, promisedSince } from './window.ts';
import { gatesOf } from './withheld-features.ts';

/** A function, and the consequence of not having it. */
export interface FunctionNeed {
  name: string;
  /** When the release calls it; undefined: on every plugin. */
  when?: string;
  /** What a NULL slot, or a table that ends before it, does. */
  absent: 'crash' | 'fine';
  /** What an error does. */
  error: 'process ends' | 'only UNIMPLEMENTED is fine' | 'fails' | 'passed on' | 'fine';
  /** The first step of the measured workload that an error fails. */
  step?: string;
  tolerance?: string;
}

/** A struct that the release sends, with its size; plugins of other versions meet another one. */
export interface StructNeed {
  name: string;
  /** The function that it reaches the plugin by. */
  function: string;
  bytes: number;
  /** Sizes that other versions of the C API give it, oldest first. */
  others: { minor: number; bytes: number }[];
}

/** What breaks at one moment of a process's life when it is missing. */
export interface Need {
  moment: Moment;
  /** Everything that is no function, a sentence each. */
  rules: string[];
  functions: FunctionNeed[];
  structs: StructNeed[];
}

/**
 * What a plugin must have for a release, in the order in which it would fail: a list to work through for whoever writes one.
 * Moments at which nothing is needed are left out.
 */
export function needsOf(chosen: Chosen): Need[] {
  const { framework, release } = chosen;
  const functions = Object.keys(framework.functions).flatMap((name) => {
    const use = useOf(chosen, name);
    return use ? [{ moment: reachedAt(chosen, name), need: functionNeed(chosen, name, use) }] : [];
  });
  const structs = structNeeds(
    functions.map(({ need }) => need.name),
    release.minor,
  );
  const momentOfStruct = (s: StructNeed): Moment => reachedAt(chosen, s.function.slice('PJRT_'.length));
  return MOMENTS.map((moment) => ({
    moment,
    rules: [...rulesAt(moment, chosen)],
    functions: functions
      .filter((f) => f.moment === moment)
      .map((f) => f.need)
      .sort((a, b) => gravity(a) - gravity(b)),
    structs: structs.filter((s) => momentOfStruct(s) === moment),
  })).filter(({ rules, functions, structs }) => rules.length + functions.length + structs.length > 0);
}

/** When a function is reached: in everyday use, or where its failure was seen to end a process that did a little more. */
function reachedAt(chosen: Chosen, name: string): Moment {
  const dies = nearestFault(chosen, 'INTERNAL')?.dies.includes(name) === true;
  const errors = chosen.framework.phases[name] === 'errors';
  return dies || errors ? phaseMoment(chosen, name) : momentOf(chosen, name);
}

const ERRORS: FunctionNeed['error'][] = ['process ends', 'only UNIMPLEMENTED is fine', 'fails', 'passed on', 'fine'];

/** What hurts more comes first. */
const gravity = ({ error, absent }: FunctionNeed): number => ERRORS.indexOf(error) * 2 + (absent === 'crash' ? 0 : 1);

function functionNeed(chosen: Chosen, name: string, use: Use): FunctionNeed {
  const seen = nearestFault(chosen, 'INTERNAL');
  const step = seen?.error[name];
  return {
    name: `PJRT_${name}`,
    ...whenCalled(use, memoryFor(chosen, name)),
    absent: use.gate?.nullChecked ? 'fine' : 'crash',
    error: errorOf(use, seen?.dies.includes(name) === true, step, seen?.harmless.includes(name) === true),
    step,
    tolerance: use.tolerance,
  };
}

const whenCalled = ({ gate }: Use, memory: ReturnType<typeof memoryFor>): { when?: string } => {
  const conditions = [
    ...(gate ? [gate.how] : []),
    ...(memory ? [`where PJRT_Buffer_IsOnCpu says ${memory === 'on CPU' ? 'yes' : 'no'}`] : []),
  ];
  return conditions.length > 0 ? { when: conditions.join('; ') } : {};
};

function errorOf(use: Use, dies: boolean, step: string | undefined, harmless: boolean): FunctionNeed['error'] {
  if (use.onError === 'abort unless UNIMPLEMENTED') return 'only UNIMPLEMENTED is fine';
  if (use.onError === 'abort' || dies) return 'process ends';
  if (step !== undefined) return 'fails';
  if (use.onError === 'UNIMPLEMENTED is fine' || use.onError === 'ignored' || harmless) return 'fine';
  return 'passed on';
}

function* rulesAt(moment: Moment, chosen: Chosen): Generator<string> {
  const { framework, release } = chosen;
  if (moment === 'import') {
    yield 'A shared library that exports GetPjrtApi, which gives the same PJRT_Api table at every call.';
    if (framework.name === 'tensorflow')
      yield 'The library exports TFNPD_InitPlugin too: without it no device appears, and no error is shown.';
  }
  if (moment === 'client creation') {
    yield* versionRules(chosen);
    yield* vtableRules(release.minor);
    yield 'Args structs may be longer or shorter than in your header: require only the fields you use, ignore the rest.';
  }
  if (moment === 'first transfer') yield* transferRules(chosen);
  if (moment === 'first compile') {
    yield* programRules(chosen);
    yield* extensionRules(chosen);
  }
  for (const { of, requirements, through } of reliancesOf(chosen)) {
    if (momentOf(chosen, through) === moment) yield `Right data: ${of} (${requirements.join(', ')}).`;
  }
  if (moment === 'first error') yield* errorRules(chosen);
  if (moment === 'when used') yield* platformRules(chosen);
}

function* versionRules(chosen: Chosen): Generator<string> {
  const { framework, release } = chosen;
  yield release.rule === 'exact'
    ? `Version: 0.${release.minor} exactly. With ENABLE_PJRT_COMPATIBILITY=true: major 0, minor ${FLOOR} or newer.`
    : `Version: major 0, minor ${FLOOR} or newer, no upper limit. With ENABLE_PJRT_COMPATIBILITY=false: 0.${release.minor} exactly.`;
  // The version rule is wider than what works: functions that everyday use calls without looking at the version.
  const [called] = Object.keys(framework.functions)
    .filter((name) => momentOf(chosen, name) !== 'when used' && useOf(chosen, name)?.gate === undefined)
    .map((name) => ({ name, since: introducedIn(`PJRT_${name}`) }))
    .sort((a, b) => b.since - a.since);
  if (called && called.since > FLOOR)
    yield `In practice the oldest is 0.${called.since}: everyday use calls PJRT_${called.name} on every plugin, and an older table ends before it.`;
  if (!framework.promise) return;
  const { weeks } = framework.promise;
  const since = promisedSince(release, weeks);
  yield `The promise is narrower: plugins of the ${weeks} weeks before the release (${since}), which is 0.${currentMinor(since)} and newer.`;
}

/** Handles that became structs which the framework looks into. */
const VTABLES = [
  { minor: 105, handle: 'PJRT_Memory' },
  { minor: 107, handle: 'PJRT_Error' },
];

const vtableRules = (minor: number): string[] =>
  VTABLES.filter((v) => minor >= v.minor).map(
    ({ minor: since, handle }) =>
      `A plugin that reports 0.${since} or newer: every ${handle} begins with a pointer to a ${handle}_FunctionTable.`,
  );

/** Of a framework that was watched. */
function* transferRules(chosen: Chosen): Generator<string> {
  const seen = nearest(chosen, chosen.framework.calls);
  if (!seen) return;
  if (chosen.release.asksSize) {
    yield 'Arrays are read with PJRT_Buffer_ToHostBuffer; dst = NULL asks for their size, and is also given for arrays without elements.';
    return;
  }
  yield 'Arrays are read at their address where PJRT_Buffer_IsOnCpu says yes, otherwise with PJRT_Buffer_ToHostBuffer into a destination of known size.';
  if (seen.nullError !== undefined)
    yield 'PJRT_Error_Destroy is called with a NULL error when an event completes, and must do nothing then.';
}

function* programRules({ release }: Chosen): Generator<string> {
  if (release.sendsHlo) {
    yield 'Programs come as serialized HLO modules (format "hlo"): taking StableHLO alone fails.';
    return;
  }
  const { writes, fallback, readsAttribute, clamps, shardyOps } = release.stablehlo;
  if (fallback === null) {
    yield 'Programs come as the caller has them: StableHLO text, or serialized HLO modules (format "hlo").';
    return;
  }
  yield readsAttribute
    ? `State stablehlo_current_version in the attributes: programs come in that version of StableHLO${clamps ? `, at most ${writes}` : `, which must not be newer than ${writes}: it is not clamped`}. Without it they come in ${fallback}.`
    : `Programs come in StableHLO ${fallback}, whatever the plugin's attributes say.`;
  yield `Sharding (Shardy) operations in programs: ${shardyOps}.`;
}

function* extensionRules(chosen: Chosen): Generator<string> {
  const { framework, release } = chosen;
  const looked = Object.entries(framework.extensions).filter(([, extension]) => isAmong(chosen, extension));
  yield `No extension is needed. Looked for: ${looked.map(([name]) => name).join(', ') || 'none'}.`;
  for (const [name, { abortOnError }] of looked) {
    if (abortOnError.length > 0)
      yield `Extension ${name}, if it is there: an error of these ends the process: ${abortOnError.map(({ text }) => text).join(', ')}.`;
  }
  for (const { sinceMinor, bytes, slot } of LAYOUT_SLOTS) {
    if (release.minor >= sinceMinor && framework.extensions.Layouts)
      yield `Extension Layouts of a plugin that reports 0.${sinceMinor} or newer: at least ${bytes} bytes; ${slot} at their end is called, and the size is never checked.`;
  }
}

/** What a name of its own costs a plugin, whatever it implements. */
const platformRules = (chosen: Chosen): string[] =>
  gatesOf(chosen).map(
    ({ feature, names, otherwise }) =>
      `PJRT_Client_PlatformName is ${names.slice(0, -1).join(', ')} or ${names.at(-1)}, for ${feature}: on others ${otherwise}.`,
  );

function* errorRules(chosen: Chosen): Generator<string> {
  yield 'Errors are normal results: code and message are read and the error is destroyed, also by steps that then continue.';
  if (useOf(chosen, 'Error_ForEachPayload'))
    yield 'PJRT_Error_ForEachPayload, once the table reaches it (0.99), is called on every error; it must not be NULL and must not fail.';
}

/** Structs that the release sends to functions it calls, where versions of the C API differ in their size. */
function structNeeds(functions: readonly string[], minor: number): StructNeed[] {
  const abi = Abi.at(minor);
  const known = functions.filter((name) => abi.slotOffset(name) !== undefined);
  const seen = new Map<string, StructNeed>();
  for (const fn of known) {
    const args = abi.argsOf(fn);
    const pointed = args.fields.flatMap((f) => {
      const type = /^(?:const )?(?:struct )?(PJRT_\w+)\s*\*$/.exec(f.type)?.[1];
      return type && !f.out && abi.hasStruct(type) && abi.struct(type).has('struct_size') ? [type] : [];
    });
    for (const name of [args.name, ...pointed]) {
      if (seen.has(name) || name === 'PJRT_Extension_Base') continue;
      const others = sizes(name);
      if (others.length > 1) {
        const bytes = sizeAt(name, minor)!;
        seen.set(name, { name, function: fn, bytes, others: others.filter((o) => o.bytes !== bytes) });
      }
    }
  }
  return [...seen.values()];
}

/** The size that headers declare: what callers send. */
function sizeAt(name: string, minor: number): number | undefined {
  const abi = Abi.at(minor);
  if (!abi.hasStruct(name)) return undefined;
  const { declaredSize, structSize } = abi.struct(name);
  return declaredSize ?? structSize;
}

const sizesByName = new Map<string, { minor: number; bytes: number }[]>();

/** Every size that a struct had, with the minor that brought it. */
function sizes(name: string): { minor: number; bytes: number }[] {
  const known = sizesByName.get(name);
  if (known) return known;
  const all: { minor: number; bytes: number }[] = [];
  sizesByName.set(name, all);
  for (let minor = OLDEST_MINOR; minor <= NEWEST_MINOR; minor++) {
    const bytes = sizeAt(name, minor);
    if (bytes !== undefined && all.at(-1)?.bytes !== bytes) all.push({ minor, bytes });
  }
  return all;
}
