import type { Event } from '../model/events.ts';
import { applyEvent, emptyRun, type Run } from '../model/run.ts';
import { type ConsoleReporter, createConsoleReporter, type EventLog } from '../report/index.ts';
import { type Surroundings, wantsColor } from '../surroundings.ts';
import { failsRun } from '../verdict/breach.ts';
import { type Estimate, endedCases, runningCases } from './estimate.ts';
import type { RunOptions } from './run-options.ts';

/** Where everything that happens goes: into the log first, then into the run that reports are made of, then to the console. */
export class Recorder {
  readonly run: Run = emptyRun();
  readonly console: ConsoleReporter;
  /** Also hear every event. */
  readonly listeners: ((event: Event) => void)[] = [];
  readonly #log: EventLog;
  readonly #options: RunOptions;
  readonly #stop: AbortController;
  /** Remarks of earlier sittings: a plugin that is started again is met with the same ones. */
  readonly #told: ReadonlySet<string>;
  #failures = 0;

  /**
   * @param past what the log holds already
   * @param estimate of how long the rest takes; a run that went on earlier has none, because its time was another's
   * @param stop aborted when the run has as many failures as it may have
   */
  constructor(
    log: EventLog,
    past: readonly Event[],
    options: RunOptions,
    { stdout, ...around }: Surroundings,
    stop: AbortController,
    estimate?: Estimate,
  ) {
    this.#log = log;
    this.#options = options;
    this.#stop = stop;
    this.console = createConsoleReporter({
      stream: stdout,
      run: this.run,
      isTTY: stdout.isTTY === true,
      color: options.color ?? wantsColor({ stdout, ...around }),
      ...(stdout.columns ? { columns: stdout.columns } : {}),
      ...(options.verbose ? { verbose: true } : {}),
      ...(options.quiet ? { quiet: true } : {}),
      ...(estimate
        ? {
            remaining: (elapsedMs) =>
              estimate.remainingMs(endedCases(this.run), elapsedMs, runningCases(this.run, elapsedMs)),
          }
        : {}),
    });
    for (const event of past) {
      applyEvent(this.run, event);
      this.console.event(event);
    }
    this.#told = new Set(this.run.notes.map((note) => JSON.stringify(note)));
  }

  readonly record = (event: Event): void => {
    if (event.type === 'note' && this.#told.has(JSON.stringify(event))) return;
    this.#log.write(event);
    applyEvent(this.run, event);
    this.console.event(event);
    for (const listen of this.listeners) listen(event);
    if (event.type === 'case') this.#countFailure(event);
  };

  #countFailure({ id, result }: Extract<Event, { type: 'case' }>): void {
    const { maxFailures } = this.#options;
    if (maxFailures === undefined || this.#stop.signal.aborted) return;
    if (failsRun(this.run.cases.get(id)!.plan, result, this.#options)) this.#failures++;
    if (this.#failures < maxFailures) return;
    this.#stop.abort();
    const words = `${this.#failures} ${this.#failures === 1 ? 'failure' : 'failures'}`;
    this.record({
      type: 'note',
      level: 'info',
      message: `stopped after ${words}, because of --max-failures`,
      fact: { kind: 'max-failures', failures: this.#failures },
    });
  }
}
