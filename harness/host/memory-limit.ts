import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { dirname, join } from 'node:path';

/** What was known of a process that the kernel killed because memory had run out. */
export interface MemoryLoss {
  /** The most that it was seen to hold. */
  heldBytes: number | undefined;
  /** What all processes of its control group may hold together, or the machine has. */
  limitBytes: number;
}

/** Groups without a limit have a number that no machine has. */
const UNLIMITED = 2 ** 60;

/**
 * The kernel's account of memory for this process and its children (Linux): nothing in a killed process says why it was
 * killed. The counter of a control group counts its own processes, whichever limit they met.
 */
export class MemoryLimit {
  readonly #root: string;
  /** Directories of the control group and of those that contain it; version 1 has a hierarchy for memory alone. */
  readonly #groups: string[];
  #known: number;

  /** @param root where /proc and /sys are */
  constructor(root = '/') {
    this.#root = root;
    const lines = this.#read('proc/self/cgroup').split('\n');
    const own = lines.find((line) => /^\d+:([^:]*,)?memory[,:]/.test(line));
    const mount = own ? 'sys/fs/cgroup/memory' : 'sys/fs/cgroup';
    const path = (own ?? lines.find((line) => line.startsWith('0::')))?.replace(/^\d+:[^:]*:/, '') ?? '/';
    this.#groups = ancestors(join('/', path)).map((group) => join(mount, group));
    this.#known = this.#kills();
  }

  /** Whether the kernel has killed for want of memory since this was last asked; each kill counts once. */
  takeKill(): boolean {
    if (this.#kills() <= this.#known) return false;
    this.#known++;
    return true;
  }

  /** The lowest limit that applies. */
  get bytes(): number {
    const texts = this.#groups.flatMap((group) =>
      ['memory.max', 'memory.limit_in_bytes'].map((name) => this.#read(join(group, name)).trim()),
    );
    const limits = texts.filter((text) => /^\d+$/.test(text)).map(Number);
    return Math.min(totalmem(), ...limits.filter((limit) => limit < UNLIMITED));
  }

  #kills(): number {
    const files = this.#groups.flatMap((group) => [join(group, 'memory.events'), join(group, 'memory.oom_control')]);
    // Without a control group, all kills of the machine.
    for (const file of [...files, 'proc/vmstat']) {
      const [, kills] = /^oom_kill (\d+)$/m.exec(this.#read(file)) ?? [];
      if (kills !== undefined) return Number(kills);
    }
    return 0;
  }

  #read(path: string): string {
    try {
      return readFileSync(join(this.#root, path), 'utf8');
    } catch {
      return '';
    }
  }
}

const ancestors = (path: string): string[] => (path === '/' ? [path] : [path, ...ancestors(dirname(path))]);
