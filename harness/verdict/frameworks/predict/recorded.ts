import { counted } from '../../../base/counted.ts';
import type { DataFailure, PluginView, RecordedResult } from '../plugin-view.ts';
import { recordedFor } from '../recorded-sessions.ts';
import { releaseName } from '../spec.ts';
import type { Chosen } from '../types.ts';
import type { NamedTrouble } from './trouble.ts';

/** What went wrong where a release, or the nearest one that was recorded, did its small scripts. */
export const recordedTroubles = (chosen: Chosen, plugin: PluginView): NamedTrouble[] =>
  playedFor(chosen, plugin).flatMap(({ script, release, failure }) => {
    if (!failure) return [];
    const { outcome, what } = endOf(failure);
    return [
      {
        about: `script ${script}`,
        outcome,
        moment: 'when used',
        reason: `${what} where the calls of a small script are made again (${failure.case})`,
        facts: [`${script} was recorded with ${chosen.framework.title} ${release}`],
      },
    ];
  });

/** What speaks for a plugin: sessions that pass. */
export function recordedFacts(chosen: Chosen, plugin: PluginView): string[] {
  const recorded = recordedFor(chosen);
  if (recorded && plugin.recorded === 'slow')
    return [
      `what ${releaseName(recorded)} was recorded doing in small scripts was not tried, because compilations take long; \`--profile sessions\` does`,
    ];
  const passed = playedFor(chosen, plugin).filter(({ failure }) => !failure);
  if (passed.length === 0) return [];
  const scripts = passed.map(({ script }) => script).join(', ');
  return [
    `the recorded calls of ${counted(passed.length, 'small script')} with ${chosen.framework.title} ${passed[0]!.release} give what they gave (${scripts})`,
  ];
}

function playedFor(chosen: Chosen, { recorded = [] }: PluginView): RecordedResult[] {
  if (recorded === 'slow') return [];
  const nearest = recordedFor(chosen)?.release.version;
  return recorded.filter(({ framework, release }) => framework === chosen.framework.name && release === nearest);
}

function endOf({ how, call, code }: DataFailure): { outcome: 'aborts' | 'wrong' | 'limits'; what: string } {
  switch (how) {
    case 'died':
      return { outcome: 'aborts', what: `the process ends${call ? ` in ${call}` : ''}` };
    case 'wrong':
      return { outcome: 'wrong', what: 'results are wrong' };
    case 'inaccurate':
      return { outcome: 'limits', what: 'results are less accurate than the numerics profile allows' };
    case 'refused':
      return { outcome: 'limits', what: `${call ?? 'a call'} returns ${code ?? 'an error'}` };
    case 'other':
      return { outcome: 'limits', what: 'answers differ from the recorded ones' };
  }
}
