import { sharedPython } from '../../base/python.ts';
import { withFile } from '../../knowledge/binary/byte-source.ts';
import { elfFileIn } from '../../knowledge/binary/elf-file.ts';
import { pythonUse } from '../../knowledge/binary/python-use.ts';
import type { EmbeddedPython, ResolvedPlugin } from '../../model/plugin.ts';

/** The process in which a plugin runs: with a Python, or of Node.js alone. */
export type HostProcess = 'python' | 'node';

/** The Python that a plugin is to have in its process. @param asked by the user; default: what manifest and file say */
export function pythonOf(
  { library, manifest }: Pick<ResolvedPlugin, 'library' | 'manifest'>,
  asked: HostProcess | undefined,
): EmbeddedPython | undefined {
  if (asked === 'node' || (asked === undefined && manifest?.python === false)) return undefined;
  const elf = withFile(library, elfFileIn);
  const use = elf && pythonUse(elf);
  const why =
    asked === 'python'
      ? 'asked for by --host python'
      : manifest?.python
        ? `its manifest says so`
        : use && `it calls ${some(use.functions)} and starts no Python`;
  if (why === undefined) return undefined;
  const found = sharedPython(/libpython(3\.\d+)/.exec(use?.library ?? '')?.[1]);
  // The loader may know a library that belongs to no command.
  if ('missing' in found && use?.library !== undefined) return { why, library: use.library };
  return { why, ...found };
}

/** What a run says about it. */
export const pythonNote = ({ name, python }: ResolvedPlugin): string | undefined =>
  python?.library &&
  `${name} runs in a process with a Python (${python.library}): ${python.why}; --host node runs it without`;

const some = ([first, ...more]: readonly string[]): string =>
  more.length === 0 ? first! : `${first} and ${more.length} more functions of Python`;
