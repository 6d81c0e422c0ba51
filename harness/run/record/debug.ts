import { closeSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { display } from '../../base/display.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import { makeDirectory } from '../../base/make-directory.ts';
import { redact } from '../../base/redact.ts';
import { systemReason } from '../../base/system-reason.ts';
import { type DebugVariables, debugVariables } from '../../host/plugins/debug-variables.ts';
import { environmentOf } from '../../host/plugins/environment-advice.ts';
import type { RunPlan } from '../../host/run-plan.ts';
import type { Event } from '../../model/events.ts';
import type { EnvironmentAdvice, ResolvedPlugin } from '../../model/plugin.ts';
import { cleanLine, EventLogError } from '../../report/index.ts';

const LONGEST_LINE = 2000;
const LONGEST_BEGUN = 1 << 16;
const OURS = /^worker-\d+\.(?:stdout|stderr|calls)\.log$/;

/** `--debug` of one run: logging variables, and the output of workers, live and in files. */
export interface Debug {
  /** Added to the environment of workers. */
  env: Record<string, string>;
  listen: NonNullable<RunPlan['listen']>;
  event(event: Event): void;
  close(): void;
}

/**
 * Starts printing worker output to stderr, and writing all of it to a directory.
 * @param ids of the cases, in the order in which workers count them
 */
export function startDebug(
  plugins: readonly ResolvedPlugin[],
  ids: readonly string[],
  directory: string,
  { env, cwd, stderr }: CommandEnvironment,
): Debug {
  const advice = plugins.flatMap(({ manifest }) => environmentOf(manifest));
  const variables = debugVariables([...new Map(advice.map((entry) => [entry.name, entry])).values()], env);
  const files = new OutputFiles(directory);
  const began = performance.now();
  const print = (worker: number, mark: string, text: string): void => {
    const seconds = ((performance.now() - began) / 1000).toFixed(3).padStart(9);
    const line = cleanLine(text);
    const shown = line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)} …` : line;
    stderr.write(`${seconds} w${worker} ${mark} ${shown}\n`);
  };
  for (const line of explanation(variables, env, display(cwd, directory))) stderr.write(`debug: ${cleanLine(line)}\n`);
  return {
    env: Object.fromEntries(variables.set.map(({ name, debug }) => [name, debug!])),
    listen: (worker, stream) => {
      const lines = new Lines((line) => print(worker, stream === 'stdout' ? 'out|' : 'err|', line));
      return (item) => {
        if ('bytes' in item) {
          files.write(worker, stream, item.bytes);
          lines.add(item.bytes);
          return;
        }
        lines.end();
        if ('call' in item) {
          files.write(worker, 'calls', `${item.call}\n`);
          print(worker, 'call', item.call);
        } else if (item.edge === 'begin') {
          const header = `=== ${ids[item.number - 1] ?? 'no case'}\n`;
          files.write(worker, stream, header);
          if (stream === 'stderr') files.write(worker, 'calls', header);
        }
      };
    },
    event: (event) => {
      if (event.type === 'worker') {
        const { signal, exitCode, note, pid } = event;
        const how = event.what === 'start' ? `started, process ${pid}` : `ended with ${signal ?? `code ${exitCode}`}`;
        print(event.worker, '----', note === undefined ? how : `${how}: ${note}`);
      } else if (event.type === 'start') print(event.worker, '----', `case ${event.id}`);
      else if (event.type === 'case') print(event.worker, '----', `${event.result.status} ${event.id}`);
    },
    close: () => files.close(),
  };
}

/** What was set and what else is available, so that nobody has to look it up. */
function explanation({ set, yours, more }: DebugVariables, env: NodeJS.ProcessEnv, directory: string): string[] {
  const list = (entries: readonly EnvironmentAdvice[], value: (entry: EnvironmentAdvice) => string): string[] =>
    entries.map((entry) => `  ${entry.name}=${value(entry)}   ${entry.about}`);
  return [
    ...(set.length > 0 ? ['set for the workers:', ...list(set, ({ debug }) => debug!)] : []),
    ...(yours.length > 0 ? ['set by you, passed on unchanged:', ...list(yours, ({ name }) => env[name]!)] : []),
    ...(more.length > 0 ? ['not set; try, for example:', ...list(more, ({ example }) => example!)] : []),
    `all output of workers goes to ${directory}/worker-N.stdout.log, .stderr.log and, call by call, .calls.log`,
    'lines: seconds, worker, then ---- for worker activity, call for native calls, out| and err| for output of the plugin (docs/debugging.md)',
  ];
}

/** Bytes as lines; an unfinished line waits, within bounds. */
class Lines {
  readonly #print: (line: string) => void;
  #pending = '';

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  add(bytes: Buffer): void {
    const parts = (this.#pending + bytes.toString('utf8')).split('\n');
    this.#pending = parts.pop()!;
    for (const part of parts) this.#print(part);
    if (this.#pending.length > LONGEST_LINE) this.end();
  }

  end(): void {
    if (this.#pending !== '') this.#print(this.#pending);
    this.#pending = '';
  }
}

/** The files of one run; those of an earlier one in the same directory are removed first. */
class OutputFiles {
  readonly #directory: string;
  readonly #open = new Map<string, number>();
  /** Lines that are not complete: a credential may be in two pieces. */
  readonly #begun = new Map<number, string>();

  constructor(directory: string) {
    this.#directory = directory;
    try {
      makeDirectory(directory);
      for (const name of readdirSync(directory).filter((entry) => OURS.test(entry))) rmSync(join(directory, name));
    } catch (cause) {
      throw new EventLogError(`${directory}: cannot write the output of workers here: ${systemReason(cause)}`, {
        cause,
      });
    }
  }

  write(worker: number, kind: 'stdout' | 'stderr' | 'calls', text: Buffer | string): void {
    const name = `worker-${worker}.${kind}.log`;
    const fd = this.#open.get(name) ?? openSync(join(this.#directory, name), 'w');
    this.#open.set(name, fd);
    // As Latin-1 every byte is a character, and stays what it is.
    const all = (this.#begun.get(fd) ?? '') + Buffer.from(text).toString('latin1');
    const end = all.length > LONGEST_BEGUN ? all.length : all.lastIndexOf('\n') + 1;
    this.#begun.set(fd, all.slice(end));
    append(fd, all.slice(0, end));
  }

  close(): void {
    for (const fd of this.#open.values()) {
      append(fd, this.#begun.get(fd) ?? '');
      closeSync(fd);
    }
    this.#open.clear();
  }
}

function append(fd: number, text: string): void {
  const bytes = Buffer.from(redact(text), 'latin1');
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}
