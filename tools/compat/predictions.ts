import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';
import type { ResolvedPlugin } from '../../harness/model/plugin.ts';
import { examine } from '../../harness/run/plugin/examine.ts';
import { examineData } from '../../harness/run/plugin/examine-data.ts';
import type { Ability } from '../../harness/verdict/abilities.ts';
import { findRelease, loadFramework } from '../../harness/verdict/frameworks/load.ts';
import type { PluginView, Stage } from '../../harness/verdict/frameworks/plugin-view.ts';
import { predict } from '../../harness/verdict/frameworks/predict/predict.ts';
import type { Prediction } from '../../harness/verdict/frameworks/prediction.ts';

const jax = loadFramework('jax');

/** The facts about a plugin as stored in a file, or why there are none. */
export type StoredView =
  | { failure: string }
  | {
      view: Omit<PluginView, 'abilities' | 'session'> & {
        abilities: [string, Ability][];
        sessions: [number, readonly Stage[]][];
      };
    };

/**
 * Inspects a plugin as `compat` does. Every release of JAX that is checked later must be among `releases`.
 */
export async function viewOf(
  plugin: ResolvedPlugin,
  env: NodeJS.ProcessEnv,
  releases: readonly string[],
): Promise<StoredView> {
  const minors = [...new Set(releases.map((version) => findRelease(jax, version)!.minor))];
  const { stdout, stderr } = process;
  const around = { cwd: process.cwd(), env, argv: [], stdout, stderr, signal: new AbortController().signal };
  const how = { binding: 'lazy', deadlines: {} } as const;
  const seen = await examine(
    how,
    around,
    plugin,
    minors.map((minor) => ({ minor })),
    () => {},
  );
  if ('interrupted' in seen) throw new Error('interrupted');
  if ('failure' in seen) return seen;
  const chosen = releases.map((version) => ({ framework: jax, release: findRelease(jax, version)! }));
  const dataFailures = seen.view.noClient ? [] : await examineData(how, around, plugin, chosen, () => {});
  const { abilities, session, ...rest } = seen.view;
  return {
    view: {
      ...rest,
      dataFailures,
      abilities: [...abilities],
      sessions: minors.map((minor) => [minor, session({ minor })!]),
    },
  };
}

/** The prediction of `compat` for a release of JAX; undefined if the plugin cannot be loaded. */
export function predictionOf(stored: StoredView, release: string): Prediction | undefined {
  if ('failure' in stored) return undefined;
  const { abilities, sessions, ...rest } = stored.view;
  const view: PluginView = {
    ...rest,
    abilities: new Map(abilities),
    session: ({ minor }) => sessions.find(([of]) => of === minor)?.[1],
  };
  return predict(jax, findRelease(jax, release)!, view);
}

/** Of the harness, what only interprets the facts, and tests. */
const OTHERS = /^(?:cli|report|verdict\/frameworks\/predict)\/|\.test\./;

/** Everything that the facts depend on: the harness without the parts that only interpret them, and the suites. */
export function harnessDigest(): string {
  const root = packagePath('harness');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:ts|json)$/.test(file) && !OTHERS.test(file))
    .sort();
  const hash = createHash('sha256').update(readFileSync(packagePath('dist', 'suites.json')));
  for (const file of files) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}
