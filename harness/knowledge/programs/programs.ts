import { distance } from 'fastest-levenshtein';
import { readFixture } from '../../base/fixtures.ts';
import { systemReason } from '../../base/system-reason.ts';
import { type ArtifactInfo, type Program, ProgramError } from './program.ts';
import { isProgramFile, readProgramFile } from './program-file.ts';
import { type IndexEntry, readIndex } from './program-index.ts';
import { compareVersions, parseVersion, stampVersion } from './stablehlo-version.ts';

let index: Map<string, IndexEntry> | undefined;
const loaded = new Map<string, Program>();

function entries(): Map<string, IndexEntry> {
  index ??= new Map(readIndex().programs.map((entry) => [entry.name, entry]));
  return index;
}

/** Names of all programs, sorted, including invalid ones. */
export function programNames(): string[] {
  return [...entries().keys()];
}

/** The programs of which a program consists, by its name. */
export const programMembers = (): ReadonlyMap<string, readonly string[]> =>
  new Map([...entries()].flatMap(([name, { members }]) => (members ? [[name, members]] : [])));

/** The program with this name, or in the file of this absolute path; a wrong name gets suggestions. */
export function loadProgram(name: string): Program {
  if (isProgramFile(name)) return readProgramFile(name);
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const entry = entries().get(name);
  if (entry === undefined) throw new ProgramError(unknownName(name));
  const program = toProgram(entry);
  loaded.set(name, program);
  return program;
}

function toProgram(entry: IndexEntry): Program {
  const artifacts: ArtifactInfo[] = (entry.artifacts ?? [])
    .flatMap(({ file, versions }) => versions.map((version) => ({ version, file })))
    .sort((a, b) => compareVersions(parseVersion(a.version), parseVersion(b.version)));
  const contents = new Map<string, Uint8Array>();
  const read = (file: string): Uint8Array => {
    let bytes = contents.get(file);
    if (bytes === undefined) {
      bytes = contentsOf(entry.name, file);
      contents.set(file, bytes);
    }
    return bytes;
  };
  return {
    name: entry.name,
    about: entry.about,
    bad: entry.bad === true,
    file: entry.file,
    inputs: entry.inputs ?? [],
    outputs: entry.outputs ?? [],
    replicas: entry.replicas ?? 1,
    partitions: entry.partitions ?? 1,
    interpreter: entry.interpreter,
    artifacts,
    bytes: () => read(entry.file),
    text: () => {
      if (!entry.file.endsWith('.mlir')) {
        throw new ProgramError(`program '${entry.name}' has no StableHLO text: it is the artifact ${entry.file}`);
      }
      return new TextDecoder().decode(read(entry.file));
    },
    artifact: (version) => {
      const info = artifacts.find((a) => a.version === version);
      if (info === undefined) {
        const offered = artifacts.map((a) => a.version).join(', ') || 'none';
        throw new ProgramError(`program '${entry.name}' has no artifact at StableHLO ${version}; it has ${offered}`);
      }
      return stampVersion(read(info.file), version);
    },
  };
}

function contentsOf(name: string, file: string): Uint8Array {
  try {
    return readFixture(file);
  } catch (error) {
    throw new ProgramError(`program '${name}': cannot read ${file}: ${systemReason(error)}; the package is incomplete`);
  }
}

/** Closest names first by edit distance; a name without group also finds those programs in any group. */
function unknownName(name: string): string {
  const near = programNames()
    .map((candidate) => {
      const bare = candidate.slice(candidate.indexOf('/') + 1);
      return { candidate, far: Math.min(distance(name, candidate), name.includes('/') ? 99 : distance(name, bare)) };
    })
    .filter(({ far }) => far <= Math.max(2, name.length / 3))
    .sort((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({ candidate }) => `'${candidate}'`);
  const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'fixtures/programs/index.json lists all names';
  return `no program is named '${name}'; ${hint}`;
}
