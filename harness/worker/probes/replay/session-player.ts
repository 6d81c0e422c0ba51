import { isDestroyer } from '../../../knowledge/abi/index.ts';
import type { RecordedStruct } from '../../../knowledge/trace/arguments.ts';
import { type Contents, contentsIn, leftIn } from '../../../knowledge/trace/bodies.ts';
import { KIND } from '../../../knowledge/trace/format.ts';
import { argumentsOf, entering, type NamedRecord, namedRecords } from '../../../knowledge/trace/named-records.ts';
import type { Trace } from '../../../knowledge/trace/open-trace.ts';
import type { RecordedSession } from '../../../knowledge/trace/sessions.ts';
import { SEMANTICS } from '../../pjrt/client.ts';
import type { CaseContext } from '../../steps/context.ts';
import { Answers } from './answers.ts';
import { bindObjects } from './bind-objects.ts';
import { CallMaker, type Made } from './call-maker.ts';
import { CompiledForms } from './compiled-forms.ts';
import { EventMemory, lentBy, SPENT } from './event-memory.ts';
import { KnownContents } from './known-contents.ts';
import { leftOut, NEEDS_READY, READ_BEFORE, REFERENCES, WAITS } from './policy.ts';
import { RecordedInputs } from './recorded-inputs.ts';
import { awaitEvent, beginCall, finishCall, isReady, type Replaying } from './replaying.ts';
import { pairedObjects } from './returned.ts';
import { SessionCallbacks } from './session-callbacks.ts';
import { SessionContents } from './session-contents.ts';
import { type Lack, SessionObjects } from './session-objects.ts';
import { Tally } from './tally.ts';

/** Makes the calls of a session again: each where it began, and its results are looked at where it returned. */
export class SessionPlayer {
  readonly #replaying: Replaying;
  readonly #callbacks: SessionCallbacks;
  readonly #maker: CallMaker;
  readonly #memory: EventMemory;
  readonly #forms: CompiledForms;
  readonly #answers: Answers;
  readonly #contents: SessionContents;
  readonly #inputs: RecordedInputs;
  /** Executions whose arguments are being read, by their order. */
  readonly #reading = new Map<number, { named: NamedRecord; from: RecordedStruct; given: Contents[] }>();
  /** Calls that have not returned in the recording yet, by their order. */
  readonly #open = new Map<number, Made | Lack>();

  constructor(context: CaseContext, trace: Trace, session: RecordedSession) {
    this.#replaying = { context, trace, session, objects: new SessionObjects(), tally: new Tally(context) };
    this.#callbacks = new SessionCallbacks(this.#replaying);
    this.#maker = new CallMaker(this.#replaying, this.#callbacks);
    this.#memory = new EventMemory(this.#replaying);
    this.#forms = new CompiledForms(this.#replaying);
    this.#answers = new Answers(this.#replaying, this.#forms);
    const known = new KnownContents();
    this.#inputs = new RecordedInputs(this.#replaying, known);
    this.#contents = new SessionContents(this.#replaying, this.#forms, known, this.#inputs);
  }

  /** @throws NotSupported, AbsentError if the plugin lacks what the session needs; PjrtError if it makes no client */
  play(): void {
    const { context, session, tally } = this.#replaying;
    context.scope.defer(() => this.#clear());
    for (const named of namedRecords(session.process)) {
      const { kind, plugin } = named.record;
      if (plugin !== session.plugin) continue;
      if (kind === KIND.enter) this.#enter(named);
      else if (kind === KIND.leave) this.#leave(named);
      else if (kind === KIND.executable) this.#contents.named(named);
      else if (kind === KIND.data) this.#contents.read(named);
      else if (kind === KIND.contents) this.#found(named);
      else if (kind === KIND.callbackEnter) this.#callbacks.calledBack(named);
    }
    // What was not recorded to the end.
    for (const order of this.#reading.keys()) this.#begin(order);
    this.#destroyRest();
    tally.later = this.#callbacks.end();
    this.#memory.end();
    tally.end(session.calls, this.#contents.summary());
  }

  #enter(named: NamedRecord): void {
    const { record, name } = named;
    const why = leftOut(name);
    if (why !== undefined) {
      this.#replaying.tally.leavesOut(why);
      this.#open.set(record.order, { why });
      return;
    }
    const from = WAITS.has(name) ? undefined : entering(named);
    if (!from) return;
    if (READ_BEFORE.has(name)) this.#reading.set(record.order, { named, from, given: [] });
    else this.#make(named, from);
  }

  #make(named: NamedRecord, from: RecordedStruct): void {
    this.#open.set(
      named.record.order,
      this.#maker.make(named, from, () => this.#before(named, from)),
    );
  }

  /** Contents of a buffer were read. */
  #found(named: NamedRecord): void {
    const { of } = named.record;
    const contents = contentsIn(named.record);
    const reading = this.#reading.get(of);
    if (reading && contents.role === 'argument') {
      reading.given.push(contents);
      return;
    }
    this.#begin(of);
    this.#contents.contents(named, this.#open.has(of));
  }

  /** An execution whose arguments have been read is made. */
  #begin(order: number): void {
    const reading = this.#reading.get(order);
    if (!reading) return;
    this.#reading.delete(order);
    this.#inputs.restore(reading.given);
    this.#make(reading.named, reading.from);
  }

  /** What must be so before a call is made. */
  #before({ record, name, minor }: NamedRecord, from: RecordedStruct): void {
    if (NEEDS_READY.has(name)) awaitEvent(this.#replaying, from.word('event'));
    if (name === 'PJRT_LoadedExecutable_Execute') this.#forms.demandParameters(record.order, from);
    if (name === 'PJRT_Client_Compile') this.#forms.look(record.order, minor!, from);
    if (name === 'PJRT_Event_Destroy') {
      this.#callbacks.ends(from.word('event'));
      this.#contents.completeReads(from.word('event'));
      this.#memory.letGo(from.word('event'), this.#contents.isRead);
    }
    const { subject } = from.layout;
    if (isDestroyer(name) && subject) this.#replaying.objects.forget(subject.base, from.word(subject.name));
  }

  #leave(named: NamedRecord): void {
    const { record, name } = named;
    const left = leftIn(record);
    const recorded = argumentsOf(named, left);
    this.#begin(record.of);
    const call = this.#open.get(record.of);
    this.#open.delete(record.of);
    if (!recorded) return;
    const failed = left.error !== undefined;
    if (WAITS.has(name)) this.#waited(named, recorded, failed);
    else if (call && 'why' in call) this.#lose(recorded, call, failed);
    else if (call) this.#returned(named, recorded, call, failed);
  }

  /** A call that waits, where it had returned. */
  #waited({ record, name }: NamedRecord, recorded: RecordedStruct, failed: boolean): void {
    const { tally } = this.#replaying;
    tally.issued += 1;
    const error = awaitEvent(this.#replaying, recorded.word('event'));
    const event = recorded.word('event');
    if (error && !failed) tally.fails(record.of, name, error);
    if (error || failed) return;
    this.#answers.ready.add(event);
    this.#answers.demandReady(record.of, name, isReady(this.#replaying, event));
  }

  #returned(named: NamedRecord, recorded: RecordedStruct, made: Made, failed: boolean): void {
    const { record, name } = named;
    if (made.error && !failed) this.#judge(named, made.from, made.error);
    if (made.error) this.#lose(recorded, { why: `call ${record.of} (${name}) has failed`, cause: made.error }, failed);
    else if (failed) this.#replaying.tally.accepted += 1;
    else this.#take(named, recorded, made);
    this.#contents.compareResults(record.of);
    const event = eventIn(recorded);
    // Its caller may change the memory now.
    if (
      name === 'PJRT_Client_BufferFromHostBuffer' &&
      recorded.number('host_buffer_semantics') === SEMANTICS['during-call']
    )
      made.arena.scrub(SPENT);
    if (made.error || event === undefined) made.arena.release();
    else this.#memory.hold(event, made.arena, lentBy(this.#replaying.trace, named, made));
  }

  /** A call has failed that should not. */
  #judge({ record, name }: NamedRecord, from: RecordedStruct, error: NonNullable<Made['error']>): void {
    const { tally } = this.#replaying;
    // Without a client there is nothing; running out of memory is no violation.
    if (name === 'PJRT_Client_Create' || error.codeName === 'RESOURCE_EXHAUSTED') throw error;
    this.#forms.refused(record.of, name, error, from);
    if (error.codeName === 'UNIMPLEMENTED') tally.lacks(name, error);
    else tally.fails(record.of, name, error);
  }

  #lose(recorded: RecordedStruct, lack: Lack, failed: boolean): void {
    if (failed) return;
    for (const { field, recorded: address } of pairedObjects(recorded, undefined))
      this.#replaying.objects.lose(field.base, address, lack);
  }

  #take(named: NamedRecord, recorded: RecordedStruct, { from, arguments: here, arena }: Made): void {
    const pairs = pairedObjects(recorded, here);
    for (const { recorded: address } of pairs) {
      this.#answers.begins(address);
      this.#contents.begins(address);
      this.#inputs.begins(address);
    }
    this.#forms.took(named, recorded, from, pairs);
    bindObjects(this.#replaying, named, pairs);
    this.#maker.ids.learn(named.name, recorded, here);
    this.#answers.compare(named, recorded, here);
    this.#contents.returned(named, { recorded, from, here, pairs, arena });
    const reference = REFERENCES[named.name];
    if (reference) this.#inputs.referred(recorded.word('buffer'), reference);
    if (named.name === 'PJRT_Buffer_Delete') this.#answers.deleted.add(recorded.word('buffer'));
    if (named.name === 'PJRT_Executable_Serialize') this.#maker.serialized(recorded, here);
  }

  /** Destroys what is left. Objects that have outlived their client are left alone. */
  #destroyRest(): void {
    const { context, objects } = this.#replaying;
    const left = objects.left();
    objects.clear();
    if (!left.some(({ type }) => type === 'PJRT_Client')) return;
    for (const { pointer, destroyer } of left) {
      const call = beginCall(context, destroyer!);
      call.set({ [call.layout.subject!.name]: pointer });
      call.run();
      finishCall(context, destroyer!, call);
    }
  }

  #clear(): void {
    this.#destroyRest();
    this.#callbacks.release();
    this.#memory.release();
  }
}

/** The recorded address of the event that says when a call is done with memory of its caller. */
const eventIn = (recorded: RecordedStruct): bigint | undefined =>
  recorded.layout.fields
    .filter(({ base, depth, out }) => out && base === 'PJRT_Event' && depth === 1)
    .map(({ name }) => recorded.word(name))
    .find((word) => word !== 0n);
