import { ENDS_PROCESS, useOf } from '../load.ts';
import type { NoClient, PluginView, Stage } from '../plugin-view.ts';
import type { Moment } from '../prediction.ts';
import type { Chosen, Release } from '../types.ts';
import { calledAt, isCalled } from './calls.ts';
import type { Gaps, NamedTrouble } from './trouble.ts';

const STAGE_MOMENTS: Record<Stage['stage'], Moment> = {
  client: 'client creation',
  attributes: 'client creation',
  transfer: 'first transfer',
  compile: 'first compile',
  execute: 'first execution',
  error: 'first error',
};

/** What went wrong when the harness acted as a caller of that version, with its struct sizes. */
export function sessionTroubles(chosen: Chosen, plugin: PluginView, gaps: Gaps): NamedTrouble[] {
  const { release } = chosen;
  const stages = plugin.session(release);
  if (!stages) {
    gaps.sessions.push(`no session as a consumer built against 0.${release.minor} was tried`);
    return [];
  }
  for (const { stage, failure } of stages) {
    if (!failure) continue;
    // The same for every consumer: it says something about this machine, not about the framework.
    if (stage === 'client' && plugin.noClient && sameFailure(failure, plugin.noClient)) continue;
    const name = failure.call?.replace(/^PJRT_/, '');
    const use = name === undefined ? undefined : useOf(chosen, name);
    if (name === 'Plugin_Attributes' && !attributesAsked(release)) continue;
    const tolerated =
      failure.code === 'UNIMPLEMENTED' &&
      (use?.onError === 'abort unless UNIMPLEMENTED' || use?.onError === 'UNIMPLEMENTED is fine');
    if (tolerated) continue;
    // A framework may do the same with other functions than the harness.
    const everyday =
      name === undefined || use === undefined ? STAGE_MOMENTS[stage] : calledAt(chosen, name, use, plugin);
    if (everyday === undefined) continue;
    if (name !== undefined && use && !isCalled(chosen, name, use, 'fails', plugin)) continue;
    const aborts = failure.died || (use !== undefined && ENDS_PROCESS[use.onError]);
    const call = failure.call ?? 'a call';
    return [
      {
        about: call,
        outcome: aborts ? 'aborts' : 'refuses',
        moment: stage === 'error' ? STAGE_MOMENTS.error : everyday,
        reason: failure.died
          ? `the process dies in ${call}`
          : `${call} returns ${failure.code ?? 'an error'}${aborts ? ', which ends the process' : ''}`,
        ...(failure.died ? {} : { message: failure.message }),
        facts: [
          `seen by acting as a consumer built against API 0.${release.minor}, with the sizes of its structs${withOptions(release)}`,
        ],
      },
    ];
  }
  return [];
}

/** Only of a client that they were sent for. */
const withOptions = ({ createOptions }: Release): string =>
  createOptions === undefined ? '' : ` and the create option ${Object.keys(createOptions).join(', ')}`;

const sameFailure = (a: NoClient, b: NoClient): boolean => a.code === b.code && a.ended === b.ended;

/** Before 0.5.0 JAX, and what was built beside it, asked for the attributes with other means or tolerated their absence. */
const attributesAsked = (release: Release): boolean => release.minor >= 64;
