import { resolve } from 'node:path';
import { counted } from '../../base/counted.ts';
import { display } from '../../base/display.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import type { Event } from '../../model/events.ts';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import { type ExitCode, exitCode } from '../../verdict/exit-codes.ts';
import type { RunOptions } from '../plan/run-options.ts';
import { resolveAll } from '../plugin/plugin-setup.ts';
import type { runSession } from '../run.ts';
import { FileChanges } from './fingerprint.ts';
import { keysText, readKeys, type Wish } from './keys.ts';
import { Memory } from './memory.ts';

/**
 * `--watch`: runs, and again whenever a library, a manifest or a suite of the user changes, until the user quits. After a change
 * what failed runs first, then the cases that call the same functions, then all others. A run in progress gives way.
 * @param explain prints why a run could not begin
 * @returns the exit code of the last run that ended by itself
 */
export async function watch(
  options: RunOptions,
  environment: CommandEnvironment,
  run: typeof runSession,
  explain: (error: unknown) => ExitCode,
): Promise<number> {
  const session = new Session(options, environment, run, explain);
  try {
    return await session.loop();
  } finally {
    session.end();
  }
}

class Session {
  readonly #options: RunOptions;
  readonly #environment: CommandEnvironment;
  readonly #run: typeof runSession;
  readonly #explain: (error: unknown) => ExitCode;
  readonly #memory = new Memory();
  readonly #changes: FileChanges;
  readonly #endKeys: () => void = () => {};
  #wish: Wish | undefined;
  #onWish: () => void = () => {};
  #code: ExitCode | undefined;
  #began = false;

  constructor(
    options: RunOptions,
    environment: CommandEnvironment,
    run: typeof runSession,
    explain: (error: unknown) => ExitCode,
  ) {
    this.#explain = explain;
    this.#options = options;
    this.#environment = environment;
    this.#run = run;
    const ask = (wish: Wish): void => {
      this.#wish = wish;
      this.#onWish();
    };
    this.#changes = new FileChanges([], (changed) => {
      const names = changed.map((path) => display(environment.cwd, path));
      this.#say(`\n${names.slice(0, 3).join(', ')}${names.length > 3 ? ' …' : ''} changed`);
      ask('changed');
    });
    const { stdin } = environment;
    // As if the terminal had done it.
    if (stdin?.isTTY) this.#endKeys = readKeys(stdin, ask, () => process.kill(process.pid, 'SIGINT'));
    environment.signal.addEventListener('abort', () => this.#onWish());
  }

  end(): void {
    this.#changes.end();
    this.#endKeys();
  }

  async loop(): Promise<number> {
    const { signal } = this.#environment;
    for (let wish: Wish = 'all'; wish !== 'quit' && !signal.aborted; wish = await this.#nextWish()) {
      this.#wish = undefined;
      if (wish !== 'failed' || this.#memory.failed.size > 0) await this.#once(wish);
      if (this.#wish === undefined && !signal.aborted) this.#say(this.#waiting());
    }
    return this.#code ?? exitCode('interrupted');
  }

  /** One run, which ends early if the user wants another, or a file changes. */
  async #once(wish: Wish): Promise<void> {
    const stop = new AbortController();
    this.#onWish = () => stop.abort();
    const signal = AbortSignal.any([this.#environment.signal, stop.signal]);
    const around = { ...this.#environment, signal };
    try {
      const plugins = await resolveAll(this.#options, around);
      this.#changes.watch(this.#filesOf(plugins));
      const { failed } = this.#memory;
      const { lastFailed, failedOf, ...others } = this.#options;
      const options = wish === 'failed' ? { ...others, tests: [...failed] } : this.#options;
      const order =
        wish === 'changed' && failed.size > 0
          ? { failed: new Set(failed), related: this.#memory.related() }
          : undefined;
      const listener = order && this.#announcing(order.failed);
      this.#began = true;
      const outcome = await this.#run(options, around, { plugins, order, ...(listener ? { listener } : {}) });
      this.#memory.learn(outcome.run, options);
      if (!signal.aborted) this.#code = outcome.exitCode;
    } catch (error) {
      // What the user can mend must not end the session, unless there never was one.
      if (signal.aborted && (error as Error).name === 'AbortError') return;
      if (!this.#began) throw error;
      if (this.#explain(error) === exitCode('internal-error')) this.#wish = 'quit';
    }
  }

  /** Says how those stand that failed, once all of them have run. */
  #announcing(failed: ReadonlySet<string>): (event: Event) => void {
    const open = new Set(failed);
    let planned = 0;
    let failing = 0;
    return (event) => {
      if (event.type === 'suite') planned += event.cases.length;
      if (event.type !== 'case' || !open.delete(event.id)) return;
      if (/^(fail|crash|timeout|error)$/.test(event.result.status)) failing++;
      if (open.size > 0 || planned === failed.size) return;
      const all = counted(failed.size, 'case');
      const state = failing === 0 ? `what failed passes now (${all})` : `${failing} of ${all} that failed still do`;
      this.#say(`${state}; the others follow`);
    };
  }

  #nextWish(): Promise<Wish> {
    return new Promise((done) => {
      const look = (): void => {
        if (this.#environment.signal.aborted) done('quit');
        else if (this.#wish !== undefined) done(this.#wish);
      };
      this.#onWish = look;
      look();
    });
  }

  #filesOf(plugins: readonly ResolvedPlugin[]): string[] {
    const { cwd } = this.#environment;
    const manifests = plugins.flatMap(({ manifest }) => manifest?.file ?? []);
    const suites = (this.#options.suites ?? []).map((path) => resolve(cwd, path));
    return [...new Set([...plugins.map(({ library }) => library), ...manifests, ...suites])];
  }

  #waiting(): string {
    const { failed } = this.#memory;
    const state = failed.size === 0 ? 'nothing failed' : `${counted(failed.size, 'case')} failed`;
    const keys = this.#environment.stdin?.isTTY ? `; ${keysText()}` : '';
    return `${state}; waiting for a change${keys}`;
  }

  #say(text: string): void {
    const { stdout } = this.#environment;
    // The line of the progress, which is drawn again.
    stdout.write(`${stdout.isTTY ? '\r\x1b[K' : ''}${text}\n`);
  }
}
