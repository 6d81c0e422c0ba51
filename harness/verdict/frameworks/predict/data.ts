import { groupedBy } from '../../../base/grouping.ts';
import { useOf } from '../load.ts';
import type { DataFailure, PluginView } from '../plugin-view.ts';
import { concerns, type Reliance, reliancesOf } from '../relies.ts';
import type { Chosen } from '../types.ts';
import { withheldFeaturesOf } from '../withheld-features.ts';
import { isCalled, momentOf } from './calls.ts';
import type { NamedTrouble } from './trouble.ts';

/** Results that are wrong, and data on which the release relies and that it does not get. */
export function dataTroubles(chosen: Chosen, plugin: PluginView): NamedTrouble[] {
  const seen = plugin.dataFailures ?? [];
  if (seen.length === 0) return [];
  const withheld = withheldFeaturesOf(chosen, plugin.platformName).map(({ feature }) => feature);
  return reliancesOf(chosen).flatMap((reliance) => {
    const { through, feature } = reliance;
    const use = useOf(chosen, through)!;
    const ability = plugin.abilities.get(`PJRT_${through}`) ?? 'absent';
    if (!isCalled(chosen, through, use, ability, plugin) || (feature !== undefined && withheld.includes(feature)))
      return [];
    const failures = seen.filter((failure) => concerns(reliance, failure.case, failure.requirements));
    return [...groupedBy(failures, (failure) => kindOf(reliance, failure)).entries()].map(([kind, alike]) =>
      troubleOf(chosen, plugin, reliance, kind, alike),
    );
  });
}

type Kind = 'otherwise' | 'wrong' | 'inaccurate' | 'refused' | 'other' | 'died';

function kindOf({ profiled, otherwise }: Reliance, { how }: DataFailure): Kind {
  if (otherwise && how !== 'died') return 'otherwise';
  return how === 'inaccurate' && !profiled ? 'wrong' : how;
}

function troubleOf(
  chosen: Chosen,
  plugin: PluginView,
  { of, through, otherwise, source }: Reliance,
  kind: Kind,
  failures: readonly DataFailure[],
): NamedTrouble {
  const [{ call, code, case: example }] = failures as [DataFailure, ...DataFailure[]];
  const cases = failures.length === 1 ? example : `${failures.length} cases, such as ${example}`;
  const facts = [`${of}: ${source}`];
  if (kind === 'otherwise')
    return { about: of, ...otherwise!, reason: `${of} are not what they are said to be (${cases})`, facts };
  if (kind === 'wrong')
    return {
      about: of,
      outcome: 'wrong',
      moment: momentOf(chosen, through, plugin),
      reason: `${of} (${cases})`,
      facts,
    };
  const what = {
    inaccurate: 'they are less accurate than the numerics profile allows',
    refused: `${call ?? 'a call'} returns ${code ?? 'an error'}`,
    other: 'they are not as they should be',
    died: `the process ends${call ? ` in ${call}` : ''}`,
  }[kind];
  return { about: of, outcome: 'limits', moment: 'when used', reason: `${of}: ${what} (${cases})`, facts };
}
