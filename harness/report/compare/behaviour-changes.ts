import { cleanLine } from '../../base/sanitize.ts';
import type { Observation } from '../../model/observation.ts';
import { placeOf, reproduceCommand } from '../failure-text.ts';
import type { FoundChange } from './change.ts';
import type { Side, SideCase } from './side.ts';

/** Observed behaviours that are different: no repeat of the new side shows what one of the old side did. */
export function* behaviourChanges(old: Side, now: Side): Generator<FoundChange> {
  for (const [id, after] of now.cases) {
    const before = old.cases.get(id);
    if (!before) continue;
    const was = behaviours(before);
    for (const [name, seen] of behaviours(after)) {
      const known = was.get(name);
      if (!known || [...seen.keys()].some((key) => known.has(key))) continue;
      const [then, is] = [known, seen].map((words) => [...new Set(words.values())].join(' or ')) as [string, string];
      yield {
        kind: 'changed-behaviour',
        subject: cleanLine(id),
        old: then,
        new: is,
        message: `${name} is ${is}, was ${then}`,
        place: placeOf(after.worst),
        reproduce: reproduceCommand(now.first, id),
      };
    }
  }
}

/** By behaviour and what it is of: the words of all runs, by what distinguishes them. */
function behaviours({ all }: SideCase): Map<string, Map<string, string>> {
  const found = new Map<string, Map<string, string>>();
  for (const { item } of all) {
    for (const observed of item.result?.observed ?? []) {
      const { behaviour, of, is } = observed;
      const name = cleanLine(of === '' ? behaviour : `${behaviour} of ${of}`);
      const words = found.get(name) ?? new Map<string, string>();
      words.set(keyOf(observed), cleanLine(is === 'other' ? `other (${observed.values.join(', ')})` : is));
      found.set(name, words);
    }
  }
  return found;
}

/** A behaviour without a name is known by its values. */
const keyOf = ({ is, values }: Observation): string => (is === 'other' ? `other ${values.join()}` : is);
