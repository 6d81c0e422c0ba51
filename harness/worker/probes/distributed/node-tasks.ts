import type { WirePlugin } from '../../../host/wire/protocol.ts';
import type { Options } from '../../../model/plugin.ts';
import type { Case } from '../../../suite/types.ts';
import type { Values } from './store-callbacks.ts';

/** What a node is, sent once. */
export interface NodeSetup {
  plugin: WirePlugin;
  case: Case;
}

/** What a node does when it is asked to, by name, with what it needs for it. */
export interface NodeTasks {
  /** Loads the plugin. */
  load: NodeSetup;
  /** PJRT_Client_Create, with the store. `afterMs`: it waits for that long before. */
  create: { options: Options; afterMs?: number };
  facts: Record<never, never>;
  run: Launch;
  /** PJRT_Client_UpdateGlobalProcessInfo. */
  processes: { infos: readonly ProcessInfo[] };
  destroy: Record<never, never>;
  /** Values of the store that the plugin got. */
  values: Record<never, never>;
  /** The process exits. */
  leave: Record<never, never>;
}

/** What it finds. */
export interface NodeResults {
  load: null;
  create: null;
  facts: NodeFacts;
  run: NodeOutput[];
  processes: null;
  destroy: null;
  values: Values;
  leave: null;
}

export type TaskName = keyof NodeTasks;

/** What a client says of its job. */
export interface NodeFacts {
  processIndex: number;
  devices: { id: number; process: number; addressable: boolean }[];
  addressable: number[];
  /** Ids and processes of the devices of the client's topology; undefined if it has none. */
  topology?: { id: number; process: number }[];
}

/** A program that all devices of an assignment run, of which each node starts its own part. */
export interface Launch {
  /** A committed program, or StableHLO text. */
  program: string | { text: string };
  replicas: number;
  /** Id of the device of each replica. */
  assignment: number[];
  /** Values of f32, and their shape, for each replica. */
  inputs: number[][];
  shape: number[];
}

/** What one device computed. */
export interface NodeOutput {
  device: number;
  values: number[];
}

export interface ProcessInfo {
  task: number;
  incarnation: bigint;
  state: string;
  error?: { code: string; message: string };
}

/** An error of the plugin. */
export interface Refusal {
  call: string;
  code: number;
  codeName: string;
  text: string;
}

/** How a task ended, as the node says it. */
export type NodeAnswer<T> =
  | { value: T }
  | { refused: Refusal }
  /** The plugin lacks what the task is about. */
  | { lacks: string }
  /** A finding of the node itself: a result that cannot be. */
  | { wrong: string; call?: string }
  /** The harness failed. */
  | { fault: string };

/** A task on its way to a node. */
export interface NodeMessage<T extends TaskName = TaskName> {
  task: T;
  about: NodeTasks[T];
}
