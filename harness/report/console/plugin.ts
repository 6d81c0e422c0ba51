import { counted } from '../../base/counted.ts';
import { cleanLine, cut } from '../../base/sanitize.ts';
import type { PluginFacts } from '../../model/plugin-facts.ts';
import { abilities } from '../../verdict/abilities.ts';
import { extensionAbilities, type SlotAbility } from '../../verdict/extension-abilities.ts';
import type { Paint } from './paint.ts';

/** Names and reasons that are listed before the rest is only counted. */
export const LISTED = 8;

const STANDINGS = {
  known: '',
  newer: ' (newer than this version knows: the known part is tested)',
  older: ' (older than this version knows)',
};

/** A plugin on one or two lines: version, platform, devices, extensions; or why it could not be used. */
export function pluginLines(facts: PluginFacts, paint: Paint): string[] {
  const { apiVersion, functions, extensions, devices, failure } = facts;
  const parts = [cleanLine(facts.name)];
  if (apiVersion)
    parts.push(`API ${apiVersion.major}.${apiVersion.minor}${STANDINGS[facts.versionStanding ?? 'known']}`);
  if (functions) {
    const beyond = functions.inTable > functions.known ? `, ${functions.inTable - functions.known} unknown` : '';
    const missing = functions.nullSlots.length > 0 ? `, ${functions.nullSlots.length} NULL` : '';
    parts.push(`${functions.inTable} functions${beyond}${missing}`);
  }
  if (facts.platformName !== undefined) parts.push(`platform ${cut(cleanLine(facts.platformName), 40)}`);
  if (devices) {
    const kinds = [...new Set(devices.map((device) => cleanLine(device.kind)))].join(', ');
    parts.push(`${counted(facts.deviceCount ?? devices.length, 'device')}${kinds ? ` (${cut(kinds, 60)})` : ''}`);
  }
  const lines = [parts.join(' · ')];
  if (extensions) {
    const names = extensions.map((entry) => cleanLine(entry.name));
    lines.push(names.length === 0 ? 'no extensions' : `${counted(names.length, 'extension')}: ${names.join(', ')}`);
  }
  if (facts.answers) lines.push(...abilityLines(facts));
  if (failure) {
    const code = failure.code ? `${failure.code}: ` : '';
    lines.push(paint('red', cleanLine(`${failure.stage} failed: ${code}${failure.message}`)));
  }
  return lines;
}

/** Functions that are worth naming: present but not working. */
const NAMED: readonly SlotAbility[] = ['unstable', 'unimplemented', 'fails', 'dies', 'hangs', 'null'];

/** Verbs, of more than one function. */
const PLURALS: Partial<Record<SlotAbility, string>> = { works: 'work', fails: 'fail', dies: 'die', hangs: 'hang' };

/** The capability matrices on a few lines: how many functions work, and which present ones do not. */
function abilityLines(facts: PluginFacts): string[] {
  const functions = [...abilities(facts)].map(([name, ability]) => [name.slice(5), ability] as const);
  const slots = extensionAbilities(facts).flatMap((extension) =>
    extension.slots.map((slot) => [`${cleanLine(extension.name)}.${slot.name}`, slot.ability] as const),
  );
  return [...matrixLines('functions', functions), ...matrixLines('extension functions', slots)];
}

function matrixLines(label: string, matrix: readonly (readonly [name: string, ability: SlotAbility])[]): string[] {
  if (matrix.length === 0) return [];
  const having = (ability: SlotAbility): string[] => matrix.filter(([, a]) => a === ability).map(([name]) => name);
  const counts = (['works', ...NAMED, 'untried', 'not-called', 'absent'] as const)
    .map((ability) => [having(ability).length, ability] as const)
    .filter(([count]) => count > 0)
    .map(([count, ability]) => `${count} ${(count === 1 ? ability : (PLURALS[ability] ?? ability)).replace('-', ' ')}`);
  const lists = NAMED.flatMap((ability) => {
    const names = having(ability);
    if (names.length === 0) return [];
    const more = names.length > LISTED ? ` and ${names.length - LISTED} more` : '';
    return [`  ${ability}: ${names.slice(0, LISTED).join(', ')}${more}`];
  });
  return [`${label}: ${counts.join(', ')}`, ...lists];
}
