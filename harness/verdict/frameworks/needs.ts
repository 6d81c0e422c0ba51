import { Abi, introducedIn, NEWEST_MINOR, OLDEST_MINOR } from '../../knowledge/abi/index.ts';
import { isAmong, useOf } from './load.ts';
import { memoryFor, momentOf, phaseMoment } from './predict/calls.ts';
import { LAYOUT_SLOTS } from './predict/extensions.ts';
import { nearest, nearestFault } from './predict/nearest.ts';
import { FLOOR } from './predict/version-rule.ts';
import { MOMENTS, type Moment } from './prediction.ts';
import type { Chosen, Use } from './types.ts';
import { currentMinor } from './window.ts';
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
    rules: rulesAt(moment, chosen),
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

function rulesAt(moment: Moment, chosen: Chosen): string[] {
  const { framework, release } = chosen;
  switch (moment) {
    case 'import':
      return [
        'A shared library that exports GetPjrtApi, which gives the same PJRT_Api table at every call.',
        ...(framework.name === 'tensorflow'
          ? ['The library exports TFNPD_InitPlugin too: without it no device appears, and no error is shown.']
          : []),
      ];
    case 'client creation':
      return [
        versionRule(chosen),
        ...floorRule(chosen),
        ...promiseRule(chosen),
        ...vtableRules(release.minor),
        'Args structs may be longer or shorter than in your header: require only the fields you use, ignore the rest.',
      ];
    case 'first transfer':
      return transferRules(chosen);
    case 'first compile':
      return [...programRules(chosen), ...extensionRules(chosen)];
    case 'first error':
      return errorRules(chosen);
    case 'when used':
      return platformRules(chosen);
    default:
      return [];
  }
}

function versionRule({ release }: Chosen): string {
  return release.rule === 'exact'
    ? `Version: 0.${release.minor} exactly. With ENABLE_PJRT_COMPATIBILITY=true: major 0, minor ${FLOOR} or newer.`
    : `Version: major 0, minor ${FLOOR} or newer, no upper limit. With ENABLE_PJRT_COMPATIBILITY=false: 0.${release.minor} exactly.`;
}

/** The version rule is wider than what works: functions that everyday use calls without looking at the version. */
function floorRule(chosen: Chosen): string[] {
  const called = Object.keys(chosen.framework.functions)
    .filter((name) => momentOf(chosen, name) !== 'when used' && useOf(chosen, name)?.gate === undefined)
    .map((name) => ({ name, since: introducedIn(`PJRT_${name}`) }))
    .sort((a, b) => b.since - a.since)[0];
  if (!called || called.since <= FLOOR) return [];
  return [
    `In practice the oldest is 0.${called.since}: everyday use calls PJRT_${called.name} on every plugin, and an older table ends before it.`,
  ];
}

function promiseRule({ framework, release }: Chosen): string[] {
  if (!framework.promise) return [];
  const { weeks } = framework.promise;
  const since = new Date(Date.parse(release.date) - weeks * 7 * 86_400_000).toISOString().slice(0, 10);
  return [
    `The promise is narrower: plugins of the ${weeks} weeks before the release (${since}), which is 0.${currentMinor(since)} and newer.`,
  ];
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
function transferRules(chosen: Chosen): string[] {
  const seen = nearest(chosen, chosen.framework.calls);
  if (!seen) return [];
  return [
    'Arrays are read at their address where PJRT_Buffer_IsOnCpu says yes, otherwise with PJRT_Buffer_ToHostBuffer into a destination of known size.',
    ...(seen.nullError === undefined
      ? []
      : ['PJRT_Error_Destroy is called with a NULL error when an event completes, and must do nothing then.']),
  ];
}

function programRules({ release }: Chosen): string[] {
  if (release.sendsHlo)
    return ['Programs come as serialized HLO modules (format "hlo"): taking StableHLO alone fails.'];
  const { writes, fallback, readsAttribute, clamps, shardyOps } = release.stablehlo;
  const version = readsAttribute
    ? `State stablehlo_current_version in the attributes: programs come in that version of StableHLO${clamps ? `, at most ${writes}` : `, which must not be newer than ${writes}: it is not clamped`}. Without it they come in ${fallback}.`
    : `Programs come in StableHLO ${fallback}, whatever the plugin's attributes say.`;
  return [version, `Sharding (Shardy) operations in programs: ${shardyOps}.`];
}

function extensionRules(chosen: Chosen): string[] {
  const { framework, release } = chosen;
  const looked = Object.entries(framework.extensions).filter(([, extension]) => isAmong(chosen, extension));
  const names = looked.map(([name]) => name).join(', ');
  const traps = looked
    .filter(([, e]) => e.abortOnError.length > 0)
    .map(
      ([name, e]) =>
        `Extension ${name}, if it is there: an error of these ends the process: ${e.abortOnError.map(({ text }) => text).join(', ')}.`,
    );
  const slots = LAYOUT_SLOTS.filter((s) => release.minor >= s.sinceMinor).map(
    (s) =>
      `Extension Layouts of a plugin that reports 0.${s.sinceMinor} or newer: at least ${s.bytes} bytes; ${s.slot} at their end is called, and the size is never checked.`,
  );
  return [`No extension is needed. Looked for: ${names || 'none'}.`, ...traps, ...slots];
}

/** What a name of its own costs a plugin, whatever it implements. */
const platformRules = (chosen: Chosen): string[] =>
  gatesOf(chosen).map(
    ({ feature, names, otherwise }) =>
      `PJRT_Client_PlatformName is ${names.slice(0, -1).join(', ')} or ${names.at(-1)}, for ${feature}: on others ${otherwise}.`,
  );

function errorRules(chosen: Chosen): string[] {
  const payloads = useOf(chosen, 'Error_ForEachPayload');
  return [
    'Errors are normal results: code and message are read and the error is destroyed, also by steps that then continue.',
    ...(payloads
      ? [
          'PJRT_Error_ForEachPayload, once the table reaches it (0.99), is called on every error; it must not be NULL and must not fail.',
        ]
      : []),
  ];
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
