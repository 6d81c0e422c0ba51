import { lstatSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pauseFor } from 'node:timers/promises';
import { tallied } from '../../../base/grouping.ts';
import { filesIn, scratchDirectory } from '../../../base/scratch.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import type { CaseContext } from '../../steps/context.ts';
import { lacksHelper } from '../../steps/outcome.ts';
import { probe } from '../probe.ts';
import { work } from './traces-of-work.ts';

/** Where every program of a machine puts files. */
const SHARED = ['/tmp', '/var/tmp', '/dev/shm'];
/** Directories of a home that are for what a program keeps. */
const KEEPING = ['.cache', '.config', '.local'];
const TIMES = 3;

/**
 * A client is made, used and destroyed while the process has a home of its own: afterwards there is nothing in it but what is
 * in directories for that, and nothing new in those that all programs share. What other programs leave there meanwhile
 * does not count: a file is the plugin's if it has the number of this process in its name, or if files of such a name appear as
 * often as the plugin works, and never while it does not.
 */
export const tracesElsewhere = probe('traces-elsewhere', {}, async (context) => {
  const home = scratchDirectory('home', { furnish: (made) => mkdirSync(join(made, '.cache')) });
  const { HOME: before } = process.env;
  try {
    process.env.HOME = home;
    const left = await leftBehind(context);
    const inHome = filesIn(home).filter((name) => !KEEPING.includes(name));
    report(context, inHome, 'home');
    report(context, left, 'shared');
  } finally {
    if (before === undefined) delete process.env.HOME;
    else process.env.HOME = before;
    rmSync(home, { recursive: true, force: true });
  }
});

const PLACES = { home: 'the home directory', shared: 'directories that all programs share' } as const;

function report(context: CaseContext, files: readonly string[], place: keyof typeof PLACES): void {
  if (files.length === 0) return;
  context.report({
    type: 'pjrt.ResourceLeak',
    level: 'should',
    message: `after its client was destroyed, ${files.length} files are left in ${PLACES[place]}`,
    place,
    detail: files.slice(0, 10).join('\n'),
    requirements: ['HYG-FIL-003'],
  });
}

/** What the plugin leaves in the directories that all programs share. */
async function leftBehind(context: CaseContext): Promise<string[]> {
  const started = performance.now();
  const first = await newsAfter(() => attempt(context));
  const took = performance.now() - started;
  const certain = first.filter((path) => new RegExp(`(?<!\\d)${process.pid}(?!\\d)`).test(path));
  if (certain.length > 0 || first.length === 0) return certain;
  context.instrument.recording?.beyond('files that are known by their names');
  let shapes = countedShapes(first);
  for (let time = 1; time < TIMES && shapes.size > 0; time++) {
    const idle = countedShapes(await newsAfter(() => pauseFor(took)));
    const again = countedShapes(await newsAfter(() => attempt(context)));
    shapes = new Map([...shapes].filter(([shape, count]) => again.get(shape) === count && !idle.has(shape)));
  }
  return first.filter((path) => shapes.has(shapeOf(path)));
}

const attempt = (context: CaseContext): void => {
  try {
    work(context, 1);
  } catch (error) {
    if (!(error instanceof PjrtError)) throw error;
    throw lacksHelper(error);
  }
};

/** Entries of the shared directories that belong to this user. */
const listing = (): Set<string> =>
  new Set(
    SHARED.flatMap((directory) => filesIn(directory).map((name) => join(directory, name))).filter(
      (path) => lstatSync(path, { throwIfNoEntry: false })?.uid === process.getuid?.(),
    ),
  );

async function newsAfter(run: () => unknown): Promise<string[]> {
  const before = listing();
  await run();
  return [...listing()].filter((path) => !before.has(path));
}

/** A path without what differs each time: numbers, and the six characters that mkstemp chooses. */
const shapeOf = (path: string): string => path.replace(/[A-Za-z0-9]{6}$/, '?').replaceAll(/[0-9a-f]{8,}|\d+/g, '#');

const countedShapes = (paths: readonly string[]): Map<string, number> => tallied(paths.map(shapeOf));
