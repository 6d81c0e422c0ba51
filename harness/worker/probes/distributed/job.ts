import { randomUUID } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { visibleDevices } from '../../../host/devices/device-locks.ts';
import { openStore } from '../../../host/store/open-store.ts';
import { PartOfStore } from '../../../host/store/part-of-store.ts';
import { type Store, waitFor } from '../../../host/store/store.ts';
import type { JobSettings } from '../../../host/wire/protocol.ts';
import type { Options } from '../../../model/plugin.ts';
import { Client } from '../../pjrt/client.ts';
import type { CaseContext } from '../../steps/context.ts';
import { demandNodeOptions, NODE_OPTIONS } from '../../steps/node-options.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { meet } from './meeting.ts';
import { NodeProcess, type NodeReply } from './node-process.ts';
import type { NodeResults, NodeTasks, TaskName } from './node-tasks.ts';
import { StoreService } from './store-service.ts';
import type { Trouble } from './trouble.ts';

const DEFAULT_NODES = 2;
const MEETING_MS = 60_000;
/** For other machines, beyond the deadline that they have themselves. */
const SHARING_MS = 30_000;

/** Milliseconds that nodes have for a task. */
export const DEADLINES = { load: 60_000, create: 200_000, task: 60_000, leave: 20_000 } as const;

/** What a node does; undefined: nothing. */
type About<T extends TaskName> = (node: number) => NodeTasks[T] | undefined;

export type Replies<T extends TaskName> = NodeReply<NodeResults[T]>[];

/** How a job runs that is not as it should be. */
export interface Ways {
  trouble?: Trouble;
  /** More processes than nodes: those beyond have the ids that their options give them. Only on one machine. */
  extra?: number;
  /** Each node has devices of its own, because they compute together; some hardware cannot be in one computation twice. */
  apart?: true;
}

/**
 * N processes with a client each, which meet through a store. On one machine all of them are children of this worker; with
 * `--node` the harness of each machine has one, and results are exchanged through the store, so that all harnesses come to the
 * same verdict.
 */
export class Job {
  /** Number of nodes, as the settings say. */
  readonly count: number;
  readonly service: StoreService;
  readonly #context: CaseContext;
  readonly #settings: JobSettings;
  readonly #nodes = new Map<number, NodeProcess>();
  readonly #parts: readonly PartOfStore[];
  readonly #control: PartOfStore;
  /** The same keys, which are not taken away. */
  readonly #lasting: PartOfStore;
  readonly #processes: number;
  /** Variables of each node of this machine that give it devices of its own. */
  readonly #shares: readonly Record<string, string>[];
  #shared = 0;

  private constructor(
    context: CaseContext,
    settings: JobSettings,
    store: Store,
    name: string,
    ways: Ways,
    shares: readonly Record<string, string>[],
  ) {
    this.count = settings.nodes;
    this.#processes = settings.nodes + (ways.extra ?? 0);
    this.#context = context;
    this.#shares = shares;
    this.#settings = settings;
    const values = new PartOfStore(store, `${name}/plugin/`);
    this.#control = new PartOfStore(store, `${name}/harness/`);
    this.#lasting = new PartOfStore(store, `${name}/harness/`);
    this.#parts = [values, this.#control];
    this.service = new StoreService(values, ways.trouble ?? {});
  }

  /**
   * Runs something with a job, whose processes end with it.
   * @throws the failure of the store, whatever followed from it; NotSupported if the plugin's manifest knows no options for jobs, or the nodes cannot all be here
   */
  static async with(context: CaseContext, ways: Ways, run: (job: Job) => Promise<void>): Promise<void> {
    const { setup } = context.subjects[0]!;
    demandNodeOptions(setup);
    const settings = setup.job ?? { nodes: DEFAULT_NODES };
    if (setup.serial && settings.node === undefined)
      throw new NotSupported(
        'the manifest says that one process at a time has a client (`serial`): no several nodes on one machine',
      );
    if (ways.extra && settings.node !== undefined) throw new NotSupported('needs all nodes on one machine');
    const shares = ways.apart ? sharesOf(context, settings) : [];
    const store = await openStore(settings.store, process.env);
    try {
      const id = encodeURIComponent(context.case.id);
      const mine = new PartOfStore(store, `${id}/`);
      const name =
        settings.node === undefined ? randomUUID() : await meet(mine, settings.node, settings.nodes, MEETING_MS);
      const job = new Job(context, settings, store, `${id}/${name}`, ways, shares);
      try {
        await run(job).catch((error) => {
          throw job.service.failure ?? error;
        });
        await job.#share('end', [], DEADLINES.task, true);
      } finally {
        await job.#close();
        await mine.close();
      }
    } finally {
      await store.close();
    }
  }

  /** Nodes of this machine. */
  get #local(): number[] {
    const { node } = this.#settings;
    return node === undefined ? Array.from({ length: this.#processes }, (_, i) => i) : [node];
  }

  /** Whether a node is a process of this machine. */
  isLocal = (node: number): boolean => this.#local.includes(node);

  /** The create options of a node. @param as what it believes to be instead */
  options(node: number, as: { node?: number; count?: number } = {}): Options {
    return {
      ...this.#context.subjects[0]!.setup.options,
      [NODE_OPTIONS.count]: { kind: 'int64', value: BigInt(as.count ?? this.count) },
      [NODE_OPTIONS.index]: { kind: 'int64', value: BigInt(as.node ?? node) },
    };
  }

  /** Starts processes, by default all, and loads the plugin in them. */
  async start(which: (node: number) => boolean = () => true): Promise<Replies<'load'>> {
    const plugin = this.#context.subjects[0]!.setup;
    for (const node of this.#local.filter((one) => which(one) && !this.#nodes.has(one)))
      this.#nodes.set(node, new NodeProcess(node, this.#context.instrument, this.service, this.#shares[node]));
    return this.ask('load', (node) => (which(node) ? { plugin, case: this.#context.case } : undefined), DEADLINES.load);
  }

  /**
   * Gives nodes a task, side by side.
   * @param failed is called as soon as one of them has no result
   * @returns how it ended, by node
   */
  async ask<T extends TaskName>(
    task: T,
    about: About<T>,
    deadlineMs: number = DEADLINES.task,
    failed: () => void = () => {},
  ): Promise<Replies<T>> {
    const replies = await Promise.all(
      this.#local.map(async (node): Promise<NodeReply<NodeResults[T]>> => {
        const what = about(node);
        const process = this.#nodes.get(node);
        if (!process || what === undefined) return { absent: true };
        const reply = await process.ask(task, what, deadlineMs);
        if (!('value' in reply)) failed();
        return reply;
      }),
    );
    return this.#share(task, replies, deadlineMs);
  }

  /** Kills a node, if it is one of this machine. */
  async kill(node: number): Promise<void> {
    await this.#nodes.get(node)?.kill();
    this.#nodes.delete(node);
  }

  /** What all nodes have, from what those of this machine have. */
  async #share<T>(what: string, local: T[], deadlineMs: number, last = false): Promise<T[]> {
    const { node, nodes } = this.#settings;
    if (node === undefined) return local;
    const step = `${this.#shared++}-${what}`;
    const value = Uint8Array.from(serialize(local[0]));
    // Others may read the last one when this harness has gone: it stays until the store forgets it.
    const control = last ? this.#lasting : this.#control;
    await control.write(`${step}/${node}`, value);
    const everyone = Array.from({ length: nodes }, (_, other) => other);
    return Promise.all(
      everyone.map(async (other) =>
        other === node
          ? local[0]!
          : (deserialize(await waitFor(this.#control, `${step}/${other}`, deadlineMs + SHARING_MS)) as T),
      ),
    );
  }

  async #close(): Promise<void> {
    this.service.leave();
    await Promise.all([...this.#nodes.values()].map((node) => node.kill()));
    // A store that has gone away needs no cleaning.
    await Promise.allSettled(this.#parts.map((part) => part.close()));
  }
}

/**
 * Divides the devices of this machine among its nodes, if the manifest says by which variable a process gets some of them.
 * Otherwise they are made in each process, and none is shared.
 * @throws NotSupported if there are fewer devices than nodes
 */
function sharesOf({ api, arena, subjects }: CaseContext, { nodes, node }: JobSettings): Record<string, string>[] {
  const { visibleBy, options } = subjects[0]!.setup;
  if (!visibleBy?.[0] || node !== undefined) return [];
  const client = Client.create(api, arena, options);
  const count = client.addressableDevices().length;
  client.destroy();
  if (count < nodes)
    throw new NotSupported(
      `needs ${nodes} devices, one for each node: processes that compute together cannot share one; the client has ${count}`,
    );
  const devices = visibleDevices(visibleBy, process.env) ?? Array.from({ length: count }, (_, i) => `${i}`);
  const name = visibleBy.find((one) => process.env[one]) ?? visibleBy[0];
  const share = Math.floor(devices.length / nodes);
  return Array.from({ length: nodes }, (_, i) => ({ [name]: devices.slice(i * share, (i + 1) * share).join(',') }));
}
