/**
 * What a plugin says is wrong when it refuses to start, in its error or on stderr. Nothing but its words says it, so they are
 * read where they arrive, by this function alone.
 */
export const refusalProblem = (said: string): { problem?: 'in-use' } =>
  /\bin use\b|\block(?:ed|[ _-]?file)?\b|_lock(?:file)?\b/i.test(said) ? { problem: 'in-use' } : {};
