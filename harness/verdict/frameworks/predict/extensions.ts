import type { PluginView } from '../plugin-view.ts';
import type { Chosen } from '../types.ts';
import type { NamedTrouble } from './trouble.ts';

/** Slots of the Layouts extension that a minor makes frameworks call: struct_size of the node is never looked at. */
export const LAYOUT_SLOTS = [
  { sinceMinor: 81, slot: 'Executable_GetOutputLayouts', bytes: 72 },
  { sinceMinor: 93, slot: 'Executable_GetParameterLayouts', bytes: 80 },
];

/** Functions of extensions that are called without a test of what is there. */
export function extensionTroubles({ framework, release }: Chosen, plugin: PluginView): NamedTrouble[] {
  const layouts = plugin.extensions.find((e) => e.name === 'Layouts');
  if (!layouts) return [];
  const called = (framework.extensions.Layouts?.abortOnError ?? []).flatMap(({ slot }) => slot ?? []);
  const missing = (layouts.nullSlots ?? []).filter((slot) => called.some((name) => slot.endsWith(name)));
  const nulls = missing.map((slot) => ({
    about: slot,
    outcome: 'aborts' as const,
    moment: 'first transfer' as const,
    reason: `${slot} of the Layouts extension is NULL and is called for every array`,
    facts: ['functions of an extension that is there are called without a test (measured with JAX 0.4.38 to 0.10.2)'],
  }));
  const short = LAYOUT_SLOTS.filter(
    ({ sinceMinor, bytes }) => plugin.minor >= sinceMinor && release.minor >= sinceMinor && layouts.structSize < bytes,
  ).map(({ sinceMinor, slot, bytes }) => ({
    about: slot,
    outcome: 'aborts' as const,
    moment: 'first compile' as const,
    reason: `the Layouts extension has ${layouts.structSize} bytes, and ${slot} at its end (${bytes} bytes) is called in plugins of 0.${sinceMinor} and newer`,
    facts: ['extension struct sizes are never checked by a framework (measured: crash at the first jit)'],
  }));
  return [...nulls, ...short];
}
