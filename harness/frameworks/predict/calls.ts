import { type Ability, isWorking } from '../../verdict/abilities.ts';
import { useOf } from '../load.ts';
import type { PluginView } from '../plugin-view.ts';
import { MOMENTS, type Moment } from '../prediction.ts';
import type { Framework, Release, Use } from '../types.ts';
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

/** When a release first gets to a function: functions outside the everyday workload only when somebody asks for them. */
export function momentOf(framework: Framework, release: Release, name: string): Moment {
  const use = useOf(framework, release, name);
  return (use && calledAt(framework, release, name, use)) ?? 'when used';
}

/** The moment to which a function belongs, if it is reached. */
export const phaseMoment = (framework: Framework, name: string): Moment =>
  PHASE_MOMENTS[framework.phases[name] ?? ''] ?? 'when used';

const CONTEXT_PLATFORMS = ['cpu', 'cuda', 'rocm', 'sycl'];
/** Of a plugin's topology, for the key of JAX's compilation cache, which knows these platforms alone. */
const CACHE_FUNCTIONS = ['TopologyDescription_Serialize', 'TopologyDescription_Fingerprint'];
const CACHE_PLATFORMS = ['cpu', 'gpu', 'cuda', 'rocm', 'tpu', 'neuron'];

/** Whether the plugins with which a release was watched say nothing of a call: it depends on platform or extensions. */
const dependsOnPlugin = (name: string, { gate }: Use): boolean =>
  gate?.withoutExtension !== undefined || gate?.withExtension !== undefined || CACHE_FUNCTIONS.includes(name);

/** What JAX does not read arrays in host memory with. The plugins on which releases were watched had no others. */
const DOWNLOAD = 'Buffer_ToHostBuffer';

const lacks = ({ abilities }: PluginView, name: string): boolean =>
  ['unimplemented', 'fails'].includes(abilities.get(`PJRT_${name}`) ?? '');

/** Whether the release gets to the call with this plugin at all. */
export function isCalled(
  framework: Framework,
  name: string,
  { gate }: Use,
  ability: Ability,
  plugin: PluginView,
): boolean {
  // A client without a topology is asked nothing about it.
  if (name.startsWith('TopologyDescription_') && lacks(plugin, 'Client_TopologyDescription')) return false;
  if (name.startsWith('Memory_') && hasNoMemories(plugin)) return false;
  const platform = plugin.platformName ?? 'cpu';
  if (framework.name === 'jax' && name === DOWNLOAD && (plugin.buffersOnCpu ?? platform === 'cpu')) return false;
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
    isWorking(plugin.abilities.get('PJRT_Device_CreateAsyncTrackingEvent'))
  );
}

/** When a release calls a function for the first time in everyday work; undefined when it does not. */
export function calledAt(framework: Framework, release: Release, name: string, use: Use): Moment | undefined {
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
