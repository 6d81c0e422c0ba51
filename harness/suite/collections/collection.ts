/** Cases that are made from files of the user instead of YAML. */
import type { LoadedSuite } from '../load.ts';
import { programsDirectory } from './programs-directory.ts';
import { stablehloCorpus } from './stablehlo-corpus.ts';

/** Where they come from. Plain data: the log records it, and a resumed run makes the same cases. */
export type Collection = ProgramsCollection | CorpusCollection;

/** A directory of programs with inputs and expected outputs. */
interface ProgramsCollection {
  kind: 'programs';
  directory: string;
  /** Changes the inputs that are generated for programs without files of inputs; default 0. */
  seed?: number;
  /** Another plugin, as for `--plugin`: its outputs are the expectations of programs without files of outputs. */
  oracle?: string;
}

/** The recorded tests in a checkout of StableHLO. */
interface CorpusCollection {
  kind: 'corpus';
  directory: string;
  seed?: never;
  oracle?: never;
}

/** The suites of a collection. @param cwd base of relative paths @throws SuiteError with every problem of every file */
export async function collect(collection: Collection, cwd: string): Promise<LoadedSuite[]> {
  if (collection.kind === 'corpus') return stablehloCorpus(collection.directory, cwd);
  return await programsDirectory(collection, cwd);
}
