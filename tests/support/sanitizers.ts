import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';
import { buildOnToyWith } from './hostile.ts';

/** Compilers whose runtimes tests know. */
export type Compiler = 'gcc' | 'clang';

/** What `-fsanitize=` takes, and a file of its runtime. */
const SANITIZERS = {
  address: { gcc: 'libasan.so', clang: 'libclang_rt.asan-x86_64.so' },
  undefined: { gcc: 'libubsan.so', clang: 'libclang_rt.ubsan_standalone-x86_64.so' },
  thread: { gcc: 'libtsan.so', clang: 'libclang_rt.tsan-x86_64.so' },
  leak: { gcc: 'liblsan.so', clang: 'libclang_rt.lsan-x86_64.so' },
} as const;

export type SanitizerFlag = keyof typeof SANITIZERS;

/**
 * Whether a compiler is here with the runtimes of sanitizers, and Node.js starts with them: with that of Clang 14's ThreadSanitizer it
 * dies with SIGSEGV.
 */
export function hasRuntime(compiler: Compiler, flags: readonly SanitizerFlag[]): boolean {
  return flags.every((flag) => {
    try {
      const file = `-print-file-name=${SANITIZERS[flag][compiler]}`;
      const path = execFileSync(compiler, [file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
      if (!isAbsolute(path) || !existsSync(path)) return false;
      const env = {
        ...process.env,
        LD_PRELOAD: path,
        ASAN_OPTIONS: 'detect_leaks=0',
        LSAN_OPTIONS: 'detect_leaks=0',
        TSAN_OPTIONS: 'exitcode=0',
      };
      return spawnSync(process.execPath, ['-e', '0'], { env }).status === 0;
    } catch {
      return false;
    }
  });
}

/** Builds the plugin of fixtures/sanitizers with sanitizers. @returns its path */
export const buildSanitized = (compiler: Compiler, flags: readonly SanitizerFlag[]): Promise<string> =>
  buildOnToyWith(
    packagePath('fixtures', 'sanitizers', 'plugin.c'),
    packagePath('build', 'sanitizers', `${compiler}-${flags.join('-')}.so`),
    { compiler, flags: [`-fsanitize=${flags.join(',')}`, '-fno-omit-frame-pointer'] },
  );
