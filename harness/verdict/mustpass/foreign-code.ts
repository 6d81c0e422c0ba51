import type { Environment } from '../../base/environment.ts';

/** Something that lets code of others into every process of the harness, where it can change what a run says. */
export interface ForeignCode {
  /** The variable, or `an option of Node`. */
  name: string;
  what: string;
}

/** Variables that name code for the loader of the system, for Node, or for the library that Node is linked with. */
const LOADERS: Readonly<Record<string, string>> = {
  LD_PRELOAD: 'libraries that the loader maps first',
  LD_AUDIT: 'libraries that the loader asks',
  DYLD_INSERT_LIBRARIES: 'libraries that the loader maps first',
  NODE_COMPILE_CACHE: 'compiled code that Node runs in place of its sources',
  OPENSSL_CONF: 'a configuration that can name libraries',
};

/** Options of Node that change limits and what it prints. Of any other, as of an unknown one, nothing is said. */
const HARMLESS =
  /^--(?:max-(?:old-space|semi-space|new-space|heap|http-header)-size|stack-trace-limit|v8-pool-size|dns-result-order|disable-warning|title|use-(?:bundled|openssl|system)-ca|(?:no-)?(?:warnings|deprecation|experimental-warning|enable-source-maps)|enable-source-maps|trace-(?:warnings|deprecation|uncaught|exit|sigint)|unhandled-rejections|throw-deprecation|pending-deprecation)(?:=.*)?$/;

const unknownOption = (words: readonly string[]): string | undefined =>
  words.find((word) => !HARMLESS.test(word.replace(/^[^=]+/, (name) => name.replaceAll('_', '-'))));

/**
 * What can replace the harness in its own processes.
 * @param env variables of its processes
 * @param nodeArgv options of Node on its command line
 */
export function foreignCode(env: Environment, nodeArgv: readonly string[] = []): ForeignCode[] {
  const found = Object.entries(LOADERS).flatMap(([name, what]) => (env[name] ? [{ name, what }] : []));
  const said = (name: string, words: readonly string[]): void => {
    const option = unknownOption(words);
    if (option !== undefined) found.push({ name, what: `${option.split('=')[0]}, which can load code` });
  };
  said('NODE_OPTIONS', env.NODE_OPTIONS?.split(/\s+/).filter(Boolean) ?? []);
  said('an option of Node', nodeArgv);
  return found;
}

/** In one line. */
export const foreignWords = (found: readonly ForeignCode[]): string =>
  found.map(({ name, what }) => `${name} (${what})`).join(', ');
