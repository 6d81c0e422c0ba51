import { withFile } from '../../../knowledge/binary/byte-source.ts';
import { readElfFile } from '../../../knowledge/binary/elf-file.ts';
import { searchPathFlaw } from '../../../knowledge/binary/search-paths.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { probe } from '../probe.ts';

/** Where the loader searches for needed libraries: beside the plugin, or where systems keep libraries. */
export const librarySearchPaths = probe('library-search-paths', {}, (context) => {
  const elf = withFile(context.plugin.path, readElfFile);
  if (elf.machine === 0) throw new NotSupported('the library is no ELF file');
  const lists = { RPATH: elf.rpath ?? [], RUNPATH: elf.runpath ?? [] };
  for (const [name, paths] of Object.entries(lists)) {
    const flaws = [...new Set(paths)].flatMap((path) => {
      const flaw = searchPathFlaw(path);
      return flaw === undefined ? [] : [`${JSON.stringify(path)} ${flaw}`];
    });
    if (flaws.length === 0) continue;
    context.report({
      type: 'pjrt.AssertionFailed',
      message: `${flaws.length} of the directories in the ${name} of the library cannot be relied on elsewhere`,
      detail: flaws.slice(0, 8).join('\n'),
    });
  }
});
