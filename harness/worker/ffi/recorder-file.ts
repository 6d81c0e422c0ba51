import { packagePath } from '../../base/paths.ts';

/** The library made from recorder.c for a system; there may be none. */
export const recorderFile = (system = `${process.platform}-${process.arch}`): string =>
  packagePath('dist', 'worker', 'ffi', `recorder-${system}.so`);
