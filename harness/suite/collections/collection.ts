/** Cases that are made from files of the user instead of YAML. */
import type { LoadedSuite } from '../load.ts';
import type { Window } from './trace-sessions.ts';

/** Where they come from. Plain data: the log records it, and a resumed run makes the same cases. */
export type Collection = ProgramsCollection | CorpusCollection | TraceCollection;

/** A directory of programs with inputs and expected outputs. */
export interface ProgramsCollection {
  kind: 'programs';
  directory: string;
  /** Changes the inputs that are generated for programs without files of inputs; default 0. */
  seed?: number;
  /** Another plugin, as for `--plugin`: its outputs are the expectations of programs without files of outputs. */
  oracle?: string;
  /** Arrays of other element types than their program wants are converted, where no value is lost beyond rounding. */
  convert?: true;
  from?: never;
  to?: never;
}

/** The recorded tests in a checkout of StableHLO. */
interface CorpusCollection {
  kind: 'corpus';
  directory: string;
  from?: never;
  to?: never;
  seed?: never;
  oracle?: never;
  convert?: never;
}

/** What a recording has of plugins, to be done again. */
interface TraceCollection extends Window {
  kind: 'trace';
  directory: string;
  seed?: never;
  oracle?: never;
  convert?: never;
}

/**
 * The suites of a collection. Their readers are loaded on demand.
 * @param cwd base of relative paths
 * @throws SuiteError with every problem of every file
 */
export async function collect(collection: Collection, cwd: string): Promise<LoadedSuite[]> {
  if (collection.kind === 'corpus') {
    const { stablehloCorpus } = await import('./stablehlo-corpus.ts');
    return stablehloCorpus(collection.directory, cwd);
  }
  if (collection.kind === 'trace') {
    const { traceSessions } = await import('./trace-sessions.ts');
    return traceSessions(collection.directory, cwd, collection);
  }
  const { programsDirectory } = await import('./programs-directory.ts');
  return programsDirectory(collection, cwd);
}
