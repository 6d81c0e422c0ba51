import type { Environment } from '../../base/environment.ts';
import type { EnvironmentAdvice } from '../../model/plugin.ts';

/** Logging variables, as `--debug` treats them. */
export interface DebugVariables {
  /** Variables to set. */
  set: EnvironmentAdvice[];
  /** Variables that the user has set, which stay. */
  yours: EnvironmentAdvice[];
  /** Other options, as text. */
  more: EnvironmentAdvice[];
}

/** Classifies the known logging variables of plugins by what the user has set. */
export function debugVariables(advice: readonly EnvironmentAdvice[], env: Environment): DebugVariables {
  const logging = advice.filter(({ debug, example }) => debug !== undefined || example !== undefined);
  const isSet = ({ name }: EnvironmentAdvice): boolean => env[name] !== undefined;
  return {
    set: logging.filter((entry) => entry.debug !== undefined && !isSet(entry)),
    yours: logging.filter(isSet),
    more: logging.filter((entry) => entry.debug === undefined && !isSet(entry)),
  };
}
