import type { Surroundings } from './surroundings.ts';

/** Whether to colour the output: https://no-color.org, FORCE_COLOR, else on a terminal only. */
export function wantsColor({ env, stdout }: Surroundings): boolean {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0') return true;
  return stdout.isTTY === true;
}
