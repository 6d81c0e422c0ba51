/** Directories of users and of build machines, which exist elsewhere by accident, or because they were made on purpose. */
const OF_BUILDS =
  /^\/(?:home|root|tmp|var\/tmp|Users|build|builds|workspace|github|__w|b|proc\/self\/cwd)(?:\/|$)|\/(?:bazel-out|execroot|CMakeFiles|_deps)(?:\/|$)/;

/** What is wrong with a directory in which the loader is to search for the libraries that a library needs. */
export function searchPathFlaw(path: string): string | undefined {
  if (/^\$(?:ORIGIN|\{ORIGIN\})(?:\/|$)/.test(path)) return undefined;
  if (!path.startsWith('/')) return 'is relative to the working directory of the process';
  return OF_BUILDS.test(path) ? 'is a directory of the machine that it was built on' : undefined;
}
