import type { PluginView } from '../plugin-view.ts';
import { MOMENTS, type Prediction } from '../prediction.ts';
import type { Release } from '../types.ts';
import type { Gaps, NamedTrouble } from './trouble.ts';

const SEVERITY = { aborts: 0, refuses: 1, wrong: 2, limits: 3 } as const;

/** The problem that a user meets first decides; later ones are limits. */
export function conclude(
  troubles: readonly NamedTrouble[],
  gaps: Gaps,
  release: Release,
  { noClient }: PluginView,
): Prediction {
  const ordered = [...troubles].sort(
    (a, b) =>
      MOMENTS.indexOf(a.moment) - MOMENTS.indexOf(b.moment) ||
      Number(b.beforeCalls ?? false) - Number(a.beforeCalls ?? false) ||
      SEVERITY[a.outcome] - SEVERITY[b.outcome],
  );
  const fatal = ordered.find((t) => t.outcome !== 'limits');
  const byText = new Map(ordered.filter((t) => t !== fatal).map((t) => [`${t.moment}: ${t.reason}`, t]));
  const limits = [...byText.keys()];
  const limitFacts = [...byText.values()].map(({ moment, about, outcome }) => ({ moment, about, outcome }));
  const based = `${release.version}: ${release.status}`;
  const facts = [...new Set([...(fatal ? fatal.facts : []), ...ordered.flatMap((t) => t.facts)]), based];
  const functions = gaps.functions.length === 0 ? [] : [`functions: ${gaps.functions.join(', ')}`];
  const session =
    'a session: client, devices, transfer, compilation, execution and error; repeat this on a machine with the device';
  const untried = [...(noClient ? [session] : []), ...gaps.sessions, ...functions];
  const refusal = noClient && [noClient.code, noClient.message.split('\n', 1)[0]].filter(Boolean).join(': ');
  const remarks = { limits, limitFacts, facts, untried, noClient: refusal };
  if (fatal) {
    return { outcome: fatal.outcome, moment: fatal.moment, reason: fatal.reason, message: fatal.message, ...remarks };
  }
  if (refusal !== undefined) {
    return {
      outcome: 'unknown',
      moment: 'client creation',
      reason: `the plugin creates no client here (${refusal}); everything that can be checked without one is fine`,
      message: refusal,
      ...remarks,
    };
  }
  if (untried.length > 0) return { outcome: 'unknown', reason: `not tried: ${untried[0]}`, ...remarks };
  if (limits.length > 0) return { outcome: 'limits', reason: limits[0]!, ...remarks };
  return { outcome: 'works', reason: 'nothing that it needs is missing', ...remarks };
}
