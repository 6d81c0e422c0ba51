import { dirname, resolve } from 'node:path';
import { setTimeout as pauseFor } from 'node:timers/promises';
import type { NumericsProfile, WirePlugin } from '../../host/wire/protocol.ts';
import { type HostArray, isHostArray } from '../../knowledge/numerics/array.ts';
import type { FileData } from '../../knowledge/numerics/data.ts';
import { generate } from '../../knowledge/numerics/generate.ts';
import { isProgramFile } from '../../knowledge/programs/program-file.ts';
import type { Finding } from '../../model/finding.ts';
import type { NumericRecord } from '../../model/numeric-record.ts';
import type { Observation } from '../../model/observation.ts';
import type { ProgramMemory } from '../../model/program-memory.ts';
import { fileData } from '../../suite/file-data.ts';
import { shownName } from '../../suite/in-one-step.ts';
import type { Case, Data, RUNNER_BINDINGS } from '../../suite/types.ts';
import { weigh } from '../../suite/weigh.ts';
import { Arena } from '../ffi/memory.ts';
import type { PjrtApi } from '../pjrt/api.ts';
import { Buffer } from '../pjrt/buffer.ts';
import { type Calls, elsewhere, here } from '../pjrt/calls.ts';
import { Client } from '../pjrt/client.ts';
import { Device } from '../pjrt/device.ts';
import { Scope } from '../pjrt/handle.ts';
import type { Instrument } from '../pjrt/instrument.ts';
import { Memory } from '../pjrt/memory.ts';
import type { Plugin } from '../pjrt/plugin.ts';
import { Topology } from '../pjrt/topology.ts';
import type { HeldMemory } from './held-memory.ts';
import { answered, type Origin } from './origin.ts';
import { CheckFailure, NotSupported, SuiteFault } from './outcome.ts';
import { releaseSharedPrograms } from './shared-programs.ts';

/** How long a plugin may take to come back from what a failed case still gives. */
const PATIENCE_MS = 2000;

/** Steps that name the same array of a file share it. */
const keyOf = ({ file }: FileData): string => JSON.stringify(file);

/** The functions whose answers the runner binds. */
const GIVEN_BY: Readonly<Partial<Record<(typeof RUNNER_BINDINGS)[number], string>>> = {
  devices: 'PJRT_Client_AddressableDevices',
  device: 'PJRT_Client_AddressableDevices',
  all_devices: 'PJRT_Client_Devices',
  descriptions: 'PJRT_Device_GetDescription',
  memories: 'PJRT_Client_AddressableMemories',
  memory: 'PJRT_Device_DefaultMemory',
  topology: 'PJRT_Client_TopologyDescription',
};

/** One plugin of the worker, with the client that its cases share. */
export interface Subject {
  plugin: Plugin;
  setup: WirePlugin;
  client: Client | undefined;
}

/** Everything the steps of one case work on. */
export class CaseContext {
  readonly case: Case;
  subjects: readonly Subject[];
  readonly instrument: Instrument;
  /** Memory of the harness for the case, or for one round of a soak. */
  arena: Arena;
  /** Owns what steps create: for the case, or inside a loop for one iteration. */
  scope = new Scope();
  /** Called with the error if an object cannot be destroyed; the others are destroyed regardless. */
  onCleanupError: (error: unknown) => void = (error) => {
    throw error;
  };
  readonly findings: Finding[];
  readonly numerics: NumericRecord[];
  readonly observed: Observation[];
  readonly programMemory: ProgramMemory[];
  readonly #bindings: Map<string, unknown>;
  readonly #memories: Map<string, HeldMemory>;
  readonly #origins: Map<string, readonly Origin[]>;
  readonly #files: Map<string, HostArray>;
  /** The loops around the current step, the outermost first, each with its current iteration. */
  #iterations: string[];
  /** Whether calls are made on other threads. */
  readonly isLane: boolean;
  /** The current step: its line (before the first one, that of the case), and what it breaks, if not all that is covered. */
  line: number;
  breaks: readonly string[] | undefined;
  /** Something pending was ready before it got the error in which it should have ended. */
  readyEarly = false;
  /** What gives the contents that steps still withhold. */
  readonly withheld = new Set<() => Promise<void>>();
  #api: PjrtApi | undefined;

  /** @param parent the context in which this one is a lane: it knows the names bound there, and reports what it finds there */
  constructor(testCase: Case, subjects: readonly Subject[], instrument: Instrument, parent?: CaseContext) {
    this.case = testCase;
    this.line = testCase.line;
    this.subjects = subjects;
    this.instrument = instrument;
    this.arena = new Arena({ guardsInputs: true });
    this.isLane = parent !== undefined;
    this.findings = parent?.findings ?? [];
    this.numerics = parent?.numerics ?? [];
    this.observed = parent?.observed ?? [];
    this.programMemory = parent?.programMemory ?? [];
    this.#files = parent ? parent.#files : new Map();
    this.#bindings = new Map(parent ? parent.#bindings : []);
    this.#memories = new Map(parent ? parent.#memories : []);
    this.#origins = new Map(parent ? parent.#origins : []);
    this.#iterations = parent ? [...parent.#iterations] : [];
  }

  /**
   * Runs something in several lanes at once, each with names, objects and memory of its own. All come to their end, also when
   * one fails: nothing may still be in the plugin when the case is over.
   * @throws what the first lane that failed threw; findings then name its line and lane
   */
  async lanes(labels: readonly string[], run: (lane: CaseContext, index: number) => Promise<void>): Promise<void> {
    const lanes = labels.map((label) => {
      const lane = new CaseContext(this.case, this.subjects, this.instrument, this);
      lane.onCleanupError = this.onCleanupError;
      lane.#iterations.push(label);
      return lane;
    });
    const ends = await Promise.allSettled(lanes.map(run));
    for (const lane of lanes) {
      lane.scope.dispose(this.onCleanupError);
      lane.arena.release();
    }
    const failed = ends.findIndex(({ status }) => status === 'rejected');
    if (failed < 0) return;
    const { line, breaks } = lanes[failed]!;
    Object.assign(this, { line, breaks });
    this.#iterations = lanes[failed]!.#iterations;
    throw (ends[failed] as PromiseRejectedResult).reason;
  }

  /**
   * Gives what steps still withhold: the end of an object may wait for it. What goes wrong then follows from an earlier
   * failure, which must not be lost because a plugin never comes back.
   */
  async giveWithheld(): Promise<void> {
    for (const give of this.withheld) await Promise.race([give().catch(() => {}), pauseFor(PATIENCE_MS)]);
  }

  /** The accuracy profile of the run. */
  get numericsProfile(): NumericsProfile {
    return this.subjects[0]?.setup.numerics ?? { profile: 'standard', chosen: false };
  }

  get plugin(): Plugin {
    return this.subjects[0]!.plugin;
  }

  /** The API in use: the first plugin's, or inside `using` another's. */
  get api(): PjrtApi {
    return this.#api ?? this.plugin.api;
  }

  /** Makes calls with the functions and layouts of another plugin of the process. */
  *using<T>(api: PjrtApi, calls: Calls<T>): Calls<T> {
    const before = this.#api;
    this.#api = api;
    try {
      return yield* calls;
    } finally {
      this.#api = before;
    }
  }

  /** Makes the calls of a step: on this thread, or in a lane each on another. */
  make = <T>(calls: Calls<T>): T | Promise<T> => (this.isLane ? elsewhere(calls) : here(calls));

  /** The shared client of the first plugin. */
  get client(): Client {
    const client = this.subjects[0]!.client;
    if (!client) throw new SuiteFault('this step needs a client, but the case says `client: none`');
    return client;
  }

  /** From now on this is the client of the case, and ends with it. */
  use(client: Client): void {
    const [first, ...others] = this.subjects;
    this.subjects = [{ ...first!, client: this.scope.own(client) }, ...others];
    this.scope.defer(() => releaseSharedPrograms(client));
  }

  /**
   * @param origins the answers from which the value comes
   * @param memory where the plugin keeps the value, if it was read from memory of the plugin
   */
  bind(name: string, value: unknown, origins: readonly Origin[] = [], memory?: HeldMemory): void {
    this.#bindings.set(name, value);
    this.#origins.set(name, origins);
    if (memory) this.#memories.set(name, memory);
    else this.#memories.delete(name);
  }

  /** The answers from which a value comes; none if it is no reference, or not of the plugin. */
  originsOf(reference: unknown): readonly Origin[] {
    if (typeof reference !== 'string') return [];
    const [, name = '', index] = /^\$?(.*?)(?:\[(\d+)\])?$/s.exec(reference)!;
    const given = GIVEN_BY[name as keyof typeof GIVEN_BY];
    const origins = this.#origins.get(name) ?? (given && reference.startsWith('$') ? [answered(given, name)] : []);
    // Several values in a row have an origin each, unless they are one of a list of such rows.
    const own = index !== undefined && origins.length > 1 && !origins[0]!.listed ? origins[Number(index)] : undefined;
    return own ? [own] : origins;
  }

  /** Arrays of host data that are bound now, lists element by element, in the order in which they were bound. */
  hostArrays = (): [name: string, array: HostArray][] =>
    [...this.#bindings].flatMap(([name, value]): [string, HostArray][] => {
      if (isHostArray(value)) return [[name, value]];
      if (!Array.isArray(value)) return [];
      return value.flatMap((one, i): [string, HostArray][] => (isHostArray(one) ? [[`${name}[${i}]`, one]] : []));
    });

  /** The memory from which `$name` was read; undefined if the value came with the struct of the call. */
  memoryOf = (reference: string): HeldMemory | undefined => this.#memories.get(reference.replace(/^\$/, ''));

  /**
   * Runs one iteration of a loop: names that are bound in it end with it, and so does what is created in it unless the
   * loop collects something. What fails in it says which iteration it was.
   * @param memory what the harness allocates in it, if that ends with it too
   */
  async iteration(label: string, keep: boolean, run: () => Promise<void>, memory?: Arena): Promise<void> {
    const [names, outer, arena] = [new Set(this.#bindings.keys()), this.scope, this.arena];
    this.arena = memory ?? arena;
    this.#iterations.push(label);
    if (!keep) this.scope = new Scope();
    try {
      await run();
    } catch (error) {
      // The label stays, so that the finding names this iteration; what is left belongs to the case.
      const inner = this.scope;
      this.scope = outer;
      this.arena = arena;
      if (memory) outer.defer(() => memory.release());
      if (inner !== outer) outer.defer(() => inner.dispose(this.onCleanupError));
      throw error;
    }
    const inner = this.scope;
    this.scope = outer;
    this.arena = arena;
    if (inner !== outer) inner.dispose(this.onCleanupError);
    memory?.release();
    this.#iterations.pop();
    this.#forgetExcept(names);
  }

  /** Runs something; the names that are bound in it end with it. */
  async within(run: () => Promise<void>): Promise<void> {
    const names = new Set(this.#bindings.keys());
    await run();
    this.#forgetExcept(names);
  }

  #forgetExcept(names: ReadonlySet<string>): void {
    for (const name of [...this.#bindings.keys()].filter((n) => !names.has(n))) {
      this.#bindings.delete(name);
      this.#memories.delete(name);
      this.#origins.delete(name);
    }
  }

  /**
   * Lets calls on other threads begin, and what they wait for show: some turns of the event loop, with a native call on
   * another thread in each.
   */
  async yieldToCalls(turns = 3): Promise<void> {
    const { api, pointer } = this.client;
    for (let i = 0; i < turns; i++) {
      await api.invokeAsync('PJRT_Client_PlatformName', (call) => call.setWord('client', pointer));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Value of `$name` (the dollar sign may be left out). */
  resolve(reference: string): unknown {
    const name = reference.replace(/^\$/, '');
    const [head, index] = /^(\w[\w-]*)\[(\d+)\]$/.exec(name)?.slice(1) ?? [name];
    const value = this.#bindings.has(head!) ? this.#bindings.get(head!) : this.#given(head!);
    if (index === undefined) return value;
    if (!Array.isArray(value)) throw new SuiteFault(`$${head} is not a list, so it has no element ${index}`);
    return value[Number(index)];
  }

  /** What the runner binds, by name. */
  readonly #runner: Readonly<Record<(typeof RUNNER_BINDINGS)[number], () => unknown>> = {
    plugin: () => this.plugin,
    plugins: () => this.subjects.map((s) => s.plugin),
    client: () => this.client,
    clients: () => this.subjects.map((s) => s.client),
    devices: () => this.client.addressableDevices(),
    all_devices: () => this.client.devices(),
    descriptions: () => this.client.devices().map((device) => device.description()),
    device: () => this.client.addressableDevices()[0],
    memories: () => this.client.addressableMemories(),
    memory: () => this.client.addressableDevices()[0]?.defaultMemory(),
    topology: () => (this.case.client === 'shared' ? this.client.topology() : this.#manifestTopology()),
    expected_platform: () => this.subjects[0]!.setup.platformName,
  };

  #given(name: string): unknown {
    if (Object.hasOwn(this.#runner, name)) return this.#runner[name as (typeof RUNNER_BINDINGS)[number]]();
    throw new SuiteFault(`$${name} is not bound by any step before this one`);
  }

  /** The topology that the plugin's manifest names, made without a client. */
  #manifestTopology(): Topology {
    const { topology } = this.subjects[0]!.setup;
    if (!topology)
      throw new NotSupported("the plugin's manifest names no topology that can be created without a device");
    const made = this.scope.own(Topology.create(this.api, this.arena, topology.name, topology.options));
    this.bind('topology', made);
    return made;
  }

  /** The client that a step names, or the shared one. */
  resolveClient = (reference?: string): Client =>
    reference === undefined ? this.client : this.resolveAs(reference, Client, 'a client');
  resolveBuffer = (reference: string): Buffer => this.resolveAs(reference, Buffer, 'a buffer');
  resolveDevice = (reference: string): Device => this.resolveAs(reference, Device, 'a device');
  resolveMemory = (reference: string): Memory => this.resolveAs(reference, Memory, 'a memory');

  /** What a step needs of this kind. A plugin that returned NULL with success fails its case, not the suite. */
  resolveAs<T>(reference: string, type: abstract new (...args: never[]) => T, what: string): T {
    return this.typed(this.resolve(reference), reference, type, what);
  }

  /** The same of a value that is there already, as an element of a list. @param reference its name in messages */
  typed<T>(value: unknown, reference: string, type: abstract new (...args: never[]) => T, what: string): T {
    if (value === undefined || value === null) {
      const [origin] = this.originsOf(reference);
      throw new CheckFailure({
        type: 'pjrt.NullHandle',
        message: `${origin?.text ?? shownName(reference)} should be ${what} and is NULL, although the call succeeded`,
        call: origin?.call,
      });
    }
    if (!(value instanceof type)) throw new SuiteFault(`${reference} is not ${what}`);
    return value;
  }

  /** Reads the arrays of files that steps name, before the first of them runs. @throws ArrayFileError */
  async readFiles(): Promise<void> {
    const named = fileData(this.case.steps);
    if (named.length === 0) return;
    // Loaded by the few cases that read files: it would take a tenth of the start of every worker.
    const { readArrayFile } = await import('../../knowledge/arrays/array-file.ts');
    for (const data of named) {
      this.#files.set(keyOf(data), await readArrayFile({ ...data.file, path: this.pathOf(data.file.path) }));
    }
  }

  /** The absolute path of a file that the suite names. */
  pathOf = (path: string): string => resolve(dirname(this.case.file), path);

  /** The program that a step names: a committed one by its name, one of the user by its absolute path. */
  programOf = (name: string): string => (isProgramFile(name) ? this.pathOf(name) : name);

  /** A host array: bound by an earlier step, read from a file, or generated. */
  data(data: Data): HostArray {
    if (typeof data !== 'string') {
      return 'file' in data ? this.#files.get(keyOf(data))! : generate(this.#seeded(data), (ref) => this.data(ref));
    }
    const value = this.resolve(data);
    if (!isHostArray(value)) throw new SuiteFault(`${data} is not an array of host data`);
    return value;
  }

  /** The seed may be the number of a lane. */
  #seeded<T extends object>(data: T): T {
    const [[kind, how]] = Object.entries(data) as [[string, { seed?: unknown }]];
    return typeof how.seed === 'string' ? ({ [kind]: { ...how, seed: this.resolve(how.seed) } } as T) : data;
  }

  /**
   * Adds a finding without ending the case. It breaks what it names, else what the step in hand says, else all that the
   * case covers, and weighs as much as the heaviest of these, unless it has a level of its own. The default is made here,
   * where the finding arises, so that a finding of a step always names requirements.
   */
  report(finding: Omit<Finding, 'level'> & { level?: Finding['level'] }): void {
    const requirements = finding.requirements ?? [...(this.breaks ?? this.case.covers)];
    const detail = [...(finding.detail === undefined ? [] : [finding.detail]), ...this.#iterations].join('\n');
    const found = {
      line: this.line,
      ...finding,
      ...(detail === '' ? {} : { detail }),
      requirements,
      level: finding.level ?? weigh(this.case, requirements),
    };
    this.instrument.recording?.found(found);
    this.findings.push(found);
  }
}
