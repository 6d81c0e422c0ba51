import { createHash } from 'node:crypto';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join, sep } from 'node:path';

/** `pjrt-PURPOSE-PID.START.WORLD-XXXXXX`: the name says whose a folder is, from the moment that it is there. */
const NAME = /^pjrt-[a-z-]+-(\d+)\.(\d+)\.([0-9a-f]{8})-\w{6}$/;

/**
 * Makes a folder for temporary files; who made it removes it. What processes left that were killed goes first, so that nothing
 * stays for ever.
 * @param purpose a word for whoever finds it
 */
export function scratchFolder(purpose: string): string {
  const parent = tmpdir();
  const world = worldOf();
  for (const folder of abandoned(parent, world)) {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // It takes some space, which is no reason to run nothing.
    }
  }
  return mkdtempSync(join(parent, `pjrt-${purpose}-${process.pid}.${startOf(process.pid) ?? 0}.${world}-`));
}

/** Folders of processes that are gone. What is not known for sure to be one of ours, and abandoned, is none. */
function abandoned(parent: string, world: string): string[] {
  const names = reading(() => readdirSync(parent)) ?? [];
  return names.flatMap((name) => {
    const [, pid, start, where] = NAME.exec(name) ?? [];
    if (where !== world || lives(Number(pid), start!)) return [];
    const folder = join(parent, name);
    const facts = lstatSync(folder, { throwIfNoEntry: false });
    const ours = facts?.isDirectory() && facts.uid === (process.getuid?.() ?? facts.uid);
    return ours && !isWorkplace(folder) ? [folder] : [];
  });
}

/** Where a process number means what it means here: machines, boots and containers may share a folder. */
function worldOf(): string {
  const facts = [hostname(), reading(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'))];
  const text = [...facts, reading(() => readlinkSync('/proc/self/ns/pid'))].join('\n');
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

function lives(pid: number, start: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  // Numbers are given again; systems without /proc do not tell.
  return (startOf(pid) ?? start) === start;
}

/** When a process started, in ticks since the boot (Linux). */
function startOf(pid: number): string | undefined {
  const stat = reading(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

/** A process that the dead one had started may still be at work in its folder (Linux). */
function isWorkplace(folder: string): boolean {
  const processes = reading(() => readdirSync('/proc'))?.filter((name) => /^\d+$/.test(name)) ?? [];
  return processes.some((pid) => `${reading(() => readlinkSync(`/proc/${pid}/cwd`))}${sep}`.startsWith(folder + sep));
}

function reading<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
