/**
 * What a plugin says is wrong when it refuses to start, in its error or on stderr. Nothing but its words says it, so they are
 * read where they arrive, by this function alone.
 */
export const refusalProblem = (said: string): { problem?: 'in-use' } =>
  /in use|lock/i.test(said) ? { problem: 'in-use' } : {};
