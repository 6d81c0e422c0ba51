import type { Block } from './block.ts';
import { Observable } from './observable.ts';

/** Memory that the harness takes for what it gives to plugins. */
export const allocations = new Observable<[block: Block]>();

/** Memory of the plugin is written. */
export const foreignWrites = new Observable<[]>();
