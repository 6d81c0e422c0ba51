import { readFileSync } from 'node:fs';
import { readFixture } from '../../base/fixtures.ts';
import { systemReason } from '../../base/system-reason.ts';
import { type Parameter, ProgramError, type TensorType } from './program.ts';

/** A file in the index. */
export interface IndexedFile {
  file: string;
  sha256: string;
  bytes: number;
}

/** One encoding of a portable artifact: stored as for the first of its versions. */
interface IndexedArtifact extends IndexedFile {
  /** The versions whose serialization differs only in the version number, oldest first. */
  versions: string[];
}

/** One line of `fixtures/programs/index.json`. */
export interface IndexEntry extends IndexedFile {
  name: string;
  about: string;
  bad?: true;
  inputs?: Parameter[];
  outputs?: TensorType[];
  replicas?: number;
  partitions?: number;
  /** The programs whose parameters and results it has one after the other. */
  members?: string[];
  interpreter?: string;
  artifacts?: IndexedArtifact[];
}

/** `fixtures/programs/index.json`: written by `tools/programs/generate.py`, never by hand. */
interface ProgramIndex {
  formatVersion: number;
  /** Versions of what generated it. */
  tools: Record<string, string>;
  /** The StableHLO versions that programs are offered at, oldest first. */
  ladder: string[];
  programs: IndexEntry[];
}

const INDEX = 'programs/index.json';

/** Reads the index of the package, or another one from disk. */
export function readIndex(path?: string): ProgramIndex {
  let index: ProgramIndex;
  try {
    index = JSON.parse((path === undefined ? readFixture(INDEX) : readFileSync(path)).toString());
  } catch (error) {
    throw new ProgramError(`${path ?? INDEX}: cannot read the index of programs: ${systemReason(error)}`);
  }
  if (index.formatVersion !== 1) {
    throw new ProgramError(
      `${path ?? INDEX}: format version ${index.formatVersion}, expected 1; the package's files do not belong together`,
    );
  }
  return index;
}
