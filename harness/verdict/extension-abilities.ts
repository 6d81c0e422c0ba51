import { EXTENSIONS, type ExtensionSlot, makerOf, reasonNotToCall } from '../knowledge/abi/index.ts';
import type { PluginFacts } from '../model/plugin-facts.ts';
import type { Integer } from '../model/values.ts';
import { type Ability, abilityOf } from './abilities.ts';

/** Capability of an extension function: as for functions of the C API, or `not-called`, with the reason. */
export type SlotAbility = Ability | 'not-called';

/** A function of an extension, and its capability. @additionalProperties false */
interface SlotCapability {
  name: string;
  ability: SlotAbility;
  /** Why it was not called. */
  reason?: string;
}

/** The functions of one extension in the plugin's chain, in slot order. @additionalProperties false */
export interface ExtensionCapability {
  type: Integer;
  /** Name in the C API, or `unknown` and the number. */
  name: string;
  slots: SlotCapability[];
}

/** The capability matrix of a plugin's extensions, in the order of its chain. */
export function extensionAbilities({ extensions = [], answers = {} }: PluginFacts): ExtensionCapability[] {
  return extensions.map(({ type, name, structSize, slots, nullSlots }) => {
    const nulls = new Set(nullSlots);
    const known = EXTENSIONS.get(type);
    if (!known) return { type, name, slots: unknownSlots(slots, nulls) };
    const answersOf = (slot: string): readonly string[] => answers[`${known.name}.${slot}`] ?? [];
    const capabilities = known.slots.filter(isFunction).map((slot): SlotCapability => {
      if (slot.offset + slot.size > structSize) return { name: slot.name, ability: 'absent' };
      if (nulls.has(slot.name)) return { name: slot.name, ability: 'null' };
      const given = answersOf(slot.name);
      if (given.length > 0) return { name: slot.name, ability: abilityOf(given) };
      const reason = reasonNotToCall(known, slot) ?? lacking(makerOf(known, slot), answersOf, nulls);
      return reason === undefined
        ? { name: slot.name, ability: 'untried' }
        : { name: slot.name, ability: 'not-called', reason };
    });
    return { type, name, slots: capabilities };
  });
}

/** Why a function cannot be called whose argument another one creates: that one is NULL, failed, or created nothing. */
function lacking(
  maker: string | undefined,
  answersOf: (slot: string) => readonly string[],
  nulls: ReadonlySet<string>,
): string | undefined {
  if (maker === undefined) return undefined;
  if (nulls.has(maker)) return `it takes what ${maker} creates, which is NULL`;
  const answers = answersOf(maker);
  if (answers.includes('OK')) return `it takes what ${maker} creates, which created none`;
  if (answers.length > 0) return `it takes what ${maker} creates, which returns ${[...answers].sort().join(', ')}`;
  return undefined;
}

const isFunction = (slot: ExtensionSlot): boolean => slot.kind === 'function';

/** In an unknown extension, the words after its base may be anything. */
const unknownSlots = (count: number, nulls: ReadonlySet<string>): SlotCapability[] =>
  Array.from({ length: count }, (_, i) => {
    const name = `slot ${i}`;
    if (nulls.has(name)) return { name, ability: 'null' as const };
    return { name, ability: 'not-called' as const, reason: 'the extension is unknown' };
  });
