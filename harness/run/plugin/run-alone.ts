import type { CommandEnvironment } from '../../base/environment.ts';
import type { RunPlan } from '../../host/run-plan.ts';
import { runPlan } from '../../host/runner.ts';
import type { Event } from '../../model/events.ts';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import type { Case } from '../../suite/types.ts';
import { explainLoad } from './load-hint.ts';
import { startFacts, wirePlugin, workerEnv } from './plugin-setup.ts';

/** What differs from one such run to another; by default it has one worker, and clients of the plugin's own version. */
type How = Pick<RunPlan, 'binding' | 'deadlines'> & Partial<RunPlan>;

/** Runs cases on one plugin for what they show: no log, no reports, no verdict. Never throws because of the plugin. */
export const runAlone = (
  plugin: ResolvedPlugin,
  cases: readonly Case[],
  { cwd, env, signal }: Pick<CommandEnvironment, 'cwd' | 'env' | 'signal'>,
  how: How,
  emit: (event: Event) => void,
): Promise<void> =>
  runPlan(
    {
      cases,
      plugins: [wirePlugin(plugin)],
      facts: [startFacts(plugin)],
      cwd,
      env: workerEnv(env, [plugin]),
      caller: {},
      clients: true,
      workers: 1,
      explainLoad,
      annotate: (_, result) => result,
      signal,
      ...how,
    },
    emit,
  );
