import { basename } from 'node:path';
import { Abi, type Field, isDestroyer, isExtensionFunction } from '../../../knowledge/abi/index.ts';
import { dtypeOfEnum } from '../../../knowledge/numerics/dtypes.ts';
import { decodeCompileOptions } from '../../../knowledge/programs/compile-options.ts';
import {
  artifactVersion,
  compareVersions,
  type StablehloVersion,
} from '../../../knowledge/programs/stablehlo-version.ts';
import type { RecordedStruct } from '../../../knowledge/trace/arguments.ts';
import { callbackIn, contentsIn, dataIn, enteredIn, executableIn, leftIn } from '../../../knowledge/trace/bodies.ts';
import { KIND, type Memory } from '../../../knowledge/trace/format.ts';
import { argumentsOf, type NamedRecord, namedRecords } from '../../../knowledge/trace/named-records.ts';
import { digestOf, type Trace } from '../../../knowledge/trace/open-trace.ts';
import type { RecordedSession } from '../../../knowledge/trace/sessions.ts';
import type { Finding } from '../../../model/finding.ts';
import { Arena, readBytes } from '../../ffi/memory.ts';
import { record as recorder } from '../../ffi/recorder.ts';
import type { Recorder } from '../../ffi/recording.ts';
import { Buffer as DeviceBuffer } from '../../pjrt/buffer.ts';
import type { Call } from '../../pjrt/call.ts';
import { AbsentError, PjrtError } from '../../pjrt/errors.ts';
import { Event } from '../../pjrt/event.ts';
import { PluginExtension } from '../../pjrt/extension-call.ts';
import { makeNamedValues } from '../../pjrt/named-values.ts';
import type { CaseContext } from '../../steps/context.ts';
import { answerOf, causeOf, NotSupported } from '../../steps/outcome.ts';
import { ContentsJudge } from './contents.ts';
import {
  GIVES_RESULTS,
  MADE_OF,
  NEEDS_READY,
  OWN,
  POINTERS,
  PROCESS_BOUND,
  PROCESS_BOUND_EXTENSIONS,
  SAME,
  TAKES_PIECES,
  WAITS,
} from './policy.ts';
import { type PairedObject, pairedObjects, ReturnedArguments } from './returned.ts';
import { SessionObjects, Unresolved } from './session-objects.ts';
import { writeArguments } from './write-arguments.ts';

/** A call that has been made, until the record of its return. */
interface Made {
  arguments: ReturnedArguments;
  error: PjrtError | undefined;
  arena: Arena;
}

/** A call that could not be made. */
interface NotMade {
  why: string;
}

/** A read whose data is compared when the caller knows that it is there. */
interface PendingRead {
  /** Recorded address of its event. */
  event: bigint;
  destination: bigint;
  size: number;
  source: bigint;
  arena: Arena;
}

/** Findings about calls after which further ones are counted only. */
const MOST = 10;

/** Makes the calls of a session again. */
export class SessionPlayer {
  readonly #context: CaseContext;
  readonly #trace: Trace;
  readonly #session: RecordedSession;
  readonly #objects = new SessionObjects();
  readonly #contents: ContentsJudge;
  readonly #made = new Map<number, Made | NotMade>();
  readonly #reads = new Map<number, PendingRead>();
  /** Memory that a plugin may use until an event is ready, by the recorded address of the event. */
  readonly #held = new Map<bigint, Arena>();
  readonly #kept: Arena[] = [];
  /** Contents by the call with which they came. */
  readonly #results = new Map<number, NamedRecord[]>();
  readonly #callbacks = new Map<number, Recorder>();
  /** Names of programs, by the recorded address of the loaded executable. */
  readonly #programs = new Map<bigint, string>();
  /** Executables that were serialized here, by the name of the recorded bytes. */
  readonly #serialized = new Map<string, Uint8Array>();
  /** Recorded addresses of buffers whose contents are those that were recorded, and of those that the caller has deleted. */
  readonly #same = new Set<bigint>();
  readonly #deleted = new Set<bigint>();
  /** Executions with what is known of them: the program, and whether their arguments are the recorded ones. */
  readonly #executions = new Map<number, { program: string; same: boolean }>();
  readonly #leftOut = new Map<string, number>();
  readonly #unmade = new Map<string, number>();
  readonly #versions = new Map<number, StablehloVersion>();
  /** Whether a program was for several partitions. */
  #isCut = false;
  /** Whether a call could not be made without which there are no results. */
  #lacksResults = false;
  #unoffered: PjrtError | AbsentError | undefined;
  #issued = 0;
  #failed = 0;
  #later = 0;

  constructor(context: CaseContext, trace: Trace, session: RecordedSession) {
    this.#context = context;
    this.#trace = trace;
    this.#session = session;
    this.#contents = new ContentsJudge(context);
  }

  /** @throws NotSupported if the plugin lacks what the session needs */
  async play(): Promise<void> {
    this.#context.scope.defer(() => this.#clear());
    for (const named of namedRecords(this.#session.process)) {
      if (named.record.plugin !== this.#session.plugin) continue;
      const { kind } = named.record;
      if (kind === KIND.enter) this.#enter(named);
      else if (kind === KIND.leave) this.#leave(named);
      else if (kind === KIND.executable) this.#describe(named);
      else if (kind === KIND.data) this.#read(named);
      else if (kind === KIND.contents) this.#contentsComeWith(named);
      else if (kind === KIND.callbackEnter) this.#calledBack(named);
    }
    this.#summarize();
  }

  // ---- calls

  #enter(named: NamedRecord): void {
    const { record, name } = named;
    const left = this.#leavesOut(name);
    if (left !== undefined) {
      this.#count(this.#leftOut, left);
      this.#made.set(record.order, { why: left });
    } else if (!WAITS.has(name)) this.#made.set(record.order, this.#make(named));
  }

  #leavesOut(name: string): string | undefined {
    if (OWN.has(name)) return 'what the harness does itself';
    if (PROCESS_BOUND[name] !== undefined) return PROCESS_BOUND[name];
    const extension = isExtensionFunction(name) ? name.split('.')[0]! : undefined;
    return extension !== undefined && PROCESS_BOUND_EXTENSIONS.has(extension)
      ? `the extension ${extension}, which is about its process`
      : undefined;
  }

  #make(named: NamedRecord): Made | NotMade {
    const { record, name } = named;
    const from = argumentsOf(named, enteredIn(record));
    if (!from) return { why: 'its plugin is not in the trace' };
    const arena = new Arena({ guardsInputs: true });
    let call: Call | undefined;
    try {
      call = this.#begin(name);
      this.#write(named, call, from, arena);
      this.#before(name, from);
      if (name === 'PJRT_Client_Compile') this.#look(record.order, named, from);
      this.#issued += 1;
      let error = this.#run(call);
      if (error && this.#refusesOptions(name, call)) {
        this.#count(this.#leftOut, 'options of the recorded plugin, which this one refuses');
        call.set({ create_options: 0, num_options: 0 });
        error = this.#run(call);
      }
      return { arguments: new ReturnedArguments(call.layout, call.bytes), error, arena };
    } catch (error) {
      arena.release();
      if (error instanceof Unresolved) {
        this.#count(this.#unmade, error.message);
        this.#lacksResults ||= error.follows && GIVES_RESULTS.has(name);
        return { why: error.message };
      }
      if (!(error instanceof AbsentError)) throw error;
      this.#lacks(name, error);
      return { why: error.message };
    } finally {
      if (call && !isExtensionFunction(name)) this.#context.api.finish(call);
    }
  }

  #begin(name: string): Call {
    if (!isExtensionFunction(name)) return this.#context.api.begin(name);
    const [extension, slot] = name.split('.') as [string, string];
    const found = PluginExtension.find(this.#context.api, extension);
    if (typeof found === 'string') throw new AbsentError(name, 'not in this version', found);
    return found.begin(slot);
  }

  #run(call: Call): PjrtError | undefined {
    try {
      call.run();
      return undefined;
    } catch (error) {
      if (error instanceof PjrtError) return error;
      throw error;
    } finally {
      this.#context.instrument.breadcrumb?.idle();
    }
  }

  #write(named: NamedRecord, call: Call, from: RecordedStruct, arena: Arena): void {
    const { record, name, minor } = named;
    const { api } = this.#context;
    writeArguments(
      {
        api,
        arena,
        objects: this.#objects,
        minor: minor!,
        bytesOf: (memory) => this.#bytesOf(memory),
        leftOut: (what) => this.#count(this.#leftOut, what),
        callback: (field) => this.#callback(name, field, record.order),
        roomFor: () => this.#session.results.get(record.order),
      },
      call.layout,
      call.bytes,
      from,
    );
    const { options } = this.#context.subjects[0]!.setup;
    if (name !== 'PJRT_Client_Create' || Object.keys(options).length === 0) return;
    const own = makeNamedValues(api, arena, options);
    call.set({ create_options: own.address, num_options: own.count });
  }

  /** Options of another plugin mean nothing to this one, which may be made without any. */
  #refusesOptions = (name: string, call: Call): boolean =>
    name === 'PJRT_Client_Create' &&
    call.word('num_options') !== 0n &&
    Object.keys(this.#context.subjects[0]!.setup.options).length === 0 &&
    basename(this.#session.path) !== basename(this.#context.plugin.path);

  /** What was serialized here stands for what was serialized there. */
  #bytesOf(memory: Memory): Uint8Array | undefined {
    const key = memory.name ?? (memory.data && digestOf(memory.data));
    return (key === undefined ? undefined : this.#serialized.get(key)) ?? this.#trace.bytesOf(memory);
  }

  #callback(name: string, field: Field, order: number): bigint {
    if (name !== 'PJRT_Event_OnReady') {
      this.#count(this.#leftOut, `the callback ${field.name}`);
      return 0n;
    }
    const made = recorder();
    this.#callbacks.set(order, made);
    return made.address;
  }

  /** What must be so before a call is made. */
  #before(name: string, from: RecordedStruct): void {
    if (NEEDS_READY.has(name)) this.#await(from.word('event'));
    if (name === 'PJRT_Event_Destroy') {
      const event = from.word('event');
      for (const read of this.#reads.values()) if (read.event === event) this.#await(event);
      this.#letGo(event);
    }
    const { subject } = from.layout;
    if (isDestroyer(name) && subject) this.#objects.forget(subject.base, from.word(subject.name));
  }

  /** What a plugin has used until this event, which is about to be destroyed. */
  #letGo(event: bigint): void {
    const arena = this.#held.get(event);
    if (!arena || !this.#objects.has('PJRT_Event', event)) return;
    if ([...this.#reads.values()].some((read) => read.arena === arena)) return;
    const fields = { event: this.#objects.pointer('PJRT_Event', event) };
    if (!this.#context.api.invoke('PJRT_Event_IsReady', fields, (call) => call.byte('is_ready') !== 0)) return;
    this.#held.delete(event);
    arena.release();
  }

  /** @returns the error in which the event ended */
  #await(event: bigint): PjrtError | undefined {
    if (!this.#objects.has('PJRT_Event', event)) return undefined;
    const waiting = new Event(this.#context.api, this.#objects.pointer('PJRT_Event', event));
    waiting.keep();
    try {
      waiting.await();
      return undefined;
    } catch (error) {
      if (error instanceof PjrtError) return error;
      throw error;
    }
  }

  #leave(named: NamedRecord): void {
    const { record, name } = named;
    const left = leftIn(record);
    const recorded = argumentsOf(named, left);
    const made = this.#made.get(record.of);
    this.#made.delete(record.of);
    if (!recorded) return;
    if (WAITS.has(name)) this.#waited(named, recorded, left.error !== undefined);
    if (!made) return;
    if ('why' in made) {
      if (!left.error) this.#lose(recorded, made.why);
      return;
    }
    if (this.#judge(named, made, left.error)) this.#returned(named, recorded, made);
    else if (!left.error) this.#lose(recorded, `call ${record.of} (${name}) has failed`);
    for (const contents of this.#results.get(record.of) ?? []) this.#content(contents);
    this.#results.delete(record.of);
    const [event] = recorded.layout.fields.filter(
      ({ base, depth, out, name }) => out && base === 'PJRT_Event' && depth === 1 && recorded.word(name) !== 0n,
    );
    if (made.error || !event) made.arena.release();
    else this.#hold(recorded.word(event.name), made.arena);
  }

  /** Another event may have been at the same address, whose memory the plugin may still use. */
  #hold(event: bigint, arena: Arena): void {
    const before = this.#held.get(event);
    if (before) this.#kept.push(before);
    this.#held.set(event, arena);
  }

  /** A call that waits, where it had returned. */
  #waited({ record, name }: NamedRecord, recorded: RecordedStruct, failed: boolean): void {
    this.#issued += 1;
    const error = this.#await(recorded.word('event'));
    if (error && !failed) this.#fails(record.of, name, error);
  }

  /** What of a program decides whether another plugin can follow the session. */
  #look(order: number, { minor }: NamedRecord, from: RecordedStruct): void {
    const code = from.struct('program', Abi.at(minor!).struct('PJRT_Program'))?.memory('code');
    const bytes = code && this.#trace.bytesOf(code);
    const version = bytes && artifactVersion(bytes);
    if (version) this.#versions.set(order, version);
    const options = from.memory('compile_options');
    const given = options && this.#trace.bytesOf(options);
    this.#isCut ||= given !== undefined && (decodeCompileOptions(given).numPartitions ?? 1) > 1;
  }

  /** @throws NotSupported if a program has another form than the plugin reads */
  #demandReadable(order: number): void {
    const version = this.#versions.get(order);
    const current = this.#context.plugin.stablehloVersion('current');
    if (version && current && compareVersions(version, current) > 0)
      throw new NotSupported(
        `the recorded framework sent StableHLO ${version.join('.')}, and the plugin reads up to ${current.join('.')}`,
      );
  }

  /** @returns whether the call gave what it should, so that its results can be used */
  #judge({ record, name }: NamedRecord, { error }: Made, recorded: { code: number } | undefined): boolean {
    if (!error) return recorded === undefined;
    if (recorded) return false;
    if (name === 'PJRT_Client_Create' || error.codeName === 'RESOURCE_EXHAUSTED') throw error;
    if (name === 'PJRT_Client_Compile') this.#demandReadable(record.of);
    // Pieces of another size are refused by who expects the recorded ones.
    if (this.#isCut && error.codeName === 'INVALID_ARGUMENT' && TAKES_PIECES.has(name))
      this.#cutsOtherwise(`call ${record.of}, ${answerOf(error)}`);
    if (error.codeName === 'UNIMPLEMENTED') this.#lacks(name, error);
    else this.#fails(record.of, name, error);
    return false;
  }

  #lacks(name: string, error: PjrtError | AbsentError): void {
    this.#count(this.#leftOut, `${name}, which the plugin does not have`);
    if (!POINTERS.has(name)) this.#unoffered ??= error;
  }

  #fails(order: number, name: string, error: PjrtError): void {
    const message = `call ${order} of the recording has succeeded there: ${answerOf(error)}`;
    this.#wrong({ type: 'pjrt.Replay', message, call: name, code: error.codeName, requirements: ['RPL-CALL-001'] });
  }

  #wrong(finding: Omit<Finding, 'level'>): void {
    this.#failed += 1;
    if (this.#failed <= MOST) this.#context.report(finding);
  }

  // ---- results

  #lose(recorded: RecordedStruct, why: string): void {
    for (const { field, recorded: address } of pairedObjects(recorded, undefined))
      this.#objects.lose(field.base, address, why);
  }

  #returned(named: NamedRecord, recorded: RecordedStruct, made: Made): void {
    const { record, name } = named;
    const pairs = pairedObjects(recorded, made.arguments);
    for (const pair of this.#byKind(pairs)) this.#bind(named, pair);
    this.#compareAnswers(named, recorded, made.arguments);
    const origin = MADE_OF[name];
    if (origin && (origin.of === undefined || this.#same.has(recorded.word(origin.of))))
      this.#same.add(recorded.word(origin.buffer));
    if (name === 'PJRT_Buffer_Delete') this.#deleted.add(recorded.word('buffer'));
    if (name === 'PJRT_LoadedExecutable_Execute') this.#executed(record.of, recorded, pairs);
    if (name === 'PJRT_Executable_Serialize') this.#keepSerialized(recorded, made.arguments);
    if (name === 'PJRT_Buffer_ToHostBuffer') this.#beginRead(record.of, recorded, made, 'src', 'dst_size');
    if (name === 'PJRT_Buffer_CopyRawToHost') this.#beginRead(record.of, recorded, made, 'buffer', 'transfer_size');
  }

  #bind({ record, name }: NamedRecord, { field, recorded, here }: PairedObject): void {
    this.#deleted.delete(recorded);
    this.#same.delete(recorded);
    if (here !== 0n) {
      const destroyer = field.destroy;
      this.#objects.bind(recorded, { type: field.base, pointer: here, destroyer });
      return;
    }
    const what = field.base.replace(/^PJRT_/, '');
    this.#objects.lose(field.base, recorded, `the plugin has fewer of what ${name} lists`);
    if (field.count !== undefined && field.depth === 2 && !field.given && !field.inOut) return;
    const message = `call ${record.of} of the recording gave ${field.name}, and here it is NULL: no ${what}`;
    this.#wrong({ type: 'pjrt.Replay', message, call: name, requirements: ['RPL-CALL-001'] });
  }

  /** Memories are listed in any order: what has the recorded kind is the same one. */
  #byKind(pairs: PairedObject[]): PairedObject[] {
    if (pairs.length < 2 || pairs[0]!.field.base !== 'PJRT_Memory') return pairs;
    const kinds = pairs.filter(({ here }) => here !== 0n).map(({ here }) => ({ here, kind: this.#kindOf(here) }));
    return pairs.map((pair) => {
      const kind = this.#session.memoryKinds.get(pair.recorded);
      return kind === undefined ? pair : { ...pair, here: kinds.find((one) => one.kind === kind)?.here ?? 0n };
    });
  }

  #kindOf = (memory: bigint): string =>
    this.#context.api.invoke('PJRT_Memory_Kind', { memory }, (call) =>
      Buffer.from(readBytes(call.word('kind'), call.size('kind_size'))).toString(),
    );

  /** Answers that do not depend on the plugin. */
  #compareAnswers({ record, name }: NamedRecord, recorded: RecordedStruct, here: ReturnedArguments): void {
    for (const field of SAME[name] ?? []) {
      if (!recorded.has(field) || !here.layout.has(field)) continue;
      const known = recorded.layout.field(field);
      const then = known.depth === 0 ? recorded.slice(known) : (recorded.at(recorded.word(field))?.data ?? NOTHING);
      const each = known.depth === 0 ? 0 : (this.#context.api.abi.integerBytes(known.base) ?? 8);
      const now = here.value(here.layout.field(field), each) ?? NOTHING;
      if (then.equals(now) || (field === 'is_deleted' && this.#mayLive(recorded, then))) continue;
      if (this.#isCut && field.startsWith('dim')) this.#cutsOtherwise(`${field} of call ${record.of} (${name})`);
      const message = `call ${record.of} of the recording: ${field} is ${plain(now, each)}, and was ${plain(then, each)}`;
      this.#wrong({ type: 'pjrt.Replay', message, call: name, requirements: ['RPL-FACT-001'] });
    }
  }

  #demandSameCut(buffer: bigint, dims: readonly number[], what: string): void {
    if (String(this.#bufferAt(buffer).dimensions()) !== String(dims)) this.#cutsOtherwise(what);
  }

  /** What a program for several partitions leaves open, each compiler cuts as it likes, and callers go by the pieces that they get. */
  #cutsOtherwise(what: string): never {
    throw new NotSupported(
      `the compiler cuts arrays for several partitions in another way than the recorded one: ${what}`,
    );
  }

  /** A plugin that takes no argument over leaves what was given to it: only what its caller has deleted must be. */
  #mayLive = (recorded: RecordedStruct, then: Buffer): boolean =>
    then[0] !== 0 && recorded.has('buffer') && !this.#deleted.has(recorded.word('buffer'));

  #keepSerialized(recorded: RecordedStruct, here: ReturnedArguments): void {
    const memory = recorded.memory('serialized_bytes');
    const key = memory && (memory.name ?? (memory.data && digestOf(memory.data)));
    const size = Number(here.word('serialized_bytes_size'));
    if (key !== undefined) this.#serialized.set(key, readBytes(here.word('serialized_bytes'), size));
  }

  #executed(order: number, recorded: RecordedStruct, pairs: readonly PairedObject[]): void {
    const known = this.#executions.get(order);
    const lists = recorded.words(recorded.word('argument_lists'));
    const given = lists.flatMap((list) => recorded.words(list));
    const same = (known?.same ?? true) && given.every((buffer) => this.#same.has(buffer));
    const program = this.#programs.get(recorded.word('executable')) ?? 'a program';
    this.#executions.set(order, { program, same });
    // What becomes of them is known when their contents are read.
    for (const { field, recorded: buffer } of pairs) if (field.base === 'PJRT_Buffer') this.#same.delete(buffer);
  }

  // ---- contents

  #describe({ record }: NamedRecord): void {
    const { loaded, name } = executableIn(record);
    if (name !== '') this.#programs.set(loaded, name);
  }

  #beginRead(order: number, recorded: RecordedStruct, made: Made, source: string, size: string): void {
    const destination = made.arguments.word('dst');
    if (destination === 0n || recorded.word('event') === 0n) return;
    this.#reads.set(order, {
      event: recorded.word('event'),
      destination,
      size: recorded.number(size),
      source: recorded.word(source),
      arena: made.arena,
    });
  }

  #read({ record }: NamedRecord): void {
    const read = this.#reads.get(record.of);
    const memory = dataIn(record);
    this.#reads.delete(record.of);
    const bytes = memory && this.#trace.bytesOf(memory);
    if (!read || !bytes) return;
    if (this.#await(read.event)) return;
    if (!this.#objects.has('PJRT_Buffer', read.source)) return;
    const type = this.#bufferAt(read.source).elementType();
    const here = readBytes(read.destination, read.size);
    const each = dtypeOfEnum(type)?.hostBytes ?? 0;
    this.#contents.compare({
      what: `what call ${record.of} of the recording has read`,
      call: 'PJRT_Buffer_ToHostBuffer',
      type,
      dims: [each === 0 ? read.size : read.size / each],
      recorded: bytes,
      here,
      sameInputs: this.#same.has(read.source),
    });
  }

  /** Results are recorded before the call that gave them has returned. */
  #contentsComeWith(named: NamedRecord): void {
    if (!this.#made.has(named.record.of)) this.#content(named);
    else this.#results.set(named.record.of, [...(this.#results.get(named.record.of) ?? []), named]);
  }

  #content({ record }: NamedRecord): void {
    const { buffer, role, index, device, type, dims, data } = contentsIn(record);
    const bytes = data && this.#trace.bytesOf(data);
    // Arguments were read before the execution, which has been made again by now.
    if (role === 'argument' || !bytes || !this.#objects.has('PJRT_Buffer', buffer)) return;
    const execution = this.#executions.get(record.of);
    const same = role === 'view' ? this.#same.has(buffer) : (execution?.same ?? false);
    const program = execution?.program ?? 'a program';
    const on = device > 0 ? ` on device ${device}` : '';
    const what =
      role === 'view'
        ? `what the caller looked at in call ${record.of}`
        : `${role} ${index} of ${program}${on} (execution at ${record.of})`;
    if (this.#isCut && role === 'result') this.#demandSameCut(buffer, dims, what);
    const here = this.#elements(buffer, bytes.length, what);
    const call = 'PJRT_LoadedExecutable_Execute';
    if (here && this.#contents.compare({ what, call, type, dims, recorded: bytes, here, sameInputs: same }))
      this.#same.add(buffer);
  }

  #elements(buffer: bigint, size: number, what: string): Uint8Array | undefined {
    const arena = new Arena({ guardsInputs: true });
    try {
      return this.#bufferAt(buffer).toHost(arena, size);
    } catch (error) {
      if (!(error instanceof PjrtError)) throw error;
      const message = `${what} cannot be read: ${answerOf(error)}`;
      this.#wrong({
        type: 'pjrt.Replay',
        message,
        call: error.call,
        code: error.codeName,
        requirements: ['RPL-DATA-001'],
      });
      return undefined;
    } finally {
      arena.release();
    }
  }

  #bufferAt(address: bigint): DeviceBuffer {
    const buffer = new DeviceBuffer(this.#context.api, this.#objects.pointer('PJRT_Buffer', address));
    buffer.keep();
    return buffer;
  }

  // ---- callbacks

  #calledBack({ record, name }: NamedRecord): void {
    const made = this.#callbacks.get(record.of);
    if (!made) return;
    const [firing] = made.firings();
    if (!firing) {
      this.#later += 1;
      return;
    }
    const given = firing.arguments[0] ?? 0n;
    const error = given === 0n ? undefined : this.#context.api.takeError(given, name);
    this.#callbacks.delete(record.of);
    made.release();
    if (error && !callbackIn(record).error) this.#fails(record.of, name, error);
  }

  // ---- the end

  #clear(): void {
    const { api } = this.#context;
    for (const { pointer, destroyer } of this.#objects.left()) {
      if (destroyer === undefined) continue;
      const call = this.#begin(destroyer);
      call.set({ [call.layout.subject!.name]: pointer });
      call.run();
      if (!isExtensionFunction(destroyer)) api.finish(call);
    }
    for (const made of this.#callbacks.values()) made.release();
    for (const arena of [...this.#held.values(), ...this.#kept]) arena.release();
  }

  #summarize(): void {
    const { compared, equal, differing, followed } = this.#contents;
    const parts = [
      `${this.#issued} of ${this.#session.calls} calls were made again`,
      `${equal} of ${compared} contents are the same bit by bit, ${compared - equal - differing - followed} within the accuracy profile`,
      ...(this.#failed > MOST
        ? [`${this.#failed} calls gave something else than they should, of which ${MOST} are shown`]
        : []),
      ...(followed > 0
        ? [
            `${followed} contents differ beyond it, after inputs that were others already: \`trace programs --every\` compares from the same inputs`,
          ]
        : []),
      ...(this.#later > 0 ? [`${this.#later} callbacks came later than when they were recorded`] : []),
    ];
    const listed = (what: string, counts: ReadonlyMap<string, number>): string[] =>
      counts.size === 0 ? [] : [`${what}: ${[...counts].map(([one, times]) => `${one} (${times})`).join(', ')}`];
    const detail = [...listed('left out', this.#leftOut), ...listed('not made', this.#unmade)].join('\n');
    this.#context.report({ type: 'pjrt.Replay', level: 'info', message: parts.join('; '), ...(detail && { detail }) });
    if (!this.#lacksResults || !this.#unoffered || this.#failed > 0) return;
    const error = this.#unoffered;
    throw error instanceof PjrtError ? new NotSupported(answerOf(error), causeOf(error)) : error;
  }

  #count(counts: Map<string, number>, what: string): void {
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
}

const NOTHING = Buffer.alloc(0);

const plain = (bytes: Buffer, each: number): string =>
  each === 8 || (each === 0 && bytes.length === 8)
    ? Array.from({ length: bytes.length / 8 }, (_, i) => bytes.readBigInt64LE(8 * i)).join(', ') || 'empty'
    : bytes.length === 4
      ? String(bytes.readInt32LE(0))
      : bytes.length === 1
        ? String(bytes[0])
        : `0x${bytes.toString('hex')}`;
