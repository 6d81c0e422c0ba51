import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchDirectory } from '../../harness/base/scratch.ts';

/** The C compiler to use: $CC, or cc. */
export const COMPILER = process.env.CC ?? 'cc';

/** Does the compiler run at all? */
export function haveCompiler(): boolean {
  return spawnSync(COMPILER, ['--version']).status === 0;
}

/** Compiles a source without output files; returns what the compiler says, an empty string when it accepts. */
export function compilerSays(source: string, flags: readonly string[]): string {
  const directory = scratchDirectory('abi');
  try {
    const file = join(directory, 'check.c');
    writeFileSync(file, source);
    const { status, stderr, error } = spawnSync(COMPILER, ['-fsyntax-only', ...flags, file], { encoding: 'utf8' });
    if (error) return String(error);
    return status === 0 ? stderr : stderr || `${COMPILER} ended with status ${status}`;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
