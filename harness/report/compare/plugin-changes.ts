import { counted } from '../../base/counted.ts';
import { tallied } from '../../base/grouping.ts';
import { cleanLine } from '../../base/sanitize.ts';
import type { PluginFacts } from '../../model/plugin-facts.ts';
import { type Ability, abilities, isWorking } from '../../verdict/abilities.ts';
import { extensionAbilities, type SlotAbility } from '../../verdict/extension-abilities.ts';
import type { ChangeKind, FoundChange } from './change.ts';

/** Capabilities and properties of a plugin, old and new. */
export function* pluginChanges(old: PluginFacts, now: PluginFacts, sameCases: boolean): Generator<FoundChange> {
  yield* usability(old, now);
  if (!old.apiVersion || !now.apiVersion) return;
  yield* apiVersion(old, now);
  yield* functions(old, now, sameCases);
  if (old.extensions && now.extensions) yield* extensions(old, now, sameCases);
  else if (old.extensions && old.extensions.length > 0) yield unknownExtensions(old.extensions.length);
  if (old.attributes && now.attributes) yield* attributes(old.attributes, now.attributes);
  yield* platform(old, now);
  yield* hardware(old, now);
}

function* usability(old: PluginFacts, now: PluginFacts): Generator<FoundChange> {
  const words = ({ stage, code, message }: NonNullable<PluginFacts['failure']>): string =>
    cleanLine(`${stage} failed: ${code ? `${code}: ` : ''}${message}`);
  if (now.failure && !old.failure) {
    yield { kind: 'unusable', subject: now.name, old: 'usable', new: now.failure.stage, message: words(now.failure) };
  } else if (old.failure && !now.failure) {
    yield { kind: 'fixed', subject: now.name, old: old.failure.stage, new: 'usable', message: 'it can be used' };
  }
}

function* apiVersion(old: PluginFacts, now: PluginFacts): Generator<FoundChange> {
  const [a, b] = [old.apiVersion!, now.apiVersion!];
  const [before, after] = [a, b].map(({ major, minor }) => `${major}.${minor}`);
  if (before === after) return;
  const kind: ChangeKind = a.major !== b.major ? 'api-major' : b.minor < a.minor ? 'api-step-back' : 'api-step-forward';
  const steps = Math.abs(b.minor - a.minor);
  const message =
    kind === 'api-major'
      ? 'the two versions have nothing in common'
      : `${counted(steps, 'minor version')} ${kind === 'api-step-back' ? 'back' : 'on'}`;
  yield { kind, subject: 'C API version', old: before, new: after, message };
}

const there = (ability: SlotAbility): boolean => ability !== 'null' && ability !== 'absent';
const tried = (ability: SlotAbility): boolean => ability !== 'untried' && ability !== 'not-called';

/** The kind of a change from one capability to another; undefined: none, or unknown. */
function abilityKind(old: SlotAbility, now: SlotAbility, sameCases: boolean): ChangeKind | undefined {
  if (old === now) return undefined;
  if (!there(now)) return !there(old) ? undefined : isWorking(old) || !tried(old) ? 'lost-function' : 'worse-function';
  if (!there(old)) return 'gained';
  if (!tried(old) || !tried(now)) return undefined;
  if (now === 'works') return 'gained';
  if (now === 'unstable') return old === 'works' ? 'worse-function' : 'gained';
  // With fewer cases, those left may be the ones that expect an error.
  if (isWorking(old)) return now === 'fails' && !sameCases ? undefined : 'lost-function';
  return now === 'dies' || now === 'hangs' ? 'worse-function' : undefined;
}

const ABILITY_WORDS: Record<SlotAbility, string> = {
  works: 'it works',
  unstable: 'it works, but a process also died or hung in it',
  unimplemented: 'it returns UNIMPLEMENTED',
  fails: 'it returns only errors',
  dies: 'the process dies in it',
  hangs: 'it does not return',
  null: 'its slot is NULL',
  absent: 'the plugin does not have it',
  untried: 'no case called it',
  'not-called': 'it was not called',
};

const abilityChange = (kind: ChangeKind, subject: string, old: SlotAbility, now: SlotAbility): FoundChange => ({
  kind,
  subject: cleanLine(subject),
  old,
  new: now,
  message: ABILITY_WORDS[now],
});

function* functions(old: PluginFacts, now: PluginFacts, sameCases: boolean): Generator<FoundChange> {
  const before = abilities(old);
  for (const [name, ability] of abilities(now)) {
    const was: Ability | undefined = before.get(name);
    const kind = was && abilityKind(was, ability, sameCases);
    if (kind) yield abilityChange(kind, name, was, ability);
  }
}

function* extensions(old: PluginFacts, now: PluginFacts, sameCases: boolean): Generator<FoundChange> {
  const [before, after] = [old, now].map((facts) => new Map(facts.extensions!.map((entry) => [entry.type, entry])));
  const [slotsBefore, slotsAfter] = [old, now].map(
    (facts) => new Map(extensionAbilities(facts).map(({ type, slots }) => [type, slots])),
  );
  for (const type of new Set([...before!.keys(), ...after!.keys()])) {
    const [was, is] = [before!.get(type), after!.get(type)];
    const [oldSize, newSize] = [was, is].map((entry) => (entry ? `${entry.structSize} bytes` : 'absent'));
    const change = { subject: cleanLine((was ?? is)!.name), old: oldSize, new: newSize };
    if (!is) {
      yield { kind: 'lost-extension', ...change, message: `the extension (type ${type}) is not in the chain` };
    } else if (!was) {
      yield { kind: 'gained', ...change, message: `the extension (type ${type}) is in the chain` };
    } else if (is.structSize !== was.structSize) {
      const kind = is.structSize < was.structSize ? 'smaller-extension' : 'gained';
      yield { kind, ...change, message: `struct_size is ${is.structSize}, was ${was.structSize}` };
    }
    const slots = new Map(slotsAfter!.get(type)?.map((slot) => [slot.name, slot.ability]));
    for (const { name: slot, ability } of slotsBefore!.get(type) ?? []) {
      const nowAbility = slots.get(slot);
      const kind = nowAbility && abilityKind(ability, nowAbility, sameCases);
      if (kind) yield abilityChange(kind, `${was!.name}.${slot}`, ability, nowAbility);
    }
  }
}

/** An extension chain that could not be read may contain anything. */
const unknownExtensions = (count: number): FoundChange => ({
  kind: 'lost-extension',
  subject: 'all extensions',
  old: `${count}`,
  new: 'not known',
  message: 'their chain was not read; the warnings of the run say why',
});

const different = (kind: ChangeKind, subject: string, old: string, now: string): FoundChange => ({
  ...{ kind, subject, old, new: now },
  message: `it is ${now}, was ${old}`,
});

type Attributes = NonNullable<PluginFacts['attributes']>;

function* attributes(old: Attributes, now: Attributes): Generator<FoundChange> {
  const text = (value: Attributes[string]): string => cleanLine(JSON.stringify(value));
  for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
    const [before, after] = [old[name], now[name]];
    const subject = `attribute ${cleanLine(name)}`;
    if (after === undefined) yield { kind: 'lost-attribute', subject, old: text(before!), message: 'it is not there' };
    else if (before === undefined) yield { kind: 'gained', subject, new: text(after), message: 'it is there' };
    else if (text(before) !== text(after)) yield different('changed-attribute', subject, text(before), text(after));
  }
}

function* platform(old: PluginFacts, now: PluginFacts): Generator<FoundChange> {
  const names = [
    ['changed-platform', 'platform name', old.platformName, now.platformName],
    ['changed-version', 'platform version', old.platformVersion, now.platformVersion],
  ] as const;
  for (const [kind, subject, before, after] of names) {
    if (before === undefined || after === undefined || before === after) continue;
    yield different(kind, subject, cleanLine(before), cleanLine(after));
  }
}

function* hardware(old: PluginFacts, now: PluginFacts): Generator<FoundChange> {
  if (old.devices && now.devices) {
    const [before, after] = [old.devices, now.devices].map((devices) => kinds(devices));
    const message = `there are ${after || 'none'}, were ${before || 'none'}`;
    if (before !== after) yield { kind: 'changed-devices', subject: 'devices', old: before, new: after, message };
  }
  if (!old.memories || !now.memories) return;
  const [before, after] = [old.memories, now.memories].map((memories) => new Set(memories.map(({ kind }) => kind)));
  for (const kind of before!) {
    if (after!.has(kind)) continue;
    yield { kind: 'lost-memory', subject: `memory ${cleanLine(kind)}`, message: 'there is no memory of this kind' };
  }
  for (const kind of after!) {
    if (before!.has(kind)) continue;
    yield { kind: 'gained', subject: `memory ${cleanLine(kind)}`, message: 'there are memories of this kind' };
  }
}

/** `2 × TPU v4, 1 × CPU`. */
const kinds = (devices: readonly { kind: string }[]): string =>
  [...tallied(devices.map(({ kind }) => kind))].map(([kind, count]) => `${count} × ${cleanLine(kind)}`).join(', ');
