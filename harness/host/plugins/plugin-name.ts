/** Suffixes of shared libraries on systems with PJRT plugins. */
const LIBRARY_SUFFIXES: readonly string[] = ['.so', '.dylib', '.dll'];

const MANIFEST_SUFFIXES: readonly string[] = ['.json', '.yaml', '.yml'];

const hasSuffix = (file: string, suffixes: readonly string[]): boolean =>
  suffixes.some((suffix) => file.endsWith(suffix));

/** Whether a file name looks like a shared library, including versioned names (`libfoo.so.1`). */
export const isLibraryName = (file: string): boolean => hasSuffix(file, LIBRARY_SUFFIXES) || /\.so(\.\d+)+$/.test(file);

/** Whether a file name looks like a manifest. */
export const isManifestName = (file: string): boolean => hasSuffix(file, MANIFEST_SUFFIXES);

/** The name by the RFC's convention `pjrt-plugin-<name>.so` (or `.json`); undefined for other file names. */
export const pluginNameOf = (file: string): string | undefined =>
  /^pjrt-plugin-([A-Za-z0-9][A-Za-z0-9._-]*?)(?:\.(?:so|dylib|dll|json|ya?ml)|\.so(?:\.\d+)+)$/.exec(file)?.[1];

/** A name for a library outside the convention: its file name without suffix. */
export const stemOf = (file: string): string =>
  file.replace(/(\.so(\.\d+)*|\.dylib|\.dll|\.json|\.ya?ml)$/, '') || file;

/** The library beside a manifest that names none: same stem, this system's suffix first. */
export const siblingLibraries = (manifestFile: string, platform: string): string[] => {
  const preferred = platform === 'darwin' ? '.dylib' : platform === 'win32' ? '.dll' : '.so';
  const stem = manifestFile.replace(/\.(json|ya?ml)$/, '');
  return [preferred, ...LIBRARY_SUFFIXES.filter((suffix) => suffix !== preferred)].map((suffix) => stem + suffix);
};

/** Whether `--plugin` means a path, which has a slash or the suffix of a library or manifest. Everything else is a name. */
export const looksLikePath = (spec: string): boolean =>
  /[/\\]/.test(spec) || spec === '.' || spec === '..' || isLibraryName(spec) || isManifestName(spec);

/** Splits `name=path`. */
export const splitNamedPath = (spec: string): { name: string; path: string } | undefined => {
  const match = /^([A-Za-z0-9][A-Za-z0-9._-]*)=(.+)$/s.exec(spec);
  return match === null ? undefined : { name: match[1] ?? '', path: match[2] ?? '' };
};
