import { packagePath } from '../../base/paths.ts';

/** The library that records, for LD_PRELOAD, of a system as Node names it; the package may have none for it. */
export const recorderLibrary = (system = `${process.platform}-${process.arch}`): string =>
  packagePath('dist', 'recorder', `pjrt-recorder-${system}.so`);

/** The library that is a plugin itself, and records another one. */
export const recordingPlugin = (system = `${process.platform}-${process.arch}`): string =>
  packagePath('dist', 'recorder', `pjrt-recording-plugin-${system}.so`);
