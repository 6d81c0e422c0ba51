import { type Ability, isWorking } from '../../abilities.ts';
import { ENDS_PROCESS } from '../load.ts';
import type { PluginView } from '../plugin-view.ts';
import type { Chosen, OnError, Use } from '../types.ts';
import { firstErrorMoment, isCalled, memoryFor, momentOf } from './calls.ts';
import { nearestFault } from './nearest.ts';
import type { Gaps, Trouble } from './trouble.ts';

/** Steps of the measured workload that everyday use consists of. */
const EVERYDAY_STEPS = ['init', 'devices', 'h2d', 'd2h', 'jit', 'workload'];

/** What a framework does with an error that a function answers. */
const ON_ERROR: Readonly<Record<OnError, string>> = {
  abort: 'ends the process',
  'abort unless UNIMPLEMENTED': 'ends the process unless it is UNIMPLEMENTED',
  error: 'is passed on',
  'UNIMPLEMENTED is fine': 'is accepted if it is UNIMPLEMENTED',
  ignored: 'is ignored',
};

/** It succeeded once, and a process ended in it. */
const SECOND_CLIENT: Trouble = {
  outcome: 'limits',
  moment: 'when used',
  reason: 'a second client in a process: the process ends in PJRT_Client_Create',
  facts: ['a process of a framework makes one client of a plugin, unless a user asks for more'],
};

/** The result of calling one function. */
export function functionTroubles(chosen: Chosen, plugin: PluginView, name: string, use: Use, gaps: Gaps): Trouble[] {
  const { framework, release } = chosen;
  const call = `PJRT_${name}`;
  const ability = plugin.abilities.get(call) ?? 'absent';
  if (name === 'Client_Create' && ability === 'unstable') return [SECOND_CLIENT];
  if (isWorking(ability) || !isCalled(chosen, name, use, ability, plugin)) return [];
  if (name === 'Client_Create' && ability === 'fails' && plugin.noClient) return [];
  const moment = name === 'Error_ForEachPayload' ? firstErrorMoment(chosen, plugin) : momentOf(chosen, name, plugin);
  const core = moment !== 'when used';
  const calledBy = use.gate
    ? use.gate.how
    : `called on every plugin${use.addedIn ? ` without a version check; added in 0.${use.addedIn}` : ''}`;
  const source = `${call}: ${calledBy}; an error ${ON_ERROR[use.onError]} (${release.status})`;
  const meets: Meets = (outcome, reason, { facts = [], ...more } = {}) => [
    { outcome: core ? outcome : 'limits', moment, reason, facts: [source, ...facts], ...more },
  ];
  switch (ability) {
    case 'untried':
      // The harness has destroyed the client that it had as well, before its process went its way.
      if (name === 'Client_Destroy' && plugin.exit === undefined && !plugin.noClient) return [];
      if (core && ENDS_PROCESS[use.onError]) gaps.functions.push(call);
      return [];
    case 'absent':
    case 'null': {
      if (plugin.behindTable?.includes(call)) {
        const reason = `${call} is called although it lies past the table's struct_size; there is code in its place`;
        const fact = `${framework.title} relies on the plugin's minor version and never checks the size of the table`;
        return meets('limits', reason, { facts: [fact] });
      }
      const what = ability === 'null' ? 'is NULL' : `is not in API 0.${plugin.minor}`;
      return meets('aborts', `${call} ${what} and is called all the same`);
    }
    case 'dies':
    case 'hangs':
      return meets('aborts', `the process ${ability} in ${call}`);
    case 'unimplemented':
      return errorTroubles(chosen, name, use, ability, 'UNIMPLEMENTED', meets);
    case 'fails':
      return errorTroubles(chosen, name, use, ability, plugin.answers[call]?.[0] ?? 'an error', meets);
  }
}

/** A trouble with the function; outside of everyday use no more than a limit. */
type Meets = (outcome: Trouble['outcome'], reason: string, more?: Partial<Trouble>) => Trouble[];

/** A function that answers with an error: what was measured counts before what the source says. */
function errorTroubles(
  chosen: Chosen,
  name: string,
  use: Use,
  ability: Ability & ('unimplemented' | 'fails'),
  answer: string,
  meets: Meets,
): Trouble[] {
  const call = `PJRT_${name}`;
  const returns = `${call} returns ${answer}`;
  // What was measured was measured with arrays in host memory.
  if (memoryFor(chosen, name) === 'not on CPU') {
    return meets('refuses', `${returns}, and arrays that are not in host memory are read with it`, { message: answer });
  }
  const seen = nearestFault(chosen, ability === 'unimplemented' ? 'UNIMPLEMENTED' : 'INTERNAL', use);
  const measured = `${seen?.read ? 'read in the source of' : 'measured with'} ${chosen.framework.title} ${seen?.release}`;
  if (seen?.dies.includes(name)) {
    const fact = `${measured}: the process dies when ${call} returns ${seen.answer}`;
    return meets('aborts', `${returns}, which ends the process`, { facts: [fact] });
  }
  const step = seen?.error[name];
  if (step !== undefined) {
    const facts = [`${measured}: ${call} answering ${seen!.answer} fails the step ${step}`];
    return EVERYDAY_STEPS.includes(step)
      ? meets('refuses', returns, { message: answer, facts })
      : meets('limits', returns, { moment: 'when used', message: answer, facts });
  }
  if (seen?.harmless.includes(name)) return [];
  if (use.onError === 'ignored' || use.onError === 'UNIMPLEMENTED is fine') return [];
  if (use.onError === 'abort unless UNIMPLEMENTED' && ability === 'unimplemented') return [];
  return ENDS_PROCESS[use.onError] ? meets('aborts', `${returns}, which ends the process`) : meets('limits', returns);
}
