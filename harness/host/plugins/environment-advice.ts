import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Environment } from '../../base/environment.ts';
import { packagePath } from '../../base/paths.ts';
import type { EnvironmentAdvice, Manifest } from '../../model/plugin.ts';

/** Variables that matter for every plugin, from plugins/environment.yaml, which tests validate. */
export const generalEnvironment = (): EnvironmentAdvice[] =>
  (parse(readFileSync(packagePath('plugins', 'environment.yaml'), 'utf8')) as { environment: EnvironmentAdvice[] })
    .environment;

/** Advice on a plugin's environment; its own entries precede general ones with the same name. */
export function environmentOf(manifest: Manifest | undefined): EnvironmentAdvice[] {
  const own = manifest?.environment ?? [];
  return [...own, ...generalEnvironment().filter(({ name }) => !own.some((entry) => entry.name === name))];
}

/** Whether a variable may be the reason why no client can be created. */
export function isSuspect({ name, suspect }: EnvironmentAdvice, env: Environment): boolean {
  const value = env[name];
  if (suspect === undefined) return false;
  if (suspect === 'unset') return value === undefined;
  if (value === undefined) return false;
  return suspect === 'set' ? value !== '' : new RegExp(suspect.matches).test(value);
}
