import type { Environment } from '../../base/environment.ts';
import { isSuspect } from '../../host/plugins/environment-advice.ts';
import type { EnvironmentAdvice } from '../../model/plugin.ts';
import { type Finding, finding } from './finding.ts';

const SHOWN = 200;

/**
 * Variables that may be why a client cannot be had, and those that are set besides.
 * @param failed whether anything needs a reason
 */
export function environmentFindings(
  entries: readonly EnvironmentAdvice[],
  env: Environment,
  failed: boolean,
): Finding[] {
  const suspects = failed ? entries.filter((entry) => isSuspect(entry, env)) : [];
  const others = entries.filter(({ name }) => env[name] !== undefined && !suspects.some((s) => s.name === name));
  const findings = suspects.map(({ name, about, advice }) => {
    const evidence = [`${name}: ${about}`, ...(env[name] === undefined ? [] : [shown(name, env)])];
    const what = env[name] === undefined ? `${name} is not set` : `${name} is set`;
    return finding('environment', 'warning', what, evidence, advice);
  });
  if (others.length === 0) return findings;
  const evidence = others.map(({ name, about }) => `${shown(name, env)} (${about})`);
  const what = `${others.length === 1 ? 'a relevant variable is' : `${others.length} relevant variables are`} set`;
  return [...findings, finding('environment', 'info', what, evidence)];
}

const shown = (name: string, env: Environment): string => {
  const value = env[name] ?? '';
  return `${name}=${value.length > SHOWN ? `${value.slice(0, SHOWN)}…` : value}`;
};
