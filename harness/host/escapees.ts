import { setTimeout as sleep } from 'node:timers/promises';
import { counted } from '../base/counted.ts';
import { type Escaped, escaped } from './escaped.ts';
import type { LiveWorker } from './live-worker.ts';
import type { RunNotes } from './run-notes.ts';
import type { WorkerProcess } from './worker-process.ts';

/** So many may be daemons that the processes of a plugin share: they are left to the other workers until the run ends. */
const SHARED = 8;
const NAMED = 5;
/** Processes that start others are killed faster than they do. */
const ROUNDS = 50;
const ROUND_MS = 20;

/** Processes that the plugin started and that outlived their worker: they are named, and ended. */
export class Escapees {
  readonly #notes: RunNotes;
  readonly #marks = new Set<string>();
  #left = 0;

  constructor(notes: RunNotes) {
    this.#notes = notes;
  }

  /** A worker has started. */
  watch({ mark }: WorkerProcess): void {
    this.#marks.add(mark);
  }

  /** A worker has ended. */
  after({ process: { number, pid, mark }, last }: LiveWorker): void {
    const found = escaped(new Set([mark]), pid).filter(({ group }) => group !== pid);
    if (found.length === 0) return;
    this.#left += found.length;
    const now = this.#left > SHARED;
    if (now) end(found);
    const commands = [...new Set(found.map(({ command }) => command))];
    const more = commands.length > NAMED ? `, and ${commands.length - NAMED} others` : '';
    const what = counted(found.length, 'process', 'processes');
    this.#notes.warn(
      `${what} that the plugin started outlived worker ${number}${last === undefined ? '' : ` (its last case: ${last})`} and ${found.length === 1 ? 'is' : 'are'} ended ${now ? 'by force' : 'with the run'}: ${commands.slice(0, NAMED).join('; ')}${more}`,
      { fact: { kind: 'escaped', processes: found.length } },
    );
  }

  /** The run ends. */
  async end(): Promise<void> {
    for (let round = 0; round < ROUNDS; round++) {
      const found = escaped(this.#marks);
      if (found.length === 0) return;
      end(found);
      await sleep(ROUND_MS);
    }
  }
}

function end(all: readonly Escaped[]): void {
  for (const { pid } of all) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}
