import { isWorking } from '../../abilities.ts';
import type { PluginView } from '../plugin-view.ts';
import type { Release } from '../types.ts';
import type { Trouble } from './trouble.ts';

/** Clients without memories leave all of these out; one of them alone is another matter. */
export const MEMORY_FUNCTIONS = [
  'Client_AddressableMemories',
  'Device_AddressableMemories',
  'Device_DefaultMemory',
  'Buffer_Memory',
];
/** From 0.67 on (JAX 0.5.1, PyTorch/XLA 2.7) every upload names a memory. */
const MEMORIES_NEEDED = 67;

export const hasNoMemories = ({ abilities }: PluginView): boolean =>
  MEMORY_FUNCTIONS.every((name) => abilities.get(`PJRT_${name}`) === 'unimplemented');

/** What a plugin without memories meets. */
export function memoryTroubles(release: Release, { abilities }: PluginView): Trouble[] {
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
  if (!isWorking(abilities.get('PJRT_Executable_OutputMemoryKinds'))) return [];
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
