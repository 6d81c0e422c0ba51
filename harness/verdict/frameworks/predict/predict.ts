import { compareVersions } from '../../../base/dotted-version.ts';
import type { BadEnd } from '../../../model/note-fact.ts';
import { useOf } from '../load.ts';
import type { PluginView } from '../plugin-view.ts';
import { MOMENTS, type Prediction } from '../prediction.ts';
import type { Chosen, Framework, Release } from '../types.ts';
import { conclude } from './conclude.ts';
import { dataTroubles } from './data.ts';
import { extensionTroubles } from './extensions.ts';
import { functionTroubles } from './functions.ts';
import { hasNoMemories, MEMORY_FUNCTIONS, memoryTroubles } from './memories.ts';
import { nearest } from './nearest.ts';
import { recordedFacts, recordedTroubles } from './recorded.ts';
import { sessionTroubles } from './session.ts';
import { type Gaps, type NamedTrouble, named, type Trouble } from './trouble.ts';
import { versionRule } from './version-rule.ts';

/**
 * What a release of a framework does with a plugin: its version rule first, then what a session with its struct sizes
 * showed, then the data on which it relies, then every function that it calls against what the plugin can do with it.
 * @param compatible value of ENABLE_PJRT_COMPATIBILITY; undefined when it is not set
 */
export function predict(framework: Framework, release: Release, plugin: PluginView, compatible?: boolean): Prediction {
  const chosen = { framework, release };
  const troubles: NamedTrouble[] = [];
  const gaps: Gaps = { sessions: [], functions: [] };
  const rule = versionRule(release, plugin, compatible);
  if (rule) return conclude(named('API version', [rule]), gaps, release, plugin);
  if (framework.name === 'tensorflow' && !plugin.exportsTensorflowInit) {
    troubles.push({
      about: 'TFNPD_InitPlugin',
      outcome: 'refuses',
      moment: 'import',
      reason: 'the library exports no TFNPD_InitPlugin: it is loaded, but no device appears, and no error is shown',
      facts: ['TensorFlow asks a pluggable device for TFNPD_InitPlugin (measured with 2.21.0)'],
    });
  }
  troubles.push(...sessionTroubles(chosen, plugin, gaps));
  troubles.push(...named('StableHLO', stablehloTroubles(release, plugin)));
  troubles.push(...extensionTroubles(chosen, plugin));
  troubles.push(...named('PJRT_Error_Destroy', nullErrorTroubles(chosen, plugin)));
  if (release.asksSize && plugin.noSize !== undefined) troubles.push(...named('size', [sizeTrouble(plugin.noSize)]));
  if (plugin.exit !== undefined) troubles.push(...named('exit', [exitTrouble(plugin.exit)]));
  troubles.push(...dataTroubles(chosen, plugin), ...recordedTroubles(chosen, plugin));
  const memoryless = hasNoMemories(plugin);
  if (memoryless) troubles.push(...named('memories', memoryTroubles(release, plugin)));
  for (const name of Object.keys(framework.functions)) {
    if (memoryless && MEMORY_FUNCTIONS.includes(name)) continue;
    const use = useOf(chosen, name);
    if (!use) continue;
    troubles.push(...named(`PJRT_${name}`, functionTroubles(chosen, plugin, name, use, gaps)));
  }
  const prediction = conclude(troubles, gaps, release, plugin);
  prediction.facts.push(...recordedFacts(chosen, plugin));
  return prediction;
}

function stablehloTroubles(release: Release, { stablehloCurrent }: PluginView): Trouble[] {
  const { readsAttribute, clamps, writes } = release.stablehlo;
  if (release.sendsHlo || writes === null || !readsAttribute || clamps || stablehloCurrent === undefined) return [];
  if (compareVersions(stablehloCurrent, writes) <= 0) return [];
  return [
    {
      outcome: 'refuses',
      moment: 'first compile',
      reason: `the framework serializes programs as StableHLO ${stablehloCurrent} (the plugin's version) but can write at most ${writes}`,
      message: `target version ${stablehloCurrent} is greater than current version ${writes}`,
      beforeCalls: true,
      facts: ["the plugin's stablehlo_current_version is taken as it is by this release alone"],
    },
  ];
}

/** Of a framework that was never watched it is not known. */
function nullErrorTroubles(chosen: Chosen, { nullError }: PluginView): Trouble[] {
  const { framework } = chosen;
  const seen = nearest(chosen, framework.calls);
  const moment = MOMENTS.find((m) => m === seen?.nullError);
  if (nullError === undefined || !seen || moment === undefined) return [];
  return [
    {
      outcome: 'aborts',
      moment,
      reason: `the process ${nullError} in PJRT_Error_Destroy with a NULL error, which ${framework.title} calls there`,
      facts: [`measured with ${framework.title} ${seen.release}, on every plugin it was traced with`],
    },
  ];
}

const sizeTrouble = (noSize: string): Trouble => ({
  outcome: 'limits',
  moment: 'when used',
  reason: `PJRT_Buffer_ToHostBuffer with dst = NULL, for the size of an array and for one without elements: ${noSize}`,
  facts: ['seen by asking so'],
});

const exitTrouble = (exit: BadEnd): Trouble => ({
  outcome: 'aborts',
  moment: 'exit',
  reason: `a process that has destroyed its clients ${endText(exit)} at its exit`,
  facts: ['seen in a worker of the harness'],
});

const endText = ({ signal, exitCode, deadlineMs }: BadEnd): string => {
  if (deadlineMs !== undefined) return `did not end within ${deadlineMs / 1000} s`;
  return signal === undefined ? `exited with code ${exitCode ?? 'unknown'} on its own` : `died with ${signal}`;
};
