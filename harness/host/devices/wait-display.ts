import type { Output } from '../../base/environment.ts';
import { cleanLine } from '../../base/sanitize.ts';
import { errnoOf } from '../plugins/plugin-error.ts';
import { allDevices, type DeviceLock } from './device-locks.ts';
import { deviceFiles, type Holder, readHolder } from './lock-file.ts';

const REDRAW_MS = 1000;
/** Longest text of another process that is shown. */
const MAX_TEXT = 160;

/** Shows on a stream which device a run waits for, and who has it; a new line when this changes, the time on a terminal. */
export class WaitDisplay {
  readonly #stream: Output;
  readonly #directory: string;
  readonly #began = performance.now();
  #lock: DeviceLock | undefined;
  #timer: NodeJS.Timeout | undefined;
  #shown = '';

  constructor(stream: Output, directory: string) {
    this.#stream = stream;
    this.#directory = directory;
  }

  /** From now on it waits for this lock. @param visibly whether the user sees it */
  waitFor(lock: DeviceLock, visibly: boolean): void {
    this.#lock = lock;
    if (!visibly) return;
    this.#timer ??= setInterval(() => this.#draw(), REDRAW_MS);
    this.#draw();
  }

  /** Which device it waits for, and who has it now. */
  text(): string {
    const lock = this.#lock!;
    const holders = holdersOf(lock, this.#directory).map(holderText);
    return `${lock.what} is in use by ${holders.join(' and ') || `another process (it holds ${this.#directory}/${lock.file})`}`;
  }

  done(): void {
    clearInterval(this.#timer);
    if (this.#shown !== '' && this.#stream.isTTY) this.#stream.write('\r\u001b[2K');
  }

  #draw(): void {
    const text = this.text();
    if (this.#stream.isTTY) {
      const seconds = Math.round((performance.now() - this.#began) / 1000);
      this.#stream.write(`\r\u001b[2Kwaiting, ${seconds} s: ${text}`);
    } else if (text !== this.#shown) this.#stream.write(`waiting: ${text}\n`);
    this.#shown = text;
  }
}

/** Who has a lock; if all devices are shared out, those who have a single one. */
function holdersOf({ file, mode, family }: DeviceLock, directory: string): Holder[] {
  const holder = readHolder(directory, file);
  if (holder) return [holder];
  if (mode === 'shared' || file !== allDevices(family)) return [];
  // A killed run leaves its record.
  const others = deviceFiles(directory, family).flatMap((name) => readHolder(directory, name) ?? []);
  return [...new Map(others.filter(({ pid }) => exists(pid)).map((other) => [other.pid, other])).values()];
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errnoOf(error) !== 'ESRCH';
  }
}

/** One line, whatever another process wrote to the file. */
function holderText({ pid, command, since, log }: Holder): string {
  const clean = (text: string): string => cleanLine(text).slice(0, MAX_TEXT);
  const where = log === undefined ? '' : `, log ${clean(log)}`;
  return `process ${pid} since ${clean(since)} (${clean(command)}${where})`;
}
