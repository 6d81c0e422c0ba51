import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Duplex, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { programPath } from '../../../base/paths.ts';
import type { Instrument } from '../../pjrt/instrument.ts';
import { killedOutside } from '../support/killed-outside.ts';
import type { NodeAnswer, NodeResults, NodeTasks, TaskName } from './node-tasks.ts';
import type { StoreService } from './store-service.ts';

const entry = programPath('worker/probes/distributed/node');

const PIPE_GRACE_MS = 500;

/** How a task of a node ended. `call`: the native call that the node was in. */
export type NodeReply<T> =
  | NodeAnswer<T>
  | { died: string; call?: string }
  /** It had no result at its deadline, and was killed. `asking`: it was still asking the store. */
  | { late: number; asking: boolean; call?: string }
  /** The case has killed it, or never started it. */
  | { absent: true };

/**
 * The harness's side of a node: a process of a job. Its calls are in the breadcrumb of this process, so that a hang is
 * blamed on the call that hangs.
 */
export class NodeProcess {
  readonly #index: number;
  readonly #child: ChildProcess;
  readonly #service: StoreService;
  readonly #calls: { name: string; back: (answer: string, ms: number) => void }[] = [];
  readonly #ended: Promise<string>;
  #dead = false;
  #killed = false;

  /** @param env variables of its own */
  constructor(index: number, instrument: Instrument, service: StoreService, env: Record<string, string> = {}) {
    this.#index = index;
    this.#service = service;
    // In the process group of this worker, so that a missed deadline ends both. Its output belongs to the case.
    this.#child = fork(entry, [], {
      stdio: ['ignore', 'inherit', 'inherit', 'pipe', 'pipe', 'ipc'],
      serialization: 'advanced',
      env: { ...process.env, ...env },
    });
    const lines = createInterface({ input: this.#child.stdio[3] as Readable });
    const read = once(lines, 'close');
    lines.on('line', (line) => this.#called(line.split('\t'), instrument));
    service.serve(index, this.#child.stdio[4] as Duplex);
    this.#ended = this.#end(read);
  }

  /** Gives the node a task. It is killed if it has no result at the deadline. */
  async ask<T extends TaskName>(task: T, about: NodeTasks[T], deadlineMs: number): Promise<NodeReply<NodeResults[T]>> {
    if (this.#killed) return { absent: true };
    const answered = new Promise<NodeReply<NodeResults[T]>>((resolve) => {
      this.#child.once('message', (answer) => resolve(answer as NodeAnswer<NodeResults[T]>));
    });
    const died = this.#ended.then((how) => this.#endOf(how));
    if (this.#child.connected) this.#child.send({ task, about }, () => {});
    const timer = new AbortController();
    const late = sleep(deadlineMs, undefined, { signal: timer.signal }).then(
      () => ({
        late: deadlineMs,
        asking: (this.#service.quietMs(this.#index) ?? deadlineMs) < deadlineMs / 2,
        ...this.#inside,
      }),
      () => new Promise<never>(() => {}),
    );
    const reply = await Promise.race([answered, died, late]);
    timer.abort();
    this.#child.removeAllListeners('message');
    if ('late' in reply) await this.kill();
    return reply;
  }

  /** Ends the node at once. What it is doing has no result. */
  async kill(): Promise<void> {
    this.#killed = true;
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  get dead(): boolean {
    return this.#dead;
  }

  #endOf(how: string): { absent: true } | { lacks: string } | { died: string; call?: string } {
    if (this.#killed) return { absent: true };
    const lacks = killedOutside(this.#child);
    return lacks === undefined ? { died: how, ...this.#inside } : { lacks };
  }

  get #inside(): { call?: string } {
    const call = this.#calls.at(-1)?.name;
    return call === undefined ? {} : { call };
  }

  #called([kind, name = '', ms, answer = 'error']: string[], instrument: Instrument): void {
    if (kind === '>') {
      this.#calls.push({ name, back: instrument.elsewhere(name) });
      return;
    }
    const at = this.#calls.findIndex((call) => call.name === name);
    if (at >= 0) this.#calls.splice(at, 1)[0]!.back(answer, Number(ms));
  }

  /** Waits for the end of the process, and for what it has said until then. */
  async #end(read: Promise<unknown>): Promise<string> {
    const how = await new Promise<string>((resolve) => {
      this.#child.once('error', (error) => resolve(`did not start: ${error.message}`));
      this.#child.once('exit', (code, signal) =>
        resolve(signal === null ? `exited with code ${code}` : `died with ${signal}`),
      );
    });
    this.#dead = true;
    // Processes that the plugin has left behind may hold the channels open.
    await Promise.race([read, sleep(PIPE_GRACE_MS, undefined, { ref: false })]);
    (this.#child.stdio[3] as Readable).destroy();
    (this.#child.stdio[4] as Duplex).destroy();
    // After those who want to know in which call it ended.
    setImmediate(() => {
      for (const { back } of this.#calls.splice(0).reverse()) back('error', 0);
    });
    return how;
  }
}
