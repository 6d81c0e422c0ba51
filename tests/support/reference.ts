import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../harness/paths.ts';
import { cacheDirOf } from '../../harness/plugins/cache.ts';
import { resolvePlugin } from '../../harness/plugins/resolve.ts';

/** The library of the reference plugin, built first if these sources have not been built yet. */
export async function referenceLibrary(): Promise<string> {
  const plugin = await resolvePlugin('reference', {
    cwd: process.cwd(),
    env: process.env,
    cacheDir: cacheDirOf(process.env),
    optionArgs: [],
    fetch: true,
  });
  return plugin.library;
}

const COMPILER = process.env.CXX ?? 'g++';
export const SANITIZERS = 'address,undefined';

/** Whether C++ can be compiled and run under sanitizers here. */
export const canSanitize = (): boolean => runtimeOf('asan') !== undefined;

/** Path of a sanitizer's run-time library, which has to be loaded before a library that was built with it. */
function runtimeOf(name: string): string | undefined {
  const { status, stdout } = spawnSync(COMPILER, [`-print-file-name=lib${name}.so`], { encoding: 'utf8' });
  const path = stdout?.trim();
  return status === 0 && path?.startsWith('/') ? path : undefined;
}

const folder = packagePath('build', 'reference-sanitized');

/**
 * Builds the reference plugin with sanitizers. Only what changed is compiled again.
 * @returns the library, and the environment in which a process can load it
 */
export function sanitizedReference(): { library: string; env: Record<string, string> } {
  mkdirSync(folder, { recursive: true });
  const script = packagePath('plugins', 'reference', 'build.sh');
  execFileSync('sh', [script, folder, `--sanitize=${SANITIZERS}`], { stdio: ['ignore', 'ignore', 'inherit'] });
  return {
    library: join(folder, 'pjrt-plugin-reference.so'),
    env: {
      LD_PRELOAD: runtimeOf('asan')!,
      // Node frees nothing at its end. Signals stay with the harness, which tells crashes by them.
      ASAN_OPTIONS: 'detect_leaks=0:handle_segv=0:handle_abort=0:allocator_may_return_null=1:exitcode=77',
      UBSAN_OPTIONS: 'print_stacktrace=1:halt_on_error=1',
    },
  };
}

/**
 * Compiles one of plugins/reference/tests against the sanitized objects and runs it.
 * @returns everything that it printed
 * @throws when it fails, or a sanitizer reports anything
 */
export function runReferenceTest(name: string, args: readonly string[]): string {
  const program = join(folder, name);
  const objects = readdirSync(join(folder, 'obj'))
    .filter((file) => file.endsWith('.o'))
    .map((file) => join(folder, 'obj', file));
  const root = packagePath('plugins', 'reference');
  const flags = ['-std=c++17', '-O1', '-g', '-pthread', '-ffp-contract=off', `-fsanitize=${SANITIZERS}`];
  const include = [`-I${root}`, `-I${join(root, 'generated')}`];
  execFileSync(COMPILER, [...flags, ...include, join(root, 'tests', `${name}.cc`), ...objects, '-o', program]);
  const run = spawnSync(program, args, {
    encoding: 'utf8',
    env: { ...process.env, UBSAN_OPTIONS: 'print_stacktrace=1:halt_on_error=1' },
  });
  if (run.status !== 0)
    throw new Error(`${name}: ${run.signal ?? `exit code ${run.status}`}\n${run.stdout}${run.stderr}`);
  return run.stdout;
}
