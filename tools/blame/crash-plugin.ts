import { packagePath } from '../../harness/base/paths.ts';
import { buildLibrary, filesOf } from '../wrapper/build-library.ts';

/** Builds the library that makes plugins that crash (plugins/crashes). */
export const buildCrashes = (): Promise<string> =>
  buildLibrary({
    target: packagePath('build', 'crashes', 'pjrt-plugin-crashes.so'),
    parts: [{ sources: filesOf(packagePath('plugins', 'crashes'), /\.cc$/), headers: [] }],
  });
