import { type Field, type Getter, gettersOf, holdsObjects, isDestroyer, kindsOf } from '../../knowledge/abi/index.ts';
import type { TraceRecord } from '../../knowledge/trace/format.ts';
import { givenObjects, wordAt } from '../../knowledge/trace/given-structs.ts';
import { type ObjectAt, objectsOf } from '../../knowledge/trace/objects-of.ts';
import type { ObservedCall, ReturnedCall } from '../../knowledge/trace/observed-call.ts';
import { Mistakes, nameOf } from './mistake.ts';
import { type Mention, mentionOf } from './objects.ts';
import { ALONE, DELETES, KEEPS, PLUGIN_RULES, type PluginRule, STATES } from './plugin-rules.ts';

/** What is known of an object of the plugin. */
interface Life extends ObjectAt {
  made: Mention | undefined;
  /** What getters have answered, by their names. */
  answers: Map<string, Buffer>;
  /** Of an event: the call that has shown that it is ready. */
  ready?: Mention;
  /** Of an event: whether it has ended with an error. */
  failed?: boolean;
  /** Whether its caller has deleted it, or an execution may have taken it over. */
  mayBeDeleted: boolean;
  /** The call that has shown that it is deleted. */
  deleted?: Mention;
}

/** PJRT_Error_Code of a function that a plugin does not have. */
const UNIMPLEMENTED = 12;

/** What a recorder replaces. */
const NOT_INPUTS: ReadonlySet<string> = new Set(['extension_start', 'callback', 'user_arg']);

/** Judges a plugin by the calls of one process, which are given in the order in which they were made and returned. */
export class PluginJudge {
  readonly #mistakes = new Mistakes<PluginRule>(PLUGIN_RULES);
  readonly #at = new Map<string, Life>();

  /** A call begins. */
  entered(call: ObservedCall): void {
    const object = subjectOf(call);
    if (object && isDestroyer(call.function)) this.#destroyed(object);
    else if (!keeps(call)) for (const given of givenObjects(call)) this.#of(given).mayBeDeleted = true;
    // The executable stays; its arguments may be taken over.
    if (call.function !== 'PJRT_LoadedExecutable_Execute') return;
    for (const given of objectsOf(call, call.layout.field('argument_lists'), call.before))
      this.#of(given).mayBeDeleted = true;
  }

  /** It returned. */
  left(call: ReturnedCall): void {
    this.#demandInputs(call);
    const object = subjectOf(call);
    const life = object && !isDestroyer(call.function) ? this.#of(object) : undefined;
    if (life?.type === 'PJRT_Event') this.#event(life, call);
    if (call.error !== 0n) {
      this.#begins({ type: 'PJRT_Error', at: call.error }, call);
      return;
    }
    if (life && DELETES.has(call.function)) life.deleted ??= { ...mentionOf(call), entered: call.left };
    if (life) this.#answered(life, call);
    for (const field of call.layout.fields.filter(({ out, destroy }) => out && destroy !== undefined))
      for (const made of objectsOf(call, field, call.after)) this.#begins(made, call);
  }

  /** A callback that a call was given is called. @param error address of the error that it gets, or 0 */
  calledBack(call: ObservedCall, error: bigint): void {
    const object = subjectOf(call);
    if (call.function !== 'PJRT_Event_OnReady' || !object) return;
    const life = this.#at.get(keyOf(object));
    if (life) this.#ends(life, call, error !== 0n);
    if (error !== 0n) this.#begins({ type: 'PJRT_Error', at: error }, call);
  }

  /** A callback that was called is called again. @param of place of the call that registered it */
  calledBackAgain({ of, thread }: Pick<TraceRecord, 'of' | 'thread'>): void {
    const call = { function: 'PJRT_Event_OnReady', entered: of, thread, minor: 0 };
    this.#mistakes.add('called-back-twice', call, 'a callback is called twice');
  }

  end = (): ReturnType<Mistakes<PluginRule>['result']> => this.#mistakes.result();

  /** What the caller gave in is as it was. */
  #demandInputs(call: ReturnedCall): void {
    const changed = call.layout.fields.find(
      (field) => isInput(field) && !sliceOf(field, call.before).equals(sliceOf(field, call.after)),
    );
    if (changed)
      this.#mistakes.add('input-changed', call, `${call.function} changes ${changed.name}, which is an input`);
  }

  #event(event: Life, call: ReturnedCall): void {
    if (call.function === 'PJRT_Event_Await' && call.code !== UNIMPLEMENTED) this.#ends(event, call, call.error !== 0n);
    if (call.function !== 'PJRT_Event_IsReady' || call.error !== 0n) return;
    const isReady = flag(call, 'is_ready');
    // Another thread may have been answered before this call began only.
    if (!isReady && event.ready && event.ready.entered < call.entered)
      this.#mistakes.add('not-ready-again', call, `${nameOf(event)} was ready and is not`, event);
    if (isReady) event.ready ??= { ...mentionOf(call), entered: call.left };
  }

  #ends(event: Life, call: ObservedCall & { left?: number }, failed: boolean): void {
    if (event.failed !== undefined && event.failed !== failed)
      this.#mistakes.add('two-endings', call, `${nameOf(event)} ends with an error, and without one`, event);
    event.failed ??= failed;
    event.ready ??= { ...mentionOf(call), entered: call.left ?? call.entered };
  }

  #answered(life: Life, call: ReturnedCall): void {
    const getter = gettersOf(life.type).find((one) => one.function === call.function);
    if (STATES.has(call.function)) this.#state(life, call);
    else if (getter && !life.mayBeDeleted) this.#demandSame(life, call, getter);
  }

  #state(life: Life, call: ReturnedCall): void {
    if (!call.layout.has('is_deleted')) return;
    const isDeleted = flag(call, 'is_deleted');
    const what = life.type === 'PJRT_Buffer' ? 'buffer' : 'executable';
    if (isDeleted && !life.mayBeDeleted && life.made)
      this.#mistakes.add(`${what}-deleted-unasked`, call, `${nameOf(life)} is deleted, and nobody deleted it`, life);
    if (!isDeleted && life.deleted && life.deleted.entered < call.entered)
      this.#mistakes.add(`${what}-not-deleted`, call, `${nameOf(life)} was deleted, and is said not to be`, life);
    if (isDeleted) life.deleted ??= { ...mentionOf(call), entered: call.left };
  }

  /** The first output alone: an old plugin leaves those that came later as they were. */
  #demandSame(life: Life, call: ReturnedCall, { fields: [first] }: Getter): void {
    const answer = first === undefined ? undefined : answerIn(call, call.layout.field(first));
    if (!answer) return;
    const before = life.answers.get(call.function);
    if (before && !before.equals(answer))
      this.#mistakes.add(
        'answer-changed',
        call,
        `${call.function} of ${nameOf(life)} has another answer than before`,
        life,
      );
    life.answers.set(call.function, answer);
  }

  #begins(object: ObjectAt, by: ObservedCall): void {
    const life = { ...object, made: mentionOf(by), answers: new Map<string, Buffer>(), mayBeDeleted: false };
    this.#at.set(keyOf(object), life);
  }

  /** With most objects others end that nobody owns, and of which nothing else says so. */
  #destroyed(object: ObjectAt): void {
    this.#at.delete(keyOf(object));
    if (ALONE.has(object.type)) return;
    for (const [key, { made }] of this.#at) if (!made) this.#at.delete(key);
  }

  /** An object that nobody was seen making may be anything. */
  #of(object: ObjectAt): Life {
    const known = this.#at.get(keyOf(object));
    if (known) return known;
    const life: Life = { ...object, made: undefined, answers: new Map(), mayBeDeleted: false };
    this.#at.set(keyOf(object), life);
    return life;
  }
}

const keyOf = ({ type, at }: ObjectAt): string => `${type}@${at.toString(16)}`;

function subjectOf(call: ObservedCall): ObjectAt | undefined {
  const { subject } = call.layout;
  return subject && objectsOf(call, subject, call.before)[0];
}

/** Whether a call leaves what it is given as it is. */
const keeps = (call: ObservedCall): boolean => KEEPS.has(call.function) || kindsOf(call.layout).has('query');

const isInput = ({ out, inOut, given, union, unmarked, name }: Field): boolean =>
  !out && !inOut && !given && !union && !unmarked && !NOT_INPUTS.has(name);

const sliceOf = ({ offset, size }: Field, bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.subarray(offset, Math.min(offset + size, bytes.length)));

const flag = (call: ReturnedCall, name: string): boolean => call.after[call.layout.field(name).offset] === 1;

/**
 * The bytes of a number, an object's address, or what an answer leads to; undefined where that was not recorded, or is a list of texts or
 * of named values, which lie elsewhere each time. */
function answerIn(call: ReturnedCall, field: Field): Buffer | undefined {
  if (field.offset + field.size > call.after.length) return undefined;
  const [depth, isObjects] = [field.depth, holdsObjects(field)];
  if (depth === 0 || (depth === 1 && isObjects)) return sliceOf(field, call.after);
  if ((depth > 1 && !isObjects) || field.base === 'PJRT_NamedValue') return undefined;
  const list = call.memory(wordAt(call.after, field.offset));
  return list && Buffer.from(list);
}
