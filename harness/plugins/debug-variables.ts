import type { Environment, EnvironmentAdvice } from './types.ts';

/** Variables of logging, as `--debug` treats them. */
export interface DebugVariables {
  /** To be set. */
  set: EnvironmentAdvice[];
  /** What the user has set stays. */
  yours: EnvironmentAdvice[];
  /** What else there is. */
  more: EnvironmentAdvice[];
}

/** Sorts out what is known of the logging of plugins, by what the user has set already. */
export function debugVariables(advice: readonly EnvironmentAdvice[], env: Environment): DebugVariables {
  const logging = advice.filter(({ debug, example }) => debug !== undefined || example !== undefined);
  const isSet = ({ name }: EnvironmentAdvice): boolean => env[name] !== undefined;
  return {
    set: logging.filter((entry) => entry.debug !== undefined && !isSet(entry)),
    yours: logging.filter(isSet),
    more: logging.filter((entry) => entry.debug === undefined && !isSet(entry)),
  };
}
