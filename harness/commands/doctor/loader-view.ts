import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { withFile } from '../../knowledge/binary/byte-source.ts';
import { type ElfFile, elfFileIn } from '../../knowledge/binary/elf-file.ts';
import type { LoaderView } from './library-search.ts';

/** Beside these, distributions have their own, which are in the cache. */
const TRUSTED = ['/lib64', '/usr/lib64', '/lib', '/usr/lib'];
const LDCONFIG = ['/sbin/ldconfig', '/usr/sbin/ldconfig'];

/** The loader's view of this machine. Nothing is loaded or executed but ldconfig, which lists the cache. */
export function loaderView(env: NodeJS.ProcessEnv): LoaderView {
  const read = new Map<string, ElfFile | undefined>();
  return {
    read: (path) => {
      if (!read.has(path)) read.set(path, readLibrary(path));
      return read.get(path);
    },
    cache: parseCache(listCache()),
    libraryPath: env.LD_LIBRARY_PATH,
    trusted: TRUSTED,
  };
}

/** Paths by name from the output of `ldconfig -p`. */
export function parseCache(listing: string): Map<string, string[]> {
  const cache = new Map<string, string[]>();
  for (const [, name, path] of listing.matchAll(/^\s+(\S+) \(.*\) => (.+)$/gm)) {
    cache.set(name!, [...(cache.get(name!) ?? []), path!]);
  }
  return cache;
}

function listCache(): string {
  for (const command of LDCONFIG) {
    try {
      return execFileSync(command, ['-p'], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
        maxBuffer: 64 << 20,
      });
    } catch {
      // Not there, as with musl: nothing is in a cache then.
    }
  }
  return '';
}

function readLibrary(path: string): ElfFile | undefined {
  try {
    // A pipe or a device would block.
    if (!statSync(path).isFile()) return undefined;
    return withFile(path, elfFileIn);
  } catch {
    return undefined;
  }
}
