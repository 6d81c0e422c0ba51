import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StackFrame } from '../../model/backtrace.ts';
import type { CapturedText } from '../../model/case-result.ts';
import { frameOfPlugin, type SanitizerReport, sanitizerReports } from './report.ts';

const CHUNK_BYTES = 1 << 20;
/** A plugin that reports without end fills a disk, not this process. Node.js leaks some megabytes of reports itself. */
const MOST_BYTES = 64 << 20;

/** Where the sanitizers of the workers write, each of each process to a file of its own, and how far it has been read. */
export class SanitizerLog {
  readonly #directory = mkdtempSync(join(tmpdir(), 'pjrt-sanitizers-'));
  readonly #sanitizers: readonly string[];
  /** Bytes that were read, by file. */
  readonly #read = new Map<string, number>();
  readonly #names = new Map<string, StackFrame>();

  /** @param sanitizers names of those that write */
  constructor(sanitizers: readonly string[]) {
    this.#sanitizers = sanitizers;
  }

  /** The value of the option `log_path` of a sanitizer. */
  readonly pathOf = (sanitizer: string): string => join(this.#directory, sanitizer);

  /**
   * What the sanitizers of a process have reported of the plugin since the last time.
   * @param stderr what it wrote in that time: beside AddressSanitizer, GCC's UndefinedBehaviorSanitizer writes there whatever it is asked
   */
  take(pid: number, stderr?: CapturedText): SanitizerReport[] {
    const texts = this.#sanitizers.map((name) => this.#news(`${this.pathOf(name)}.${pid}`));
    if (stderr) texts.push(`${stderr.head}\n${stderr.tail}`);
    return texts
      .flatMap((text) => sanitizerReports(text, this.#named))
      .filter((report) => frameOfPlugin(report) !== undefined);
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #news(path: string): string {
    let file: number;
    try {
      file = openSync(path, 'r');
    } catch {
      return '';
    }
    try {
      const from = this.#read.get(path) ?? 0;
      const chunks: Buffer[] = [];
      for (let at = from; at < MOST_BYTES; ) {
        const chunk = Buffer.alloc(CHUNK_BYTES);
        const count = readSync(file, chunk, 0, CHUNK_BYTES, at);
        if (count === 0) break;
        at += count;
        this.#read.set(path, at);
        chunks.push(chunk.subarray(0, count));
      }
      return Buffer.concat(chunks).toString('utf8');
    } finally {
      closeSync(file);
    }
  }

  /** Some runtimes know no names of libraries that were loaded later. */
  readonly #named = (frame: StackFrame): StackFrame => {
    const { function: name, module, offset } = frame;
    if (name !== undefined || offset === undefined || !frameOfPlugin({ frames: [frame] })) return frame;
    const key = `${module}+${offset}`;
    const known = this.#names.get(key) ?? { ...frame, ...resolved(module!, offset) };
    this.#names.set(key, known);
    return known;
  };
}

/** What the debug information of a library says about a place in it, if binutils are installed. */
function resolved(module: string, offset: string): StackFrame {
  try {
    const args = ['-Cfe', module, offset];
    const text = execFileSync('addr2line', args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 60_000,
    });
    const [name, place = ''] = text.split('\n');
    const [, file, line] = /^(.+):(\d+)/.exec(place) ?? [];
    const isFile = file !== undefined && !file.startsWith('?');
    return {
      ...(name && !name.startsWith('?') ? { function: name } : {}),
      ...(isFile ? { file, line: Number(line) } : {}),
    };
  } catch {
    return {};
  }
}
