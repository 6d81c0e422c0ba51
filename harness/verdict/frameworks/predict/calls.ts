import { type Ability, isWorking } from '../../abilities.ts';
import { useOf } from '../load.ts';
import type { PluginView } from '../plugin-view.ts';
import { MOMENTS, type Moment } from '../prediction.ts';
import type { Chosen, MeasuredCalls, Use } from '../types.ts';
import { withheldFeaturesOf } from '../withheld-features.ts';
import { hasNoMemories } from './memories.ts';
import { nearest } from './nearest.ts';

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

/** When a release first calls a function; functions outside the common workload only on request. */
export function momentOf(chosen: Chosen, name: string, plugin?: PluginView): Moment {
  const use = useOf(chosen, name);
  return (use && calledAt(chosen, name, use, plugin)) ?? 'when used';
}

/** The moment to which a function belongs, if it is reached. */
export const phaseMoment = ({ framework }: Chosen, name: string): Moment =>
  PHASE_MOMENTS[framework.phases[name] ?? ''] ?? 'when used';

const CONTEXT_PLATFORMS = ['cpu', 'cuda', 'rocm', 'sycl'];
/** Of a plugin's topology, for the key of JAX's compilation cache, which knows the platforms of a list alone. */
const CACHE_FUNCTIONS = ['TopologyDescription_Serialize', 'TopologyDescription_Fingerprint'];
const CACHE = 'compilation cache';

/** Whether the plugins with which a release was watched say nothing of a call: it depends on platform or extensions. */
const dependsOnPlugin = (name: string, { gate }: Use): boolean =>
  gate?.withoutExtension !== undefined || gate?.withExtension !== undefined || CACHE_FUNCTIONS.includes(name);

/** Reads an array that is not in host memory. A framework that was never watched is taken to use it. */
const DOWNLOAD = 'Buffer_ToHostBuffer';

/** Whether arrays are said to lie in host memory. Without a client that is taken for granted of the platform cpu alone. */
const isOnCpu = ({ buffersOnCpu, platformName }: PluginView): boolean =>
  buffersOnCpu ?? (platformName ?? 'cpu') === 'cpu';

/** Calls by moment, as seen with memory like this plugin's. */
const callsLike = (seen: MeasuredCalls, plugin: PluginView): MeasuredCalls['onCpu'] =>
  isOnCpu(plugin) ? seen.onCpu : seen.notOnCpu;

/** What PJRT_Buffer_IsOnCpu must say for the release to call a function; undefined where it says nothing about that. */
export function memoryFor(chosen: Chosen, name: string): 'on CPU' | 'not on CPU' | undefined {
  const seen = nearest(chosen, chosen.framework.calls);
  if (!seen || has(seen.onCpu, name) === has(seen.notOnCpu, name)) return undefined;
  return has(seen.onCpu, name) ? 'on CPU' : 'not on CPU';
}

const has = (calls: MeasuredCalls['onCpu'], name: string): boolean =>
  Object.values(calls).some((names) => names.includes(name));

const lacks = ({ abilities }: PluginView, name: string): boolean =>
  ['unimplemented', 'fails'].includes(abilities.get(`PJRT_${name}`) ?? '');

/** Whether the release gets to the call with this plugin at all. */
export function isCalled(chosen: Chosen, name: string, { gate }: Use, ability: Ability, plugin: PluginView): boolean {
  // A client without a topology is asked nothing about it.
  if (name.startsWith('TopologyDescription_') && lacks(plugin, 'Client_TopologyDescription')) return false;
  if (name.startsWith('Memory_') && hasNoMemories(plugin)) return false;
  const platform = plugin.platformName ?? 'cpu';
  if (memoryFor(chosen, name) === (isOnCpu(plugin) ? 'not on CPU' : 'on CPU')) return false;
  const withheld = (feature: string): boolean =>
    withheldFeaturesOf(chosen, platform).some((withheldFeature) => withheldFeature.feature === feature);
  if (CACHE_FUNCTIONS.includes(name) && withheld(CACHE)) return false;
  if (!gate) return true;
  const has = (name: string): boolean => plugin.extensions.some((e) => e.name === name);
  if (gate.withExtension !== undefined && !has(gate.withExtension)) return false;
  // Contexts are made for host callbacks, which JAX passes on to these platforms alone.
  if (gate.withContext && !CONTEXT_PLATFORMS.includes(platform)) return false;
  if (gate.withoutExtension !== undefined && has(gate.withoutExtension)) return false;
  if (gate.minMinor !== undefined && plugin.minor < gate.minMinor) return false;
  if (ability === 'absent' && gate.withinTable) return false;
  if (gate.nullChecked && ability === 'null') return false;
  // Tested for NULL alone: behind the end of an older table there is anything, as a rule nothing.
  if (gate.nullChecked && ability === 'absent') return false;
  return gate.after === undefined || isWorking(plugin.abilities.get(`PJRT_${gate.after}`));
}

/**
 * When a release calls a function for the first time in everyday work; undefined when it does not.
 * @param plugin where its memory is decides; without one, the first of all moments
 */
export function calledAt(chosen: Chosen, name: string, use: Use, plugin?: PluginView): Moment | undefined {
  const seen = nearest(chosen, chosen.framework.calls, use);
  if (name === DOWNLOAD && !seen) return 'first transfer';
  const ways = seen ? (plugin ? [callsLike(seen, plugin)] : [seen.onCpu, seen.notOnCpu]) : [];
  const moment = MOMENTS.find((m) => ways.some((way) => way[m]?.includes(name)));
  if (moment !== undefined || (seen && !dependsOnPlugin(name, use))) return moment;
  if (!coreFunctions(chosen).has(name)) return undefined;
  return phaseMoment(chosen, name);
}

/** Functions of the everyday workload, as seen with the release that is nearest below in API version. */
function coreFunctions({ framework, release }: Chosen): Set<string> {
  const below = framework.core.filter((c) => c.minor <= release.minor);
  return new Set((below.at(-1) ?? framework.core[0]!).functions);
}

/** Of an error that they answer, only its code is asked for. */
const CODE_IS_ENOUGH = 'Buffer_DynamicDimensionIndices';

/**
 * When a release first meets an error and takes it apart: at the latest when it provokes one, earlier where a function
 * that it calls on every plugin answers with one, also if it then goes on.
 */
export function firstErrorMoment(chosen: Chosen, plugin: PluginView): Moment {
  const sometimes = nearest(chosen, chosen.framework.calls)?.sometimes ?? [];
  const met = Object.keys(chosen.framework.functions).flatMap((name): Moment | [] => {
    const use = useOf(chosen, name);
    const ability = plugin.abilities.get(`PJRT_${name}`);
    if (!use || name === CODE_IS_ENOUGH || (ability !== 'unimplemented' && ability !== 'fails')) return [];
    if (use.onError === 'abort unless UNIMPLEMENTED' && ability === 'unimplemented') return [];
    if (sometimes.includes(name)) return [];
    if (!isCalled(chosen, name, use, ability, plugin)) return [];
    return calledAt(chosen, name, use, plugin) ?? [];
  });
  return MOMENTS.find((moment) => met.includes(moment)) ?? 'first error';
}
