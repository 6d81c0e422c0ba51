import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { BREADCRUMB } from '../host/wire/breadcrumb-layout.ts';
import {
  callLine,
  type FromWorker,
  type Inspection,
  type InspectionProblem,
  type WirePlugin,
  type WorkerResult,
  type WorkerSetup,
} from '../host/wire/protocol.ts';
import type { Finding } from '../model/finding.ts';
import { type PluginFacts, type PluginFailure, refusalProblem } from '../model/plugin-facts.ts';
import { isJudged, warned } from '../model/warned.ts';
import type { Case } from '../suite/types.ts';
import { descriptorShortage } from './descriptors.ts';
import { Breadcrumb } from './ffi/breadcrumb.ts';
import { callbacks } from './ffi/function.ts';
import { LibraryError } from './ffi/library.ts';
import { Arena } from './ffi/memory.ts';
import { canReadProcessState, readProcessState } from './ffi/process-state.ts';
import { recorders } from './ffi/recorder.ts';
import { startPython } from './ffi/start-python.ts';
import { isHealthy } from './healthy.ts';
import { inspect, tableFacts } from './inspect.ts';
import { CallRecording } from './pjrt/call-recording.ts';
import { Client } from './pjrt/client.ts';
import { ApiError, isAboutPlugin, PjrtError } from './pjrt/errors.ts';
import { Instrument } from './pjrt/instrument.ts';
import { Plugin } from './pjrt/plugin.ts';
import { tablesText } from './pjrt/tables-text.ts';
import { ProcessMonitor } from './process-monitor.ts';
import { runCase } from './run-case.ts';
import { comparisonLine, comparisons } from './steps/comparisons.ts';
import type { Subject } from './steps/context.ts';
import { releaseSharedPrograms, settleSharedPrograms } from './steps/shared-programs.ts';
import { Stops } from './stop-at.ts';

type Send = (message: FromWorker) => void;

/** The plugins of one worker process, in the order of the command line, from dlopen to the last case. */
export class Session {
  readonly #setup: WorkerSetup;
  readonly #instrument: Instrument;
  readonly #send: Send;
  readonly #subjects: Subject[] = [];
  /** Memory of the create options. */
  readonly #arena = new Arena();
  #monitor: ProcessMonitor | undefined;
  readonly #stops: Stops | undefined;

  constructor(setup: WorkerSetup, send: Send) {
    this.#setup = setup;
    this.#send = send;
    this.#instrument = new Instrument(new Breadcrumb(BREADCRUMB.descriptor));
    if (setup.trace) this.#instrument.trace = callTrace(setup.marker);
    if (setup.recording !== undefined) this.#record(setup.recording);
    if (setup.stopAt) this.#stops = new Stops(this.#instrument, setup.stopAt);
    if (canReadProcessState) this.#instrument.processAtStart = readProcessState();
  }

  #record(directory: string): void {
    const recording = new CallRecording(join(directory, `${process.pid}.jsonl`));
    this.#instrument.recording = recording;
    recorders.observe((recorder, { calls = [], open = false }) => recording.callback(recorder, calls, open));
    comparisons.observe((what, comparison) => {
      if (comparison.structure !== undefined) return;
      const { line, came } = comparisonLine(what, comparison);
      recording.compared(line, came);
    });
    callbacks.observe((address, signature) => recording.answering(address, signature));
  }

  /**
   * Loads and initializes every plugin and creates the shared clients. Facts are sent at once, one by one, so that a crash
   * loses none. A failure is a fact too.
   */
  prepare(): void {
    const { binding, caller } = this.#setup;
    for (const [i, setup] of this.#setup.plugins.entries()) {
      const sendFacts = (facts: Partial<PluginFacts>) => this.#send({ type: 'facts', plugin: i, facts });
      let plugin: Plugin;
      try {
        this.#host(setup);
        plugin = Plugin.load(setup.name, setup.library, binding, this.#instrument, caller);
      } catch (error) {
        sendFacts({ failure: failureOf('load', error) });
        return;
      }
      this.#look(setup.name, 'dlopen');
      const { recording } = this.#instrument;
      if (recording) recording.loaded(plugin.api.abi.minor, tablesText(plugin.api));
      sendFacts(tableFacts(plugin.api));
      this.#subjects.push({ plugin, setup, client: undefined });
      try {
        plugin.initialize();
      } catch (error) {
        sendFacts({ failure: failureOf('initialize', error) });
        return;
      }
      this.#look(setup.name, 'PJRT_Plugin_Initialize');
    }
    this.#instrument.breadcrumb?.watchExit();
    if (this.#setup.clients) this.#createClients();
    this.#sendAnswers();
  }

  /** What a Python changes in the process is not the plugin's doing. */
  #host({ python }: WirePlugin): void {
    if (!python) return;
    this.#instrument.native('Py_InitializeEx', () => startPython(python));
    if (canReadProcessState) this.#instrument.processAtStart = readProcessState();
  }

  /** Of several plugins, it matters which one changed the process. */
  #look(plugin: string, what: 'dlopen' | 'PJRT_Plugin_Initialize'): void {
    if (this.#setup.plugins.length === 1 || !canReadProcessState) return;
    this.#instrument.processAfter.push({ plugin, what, state: readProcessState() });
  }

  /** Only with one plugin: functions of several have the same names. */
  #sendAnswers(): void {
    const answers = this.#subjects.length === 1 ? this.#instrument.takeAnswers() : undefined;
    if (answers) this.#send({ type: 'answers', answers });
  }

  #createClients(): void {
    for (const [i, subject] of this.#subjects.entries()) {
      try {
        subject.client = Client.create(subject.plugin.api, this.#arena, subject.setup.options);
      } catch (error) {
        this.#send({ type: 'facts', plugin: i, facts: { failure: failureOf('client', error) } });
      }
    }
    this.#instrument.breadcrumb?.idle();
  }

  /**
   * Looks at one part of every plugin and sends what there is to see.
   * @returns why a look gave nothing
   */
  inspect(part: Inspection): InspectionProblem | undefined {
    let problem: InspectionProblem | undefined;
    for (const [i, subject] of this.#subjects.entries()) {
      try {
        const { facts, faults } = inspect(part, subject.plugin, subject.client);
        this.#send({ type: 'facts', plugin: i, facts });
        if (faults?.[0] !== undefined) problem ??= { reason: faults[0] };
      } catch (error) {
        if (!isAboutPlugin(error)) throw error;
        problem ??= { unanswered: subject.setup.name, reason: error.message };
      }
    }
    this.#instrument.breadcrumb?.idle();
    this.#sendAnswers();
    return problem;
  }

  /** @param avoided functions that are not to be called */
  async run(number: number, testCase: Case, avoided: readonly string[]): Promise<WorkerResult> {
    this.#instrument.avoided = new Set(avoided);
    this.#instrument.breadcrumb?.case(number);
    if (this.#setup.repeatsCrash) this.#instrument.breadcrumb?.watchFaults();
    this.#stops?.begin();
    const monitor = this.#monitorFor(testCase);
    const result = await runCase(testCase, this.#subjects, this.#instrument);
    const healthy = ['pass', 'warn', 'unsupported'].includes(result.status);
    // Calls that are still running may use them; the process is not used again.
    if (!result.spent) for (const { client } of this.#subjects) if (client) settleSharedPrograms(client, healthy);
    this.#sendAnswers();
    const seen = monitor && isJudged(result) && !result.spent ? warned(result, monitor.after(testCase)) : result;
    const shortage = descriptorShortage();
    return shortage ? outOfDescriptors(seen, { ...shortage, line: testCase.line }) : seen;
  }

  /** Of several plugins nobody could say whose doing it is. A case that may harm its process, or has it alone, is not asked. */
  #monitorFor({ isolation }: Case): ProcessMonitor | undefined {
    const { processAtStart } = this.#instrument;
    if (!processAtStart || this.#subjects.length !== 1 || isolation !== 'worker') return undefined;
    const [{ client }] = this.#subjects as [Subject];
    this.#monitor ??= new ProcessMonitor(processAtStart, () => client && releaseSharedPrograms(client));
    return this.#monitor;
  }

  /** Whether the plugins still work after a case that may have harmed them. */
  isHealthy(): boolean {
    const healthy = this.#subjects.every(({ client }) => client === undefined || isHealthy(client));
    this.#instrument.breadcrumb?.idle();
    return healthy;
  }

  /** Destroys the shared clients. @returns errors, which belong to no case */
  close(): string | undefined {
    let problem: string | undefined;
    for (const { client } of this.#subjects) {
      try {
        if (client) releaseSharedPrograms(client);
        client?.destroy();
      } catch (error) {
        problem ??= error instanceof Error ? error.message : String(error);
      }
    }
    this.#instrument.breadcrumb?.idle();
    return problem;
  }

  /** The process exits next, as requested. */
  leaving(): void {
    this.#instrument.breadcrumb?.leaving();
  }

  /** Ends the process at once: the plugin has closed the message channel. */
  closed(): never {
    this.#instrument.breadcrumb?.closed();
    process.kill(process.pid, 'SIGKILL');
    throw new Error('unreachable');
  }
}

/** A result of a process that cannot open anything any more, the harness's own files included. */
function outOfDescriptors({ reason, ...result }: WorkerResult, shortage: Finding): WorkerResult {
  const whole: WorkerResult =
    result.status === 'error'
      ? { ...result, status: 'pass', findings: result.findings.filter(({ type }) => type !== 'pjrt.HarnessError') }
      : { ...result, reason };
  return { ...warned(whole, [shortage]), spent: true };
}

/** @throws an error of the harness itself */
function failureOf(stage: PluginFailure['stage'], error: unknown): PluginFailure {
  if (error instanceof PjrtError) {
    return { stage, message: error.text, code: error.codeName, ...refusalProblem(error.text) };
  }
  if (error instanceof ApiError) return { stage: error.stage, message: error.message, problem: error.problem };
  if (error instanceof LibraryError) {
    return { stage: 'load', message: error.message, problem: error.problem };
  }
  if (!isAboutPlugin(error)) throw error;
  return { stage, message: error.message };
}

/** Traces every native call on stderr, before it begins, so that the trace survives the death of the process. */
const callTrace =
  (marker: string): NonNullable<Instrument['trace']> =>
  (name, after) => {
    const text = after ? `${name} ${after.answer} in ${after.ms.toFixed(3)} ms` : name;
    try {
      writeSync(2, callLine(marker, text.replace(/[\x00-\x1f]+/g, ' ')));
    } catch {
      // A plugin may have closed the stream; the trace is then lost, like its output.
    }
  };
