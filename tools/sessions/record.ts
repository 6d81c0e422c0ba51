/**
 * `npm run record:sessions`: records small scripts with releases of JAX on the reference plugin, for `replay jax@VERSION`.
 * Nothing in a recording is of this machine: paths are those of a temporary directory, and source files have no directories.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';
import { scratchDirectory } from '../../harness/base/scratch.ts';
import { packTrace } from '../../harness/knowledge/trace/pack-trace.ts';
import { SESSIONS, sessionFile } from '../../harness/knowledge/trace/session-files.ts';
import { pythonWithJax } from '../../tests/support/jax.ts';
import { resolveHere } from '../resolve-here.ts';

const RELEASES = ['0.6.2', '0.10.2', '0.12.0.1'];
const SCRIPTS = ['tests/record/train.py', 'tools/sessions/kinds.py', 'tools/sessions/devices.py'];
/** The oldest version in which JAX can write these programs. */
const STABLEHLO = '1.0.0';

const { library } = await resolveHere('reference');
const directory = scratchDirectory('sessions');
const plugin = join(directory, basename(library));
copyFileSync(library, plugin);
mkdirSync(SESSIONS, { recursive: true });
for (const release of RELEASES) {
  const python = pythonWithJax(release);
  for (const script of SCRIPTS) {
    const name = `jax-${release}-${basename(script, '.py')}`;
    copyFileSync(packagePath(script), join(directory, basename(script)));
    const options = ['--contents', 'every', '--stablehlo', STABLEHLO, '--no-views'];
    execFileSync(
      process.execPath,
      [packagePath('dist', 'cli', 'main.js'), 'record', '-o', name, ...options, '--', python, basename(script)],
      {
        cwd: directory,
        env: {
          PATH: process.env.PATH,
          HOME: directory,
          JAX_PLATFORMS: 'reference',
          PJRT_NAMES_AND_LIBRARY_PATHS: `reference:${plugin}`,
          JAX_HLO_SOURCE_FILE_CANONICALIZATION_REGEX: '.*/',
        },
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    );
    const output = sessionFile(name);
    rmSync(output, { force: true });
    const { packedBytes } = await packTrace({
      directory: join(directory, name),
      shown: name,
      output,
      shownOutput: output,
    });
    process.stdout.write(`${name}: ${packedBytes} bytes\n`);
  }
}
rmSync(directory, { recursive: true });
