import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';
import { packPackage } from '../build/pack.ts';
import { makePrebuilt } from '../reference/prebuilt.ts';
import { type Step, stepsOf } from './script.ts';

/** The tutorial, relative to the package. */
export const TUTORIAL = 'docs/tutorial.md';

/** A step that was run: exit code, and both streams as a terminal shows them. */
export interface Played {
  step: Step;
  exit: number | null;
  output: string;
}

/** The directory of the reader, as outputs in the tutorial show it. */
const SHOWN_DIRECTORY = '/home/you/foo';

export const readTutorial = (): string => readFileSync(packagePath(TUTORIAL), 'utf8');

/** Runs the steps of the tutorial in an empty directory with the tarball of the package, which must be built. */
export async function play(each: (played: Played) => void = () => {}): Promise<Played[]> {
  await makePrebuilt();
  const scratch = mkdtempSync(join(tmpdir(), 'pjrt-tutorial-'));
  // The name of the directory becomes the name of the npm package.
  const directory = join(scratch, basename(SHOWN_DIRECTORY));
  try {
    packPackage(directory);
    return playSteps(stepsOf(readTutorial()), directory, {}, each);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * Runs the steps of a document in order, in a directory. Stops after a step with another exit code than the document's, because the
 * next steps need it.
 */
export function playSteps(
  steps: readonly Step[],
  directory: string,
  environment: NodeJS.ProcessEnv = {},
  each: (played: Played) => void = () => {},
): Played[] {
  const played: Played[] = [];
  for (const step of steps) {
    const { status, stdout } = spawnSync('bash', ['-ec', `exec 2>&1\n${step.commands}`], {
      cwd: directory,
      encoding: 'utf8',
      env: { ...readerEnvironment(), ...environment },
    });
    const last = { step, exit: status, output: stdout.replaceAll(directory, SHOWN_DIRECTORY) };
    played.push(last);
    each(last);
    if (status !== step.exit) break;
  }
  return played;
}

/** The environment of a reader at a terminal without colors: no CI system, and npm as silent as possible. */
function readerEnvironment(): NodeJS.ProcessEnv {
  const { GITHUB_ACTIONS: _, GITHUB_STEP_SUMMARY: __, ...env } = process.env;
  const npm = { prefer_offline: 'true', audit: 'false', fund: 'false', update_notifier: 'false', loglevel: 'error' };
  return {
    ...env,
    NO_COLOR: '1',
    ...Object.fromEntries(Object.entries(npm).map(([name, value]) => [`npm_config_${name}`, value])),
  };
}
