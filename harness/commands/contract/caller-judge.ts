import { type Field, holdsObjects, isDestroyer } from '../../knowledge/abi/index.ts';
import { givenObjects, wordAt } from '../../knowledge/trace/given-structs.ts';
import { type ObjectAt, objectsOf } from '../../knowledge/trace/objects-of.ts';
import type { ObservedCall, ReturnedCall } from '../../knowledge/trace/observed-call.ts';
import { judgeArguments, judgeValues } from './argument-rules.ts';
import { AFTER, BEFORE, judgeIndex, REFUSED } from './function-rules.ts';
import { Mistakes, nameOf } from './mistake.ts';
import { type Known, Objects } from './objects.ts';
import { BETWEEN_CLIENTS, NEED_DATA, RULES, type Rule, TAKES_NULL } from './rules.ts';

/** Judges a caller by the calls of one process, which are given in the order in which they were made and returned. */
export class CallerJudge {
  readonly #objects = new Objects();
  readonly #mistakes = new Mistakes<Rule>(RULES);

  /** A call begins. */
  entered(call: ObservedCall): void {
    judgeArguments(call, this.#mistakes);
    const { subject } = call.layout;
    const isGiven = isSubject(subject) && subject.offset + subject.size <= call.before.length;
    if (isGiven && wordAt(call.before, subject.offset) === 0n && !TAKES_NULL.has(call.function))
      this.#mistakes.add('null-object', call, `${call.function} is called with a null ${subject.name}`);
    const destroyed = destroys(call);
    for (const object of givenObjects(call)) {
      const isItsEnd = destroyed !== undefined && object.type === destroyed.type && object.at === destroyed.at;
      const known = this.#objects.assumed(object, call.plugin);
      this.#used(known, call, isItsEnd);
      this.#demandClient(known, call);
    }
    if (destroyed) this.#destroyed(this.#objects.assumed(destroyed, call.plugin), call);
    const about = this.#subject(call);
    // Of an object of which nobody saw who made it, nobody saw what was done with it either.
    if (!about?.made || (about.ended && about.ended.entered !== call.entered)) return;
    BEFORE[call.function]?.(about, call, this.#mistakes);
    judgeIndex(about, call, this.#mistakes);
  }

  /** It returned. */
  left(call: ReturnedCall): void {
    if (call.error !== 0n) {
      this.#objects.made({ type: 'PJRT_Error', at: call.error }, call, call.plugin);
      this.#refused(call);
      judgeValues(call, this.#mistakes);
    }
    const subject = this.#subject(call);
    if (call.function === 'PJRT_Event_Await' && subject) subject.ready = true;
    if (call.error !== 0n) {
      if (subject) REFUSED[call.function]?.(subject, call, this.#mistakes);
      return;
    }
    for (const field of call.layout.fields.filter((one) => one.out && holdsObjects(one))) {
      for (const object of objectsOf(call, field, call.after)) {
        const known =
          field.destroy !== undefined
            ? this.#objects.made(object, call, call.plugin)
            : this.#objects.shown(object, call, call.plugin, this.#keeper(call, field.keeper));
        const client = subject?.type === 'PJRT_Client' ? subject : subject?.client;
        if (client) known.client = client;
        if (call.layout.has('num_shape_specs'))
          known.buffers = Number(wordAt(call.before, call.layout.field('num_shape_specs').offset));
      }
    }
    if (subject) AFTER[call.function]?.(subject, call);
  }

  /**
   * A callback that a call was given is called: what it waited for is ready.
   * @param error address of the error that it gets, or 0
   */
  calledBack(call: ObservedCall, error: bigint): void {
    const event = this.#subject(call);
    if (call.function === 'PJRT_Event_OnReady' && event) event.ready = true;
    if (error !== 0n) this.#objects.made({ type: 'PJRT_Error', at: error }, call, call.plugin);
  }

  /** @param whole whether the process ended as programs do, and nothing of the recording is missing */
  end(whole: boolean): ReturnType<Mistakes<Rule>['result']> {
    // From 0.107 on an error may have been destroyed through its own table, which no recorder sees.
    const errors = this.#objects.living().filter(({ type, made }) => type === 'PJRT_Error' && made && made.minor < 107);
    if (whole)
      for (const error of errors)
        this.#mistakes.add(
          'error-not-destroyed',
          error.made,
          `the error that ${error.made?.function} returned is never destroyed`,
          error,
        );
    return this.#mistakes.result();
  }

  #subject(call: ObservedCall): Known | undefined {
    const { subject } = call.layout;
    if (!isSubject(subject)) return undefined;
    const [object] = objectsOf(call, subject, call.before);
    return object && this.#objects.of(object);
  }

  #keeper(call: ObservedCall, name: string | undefined): Known | undefined {
    if (name === undefined || !call.layout.has(name)) return undefined;
    const [object] = objectsOf(call, call.layout.field(name), call.before);
    return object && this.#objects.of(object);
  }

  #used(known: Known, call: ObservedCall, isItsEnd: boolean): void {
    const what = nameOf(known);
    if (known.plugin !== call.plugin)
      this.#mistakes.add('other-plugin', call, `${call.function} of one plugin is given ${what} of another`, known);
    if (!known.ended) return;
    if (isItsEnd && !known.ended.with) this.#mistakes.add('destroyed-twice', call, `${what} is destroyed twice`, known);
    else if (known.ended.with)
      this.#mistakes.add(
        'used-after-keeper',
        call,
        `${call.function} uses ${what}, which went with ${nameOf(known.ended.with)}`,
        known,
      );
    else this.#mistakes.add('used-after-destroy', call, `${call.function} uses ${what} after it was destroyed`, known);
  }

  /** All that a call is given belongs to the client of what it is about. */
  #demandClient(known: Known, call: ObservedCall): void {
    const subject = this.#subject(call);
    if (!subject || known === subject || BETWEEN_CLIENTS.has(call.function)) return;
    const [own, others] = [clientsOf(subject), clientsOf(known)];
    if (own.size === 0 || others.size === 0 || [...others].some((one) => own.has(one))) return;
    const message = `${call.function} about ${nameOf(subject)} is given ${nameOf(known)} of another client`;
    this.#mistakes.add('other-client', call, message, known);
  }

  #destroyed(known: Known, call: ObservedCall): void {
    if (known.ended) return;
    if (!known.owned && known.keepers.size > 0)
      this.#mistakes.add(
        'not-its-own',
        call,
        `${call.function} destroys ${nameOf(known)}, which belongs to the plugin`,
        known,
      );
    if (known.type === 'PJRT_Client')
      for (const one of this.#objects.living())
        if (one.owned && one.client === known)
          this.#mistakes.add('outlived-client', call, `${nameOf(known)} is destroyed before its ${nameOf(one)}`, one);
    this.#objects.ended(known, call);
  }

  /** The plugin returned an error: a mistake if it got a buffer that had been deleted. */
  #refused(call: ReturnedCall): void {
    if (!NEED_DATA.has(call.function)) return;
    for (const object of givenObjects(call)) {
      const known = this.#objects.of(object);
      if (known?.deleted && !known.ended)
        this.#mistakes.add(
          'deleted-used',
          call,
          `${call.function} is given ${nameOf(known)}, which was deleted or donated, and refused it`,
          known,
        );
    }
  }
}

/** The clients that an object may belong to: a plugin may give several of them the same devices. */
function clientsOf(known: Known): Set<Known> {
  const all = [known, ...known.keepers, ...(known.client ? [known.client] : [])];
  return new Set(all.filter(({ type }) => type === 'PJRT_Client'));
}

/** Whether a function is about an object that it is given. */
const isSubject = (field: Field | undefined): field is Field => field?.depth === 1 && !field.out && holdsObjects(field);

/** The object that a call destroys. */
function destroys(call: ObservedCall): ObjectAt | undefined {
  const { subject } = call.layout;
  if (!subject || !isDestroyer(call.function)) return undefined;
  return objectsOf(call, subject, call.before)[0];
}
