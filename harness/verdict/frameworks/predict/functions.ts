import { isWorking } from '../../abilities.ts';
import { ENDS_PROCESS } from '../load.ts';
import type { PluginView } from '../plugin-view.ts';
import type { Moment } from '../prediction.ts';
import type { Framework, OnError, Release, Use } from '../types.ts';
import { firstErrorMoment, isCalled, memoryFor, momentOf } from './calls.ts';
import { nearestFault } from './nearest.ts';
import type { Gaps, Trouble } from './trouble.ts';

/** First steps that failed in the measured workload. */
const STEP_MOMENTS: Record<string, Moment> = {
  init: 'client creation',
  devices: 'client creation',
  h2d: 'first transfer',
  d2h: 'first transfer',
  jit: 'first compile',
  workload: 'first compile',
};

/** What a framework does with an error that a function answers. */
const ON_ERROR: Readonly<Record<OnError, string>> = {
  abort: 'ends the process',
  'abort unless UNIMPLEMENTED': 'ends the process unless it is UNIMPLEMENTED',
  error: 'is passed on',
  'UNIMPLEMENTED is fine': 'is accepted if it is UNIMPLEMENTED',
  ignored: 'is ignored',
};

/** The result of calling one function. */
export function functionTroubles(
  framework: Framework,
  release: Release,
  plugin: PluginView,
  name: string,
  use: Use,
  gaps: Gaps,
): Trouble[] {
  const ability = plugin.abilities.get(`PJRT_${name}`) ?? 'absent';
  if (isWorking(ability) || !isCalled(framework, release, name, use, ability, plugin)) return [];
  if (name === 'Client_Create' && ability === 'fails' && plugin.noClient) return [];
  const moment =
    name === 'Error_ForEachPayload'
      ? firstErrorMoment(framework, release, plugin)
      : momentOf(framework, release, name, plugin);
  const core = moment !== 'when used';
  const call = `PJRT_${name}`;
  const calledBy = use.gate
    ? use.gate.how
    : `called on every plugin${use.addedIn ? ` without a version check; added in 0.${use.addedIn}` : ''}`;
  const source = `${call}: ${calledBy}; an error ${ON_ERROR[use.onError]} (${release.status})`;
  const worst = (outcome: Trouble['outcome']): Trouble['outcome'] => (core ? outcome : 'limits');
  switch (ability) {
    case 'untried':
      if (core && ENDS_PROCESS[use.onError]) gaps.functions.push(call);
      return [];
    case 'absent':
    case 'null': {
      if (plugin.behindTable?.includes(call)) {
        return [
          {
            outcome: 'limits',
            moment,
            reason: `${call} is called although it lies past the table's struct_size; there is code in its place`,
            facts: [
              `${framework.title} relies on the plugin's minor version and never checks the size of the table`,
              source,
            ],
          },
        ];
      }
      const what = ability === 'null' ? 'is NULL' : `is not in API 0.${plugin.minor}`;
      return [
        { outcome: worst('aborts'), moment, reason: `${call} ${what} and is called all the same`, facts: [source] },
      ];
    }
    case 'dies':
    case 'hangs':
      return [{ outcome: worst('aborts'), moment, reason: `the process ${ability} in ${call}`, facts: [source] }];
    case 'unimplemented':
    case 'fails':
      return failing(framework, release, plugin, { name, use, ability, core, moment, source });
  }
}

/** A function that answers with an error: what was measured counts before what the source says. */
function failing(
  framework: Framework,
  release: Release,
  plugin: PluginView,
  f: { name: string; use: Use; ability: 'unimplemented' | 'fails'; core: boolean; moment: Moment; source: string },
): Trouble[] {
  const answers = plugin.answers[`PJRT_${f.name}`] ?? [];
  const answer = f.ability === 'unimplemented' ? 'UNIMPLEMENTED' : (answers[0] ?? 'an error');
  const call = `PJRT_${f.name}`;
  const seen = nearestFault(framework, release, f.ability === 'unimplemented' ? 'UNIMPLEMENTED' : 'INTERNAL', f.use);
  const facts = [f.source];
  const step = seen?.error[f.name];
  // What was measured was measured with arrays in host memory.
  if (memoryFor(framework, release, f.name) === 'not on CPU') {
    return [
      {
        outcome: f.core ? 'refuses' : 'limits',
        moment: f.moment,
        reason: `${call} returns ${answer}, and arrays that are not in host memory are read with it`,
        message: answer,
        facts,
      },
    ];
  }
  if (seen?.dies.includes(f.name)) {
    facts.push(
      `measured with ${framework.title} ${seen.release}: the process dies when ${call} returns ${seen.answer}`,
    );
    return [
      {
        outcome: f.core ? 'aborts' : 'limits',
        moment: f.moment,
        reason: `${call} returns ${answer}, which ends the process`,
        facts,
      },
    ];
  }
  if (step !== undefined) {
    const failed = STEP_MOMENTS[step];
    facts.push(
      `measured with ${framework.title} ${seen!.release}: ${call} answering ${seen!.answer} fails the step ${step}`,
    );
    return [
      {
        outcome: failed && f.core ? 'refuses' : 'limits',
        moment: failed ? f.moment : 'when used',
        reason: `${call} returns ${answer}`,
        message: answer,
        facts,
      },
    ];
  }
  if (seen?.harmless.includes(f.name)) return [];
  if (f.use.onError === 'ignored' || f.use.onError === 'UNIMPLEMENTED is fine') return [];
  if (f.use.onError === 'abort unless UNIMPLEMENTED' && f.ability === 'unimplemented') return [];
  if (ENDS_PROCESS[f.use.onError]) {
    return [
      {
        outcome: f.core ? 'aborts' : 'limits',
        moment: f.moment,
        reason: `${call} returns ${answer}, which ends the process`,
        facts,
      },
    ];
  }
  return [{ outcome: 'limits', moment: f.moment, reason: `${call} returns ${answer}`, facts }];
}
