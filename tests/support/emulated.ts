import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recorderFile } from '../../harness/worker/ffi/recorder-file.ts';

export const EMULATOR = 'qemu-aarch64-static';
/** The C and C++ libraries, where Debian's packages for cross compilers have them. */
const SYSTEM = '/usr/aarch64-linux-gnu';
export const ARM64_COMPILER = 'aarch64-linux-gnu-gcc';

/** Why this machine cannot run the package for linux-arm64; undefined if it can. */
export function whyNoArm64(): string | undefined {
  if (process.arch === 'arm64') return 'this machine is arm64, where all other tests show the same';
  if (spawnSync(EMULATOR, ['--version']).error) return `${EMULATOR} is not here (qemu-user-static)`;
  if (spawnSync(ARM64_COMPILER, ['--version']).error) return `${ARM64_COMPILER} is not here (g++-aarch64-linux-gnu)`;
  if (!existsSync(join(SYSTEM, 'lib', 'libstdc++.so.6'))) return `${SYSTEM} has no libstdc++.so.6`;
  if (!existsSync(recorderFile('linux-arm64'))) return `${recorderFile('linux-arm64')} is not built (npm run build)`;
  return undefined;
}

/**
 * Writes what starts a Node.js for arm64 in the emulator, which the kernel need not know: Node would start its own file again
 * for a worker, so a module that is loaded first starts this script instead.
 * @returns the words of the command
 */
export function emulated(node: string, directory: string): string[] {
  const script = join(directory, 'node-arm64');
  writeFileSync(script, `#!/bin/sh\nexec ${EMULATOR} -L ${SYSTEM} '${node}' "$@"\n`);
  chmodSync(script, 0o755);
  const preload = join(directory, 'workers.cjs');
  writeFileSync(
    preload,
    `const child = require('node:child_process');
const { spawn } = child;
child.spawn = (command, ...rest) => spawn(command === process.execPath ? ${JSON.stringify(script)} : command, ...rest);
require('node:module').syncBuiltinESMExports();
`,
  );
  return [script, '--require', preload];
}
