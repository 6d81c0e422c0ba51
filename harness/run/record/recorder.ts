import { counted } from '../../base/counted.ts';
import { suiteOnDisk } from '../../base/display.ts';
import { type CommandEnvironment, wantsColor } from '../../base/environment.ts';
import { redactAll } from '../../base/redact.ts';
import type { Event } from '../../model/events.ts';
import { applyEvent, emptyRun, type Run } from '../../model/run.ts';
import { type ConsoleReporter, createConsoleReporter, type EventLog } from '../../report/index.ts';
import { LOG_TEXT, TextBudget, withinBounds } from '../../report/text-bounds.ts';
import { failsRun } from '../../verdict/standing.ts';
import { debuggerNamed } from '../plan/debugger-named.ts';
import { type Estimate, endedCases, runningCases } from '../plan/estimate.ts';
import type { RunOptions } from '../plan/run-options.ts';

/** These have nothing that a plugin or the user says: cases are planned from suites. */
const OF_THE_HARNESS: ReadonlySet<Event['type']> = new Set(['suite', 'start', 'footer', 'checkpoint']);
/** What a plugin says. */
const OF_PLUGINS: ReadonlySet<Event['type']> = new Set(['plugin', 'case', 'attempt', 'worker', 'note']);

/**
 * Sink of all events: first the log, then the run that reports are made of, then the console. What they get has no credentials,
 * and no text beyond its bounds.
 */
export class Recorder {
  readonly run: Run = emptyRun();
  readonly console: ConsoleReporter;
  /** Also receives every event. */
  readonly listeners: ((event: Event) => void)[] = [];
  readonly #log: EventLog;
  readonly #options: RunOptions;
  readonly #stop: AbortController;
  /** Notes of earlier sessions: a restarted plugin causes the same ones again. */
  readonly #knownNotes: ReadonlySet<string>;
  readonly #text = new TextBudget(LOG_TEXT);
  #failures = 0;

  /**
   * @param past earlier events in the log
   * @param estimate of the remaining time; undefined for a resumed run, whose times are from another session
   * @param stop aborted when the run has reached its maximum number of failures
   */
  constructor(
    log: EventLog,
    past: readonly Event[],
    options: RunOptions,
    { stdout, ...environment }: CommandEnvironment,
    stop: AbortController,
    estimate?: Estimate,
  ) {
    this.#log = log;
    this.#options = options;
    this.#stop = stop;
    this.console = createConsoleReporter({
      stream: stdout,
      onDisk: (file) => suiteOnDisk(environment.cwd, file),
      run: this.run,
      isTTY: stdout.isTTY === true,
      // Nothing is drawn over what a debugger writes.
      live: debuggerNamed(options) === undefined,
      color: options.color ?? wantsColor({ stdout, ...environment }),
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
    this.#knownNotes = new Set(this.run.notes.map((note) => JSON.stringify(note)));
  }

  readonly record = (said: Event): void => {
    const event = this.#fit(said);
    if (event.type === 'note' && this.#knownNotes.has(JSON.stringify(event))) return;
    this.#log.write(event);
    applyEvent(this.run, event);
    this.console.event(event);
    for (const listen of this.listeners) listen(event);
    if (event.type === 'case') this.#countFailure(event);
  };

  #fit(event: Event): Event {
    if (OF_THE_HARNESS.has(event.type)) return event;
    const plain = redactAll(event);
    const fit = OF_PLUGINS.has(event.type) ? withinBounds(plain) : plain;
    return fit.type === 'case' ? { ...fit, result: this.#text.spent(fit.result) } : fit;
  }

  #countFailure({ id, result }: Extract<Event, { type: 'case' }>): void {
    const { maxFailures } = this.#options;
    if (maxFailures === undefined || this.#stop.signal.aborted) return;
    if (failsRun({ plan: this.run.cases.get(id)!.plan, result }, this.#options)) this.#failures++;
    if (this.#failures < maxFailures) return;
    this.#stop.abort();
    const words = counted(this.#failures, 'failure');
    this.record({
      type: 'note',
      level: 'info',
      message: `stopped after ${words}, because of --max-failures`,
      fact: { kind: 'max-failures', failures: this.#failures },
    });
  }
}
