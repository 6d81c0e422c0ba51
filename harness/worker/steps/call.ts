import { looksLikeReference, visitStrings } from '../../suite/parameters.ts';
import type { Predicate, StepBody } from '../../suite/types.ts';
import { PjrtApi } from '../pjrt/api.ts';
import { Buffer } from '../pjrt/buffer.ts';
import { type Calls, noCalls } from '../pjrt/calls.ts';
import { Event } from '../pjrt/event.ts';
import { Handle } from '../pjrt/handle.ts';
import { Plugin } from '../pjrt/plugin.ts';
import { enumIn, isRecord, overrunRoom, sizeIn, writeArguments } from './call-arguments.ts';
import { readField, takeHandles } from './call-results.ts';
import { reportChanged, watchInputs } from './checked-fields.ts';
import type { CaseContext } from './context.ts';
import { expectingError, missingError } from './expected-error.ts';
import { heldMemory } from './held-memory.ts';
import { withBlock } from './named-call.ts';
import { answered, blamed, type Origin, originText, textAboutAsked, withAsked } from './origin.ts';
import { CheckFailure, SuiteFault } from './outcome.ts';
import { overwrite } from './overwritten.ts';
import { violatedPredicates } from './predicate.ts';
import { callForError } from './raw-error.ts';
import { type Answer, answerIn, checkStable } from './stable.ts';
import { showOf } from './words.ts';

const UNTOUCHED_BYTE = 0xc9;

type CallStep = Extract<StepBody, { verb: 'call' }>;

/** `call`: any function of the C API or of an extension by name, with typed arguments. */
export const call = (context: CaseContext, step: CallStep): Calls<void> =>
  context.using(
    apiOf(context, step),
    step.unread === undefined ? calling(context, step) : noCalls(() => failing(context, step, step.unread!)),
  );

/** Handles must never reach the functions of another plugin: theirs decide, where no plugin is named. */
function apiOf(context: CaseContext, step: CallStep): PjrtApi {
  if (step.plugin !== undefined) {
    const plugin = context.resolve(step.plugin);
    if (!(plugin instanceof Plugin)) throw new SuiteFault(`${step.plugin} is not a plugin`);
    return plugin.api;
  }
  for (const value of Object.values(step.with ?? {}).flat()) {
    if (typeof value !== 'string' || !value.startsWith('$')) continue;
    const resolved = context.resolve(value) as { api?: unknown } | undefined | null;
    if (typeof resolved === 'object' && resolved?.api instanceof PjrtApi) return resolved.api;
  }
  return context.api;
}

function* calling(context: CaseContext, step: CallStep): Calls<void> {
  const { api } = context;
  let first: Answer | undefined;
  yield* withBlock(api, step.function, function* (block) {
    if (step.structSize !== undefined) block.reset(step.structSize);
    const { value: rooms, blocks } = context.arena.recording(() => writeArguments(context, block, step.with ?? {}));
    for (const name of step.untouched ?? []) block.fieldBytes(name).fill(UNTOUCHED_BYTE);
    const changedInputs = watchInputs(block);
    let taken: Map<string, unknown> | undefined;
    const run = function* (): Calls<void> {
      yield block;
      // What the plugin wrote into room is its answer, and is read after the call.
      if (step.overwritten) overwrite(blocks.filter((block) => !rooms.some((room) => room.block === block)));
      forgetDestroyed(context, step);
      taken = takeHandles(context, block);
      if (step.error !== undefined && api.abi.startsWork(step.function)) yield* awaitAll(taken);
    };
    const outcome = yield* expectingError(context, step.error, step.function, run());
    reportChanged(context, step.function, changedInputs());
    for (const name of taken ? [] : (step.untouched ?? [])) {
      if (block.fieldBytes(name).some((b) => b !== UNTOUCHED_BYTE) && block.fieldBytes(name).some((b) => b !== 0)) {
        // The header says nothing of outputs of a failed call, and frameworks do not look at them; people's code may.
        const message = `${step.function} failed, but wrote to ${name}: what looks like a result is none`;
        context.report({ type: 'pjrt.OutputTouched', level: 'should', message, call: step.function });
      }
    }
    const overrun = overrunRoom(rooms);
    if (overrun) {
      const message = `${step.function} wrote past the ${overrun.bytes} bytes of ${overrun.field}`;
      throw new CheckFailure({ type: 'pjrt.MemoryOverrun', message, call: step.function });
    }
    if ('error' in outcome) return;
    const handles = taken!;
    const value = (field: string) => readField(context, block, block.layout.field(field), handles, rooms);
    const origin = (name: string): Origin =>
      answered(step.function, name, block.layout.field(name), askedIn(context, step));
    for (const [name, field] of Object.entries(step.as ?? {}))
      context.bind(name, value(field), [origin(field)], heldMemory(api, block, field));
    for (const [field, predicate] of Object.entries(step.expect ?? {}))
      check(context, [origin(field)], value(field), predicate);
    if (step.stable) first = answerIn(context, block);
  });
  if (first) checkStable(context, step, first);
}

const isHandle = (value: unknown): boolean => typeof value === 'object' && value !== null && 'pointer' in value;

function referencesIn(predicate: Predicate): string[] {
  const found: string[] = [];
  visitStrings(predicate, [], (text) => {
    if (looksLikeReference(text)) found.push(text);
  });
  return found;
}

/** Where the first object comes from that is passed to a call. */
function askedIn(context: CaseContext, { with: given = {} }: CallStep): Origin | undefined {
  const object = Object.values(given).find(
    (value) => context.originsOf(value).length > 0 && isHandle(context.resolve(value as string)),
  );
  return context.originsOf(object)[0];
}

/** A call that must fail, whose error is left to the steps that follow. */
function failing(context: CaseContext, step: CallStep, name: string): void {
  const error = callForError(context, step.function, step.with ?? {}, step.structSize);
  if (!error) throw missingError('any', step.function);
  context.bind(name, context.scope.own(error));
}

/** An object that was passed to its own destroy function is gone: the end of the case must not destroy it again. */
function forgetDestroyed(context: CaseContext, step: CallStep): void {
  for (const value of Object.values(step.with ?? {})) {
    const object = typeof value === 'string' && value.startsWith('$') ? context.resolve(value) : undefined;
    if (object instanceof Handle && step.function === `${object.kind}_Destroy`) object.disown();
  }
}

/** An error of started work may come late: through an event or a buffer that the call returned. @throws PjrtError */
function* awaitAll(handles: ReadonlyMap<string, unknown>): Calls<void> {
  for (const handle of handles.values()) {
    if (handle instanceof Event) yield* handle.waiting();
    if (handle instanceof Buffer) yield* handle.readying();
  }
}

/**
 * Ends the case with a failure when a predicate does not hold.
 * @param of the answers that gave the value
 * @param what the value in words, where no answer did
 */
export function check(
  context: CaseContext,
  of: readonly Origin[],
  value: unknown,
  predicate: Predicate,
  what = originText(of),
): void {
  const { field } = of[0] ?? {};
  const resolve = (v: unknown): unknown => {
    if (typeof v === 'string' && v.startsWith('$')) return context.resolve(v);
    if (Array.isArray(v)) return v.map(resolve);
    if (!isRecord(v)) return v;
    const number = sizeIn(context, v) ?? (field && enumIn(context, field, v));
    return number ?? Object.fromEntries(Object.entries(v).map(([key, inner]) => [key, resolve(inner)]));
  };
  const violated = violatedPredicates(value, predicate, resolve, field && showOf(context.api.pluginAbi, field));
  if (violated.length === 0) return;
  const others = referencesIn(predicate).map((reference) => context.originsOf(reference));
  const own = of.map(textAboutAsked).join();
  const answers = [...new Set(others.flat().map(textAboutAsked))];
  const compared = answers.map((text) => (text === own ? 'an earlier answer of it' : text)).join(', ');
  throw new CheckFailure({
    type: 'pjrt.AssertionFailed',
    message: `${what} ${violated.join('; ')}${compared && ` (${compared})`}`,
    // Of values, either answer may be the wrong one; objects are what a call was given, or should find.
    ...blamed(
      predicate.each ? of : withAsked(of),
      ...([value].flat().some(isHandle) ? [] : others.map((one) => one.filter((origin) => origin.field))),
    ),
    ...(of[0]?.asked && !of[0].listed ? { detail: `asked of what ${of[0].asked.call} returned` } : {}),
  });
}
