import { Abi, NEWEST_MINOR } from '../../harness/abi/abi.ts';
import { packagePath } from '../../harness/paths.ts';
import { cExtensionHeader } from '../abi/c-extension-header.ts';
import { cHeader } from '../abi/c-header.ts';
import { structSizes } from './struct-sizes.ts';

/** Where the sources of the reference plugin have what is generated for them. */
export const GENERATED = packagePath('plugins/reference/generated');

/** The generated sources by file name. They are committed, so that building the plugin needs a C++ compiler alone. */
export function generatedFiles(): Record<string, string> {
  return {
    'pjrt_c_api.h': cHeader(Abi.at(NEWEST_MINOR)),
    'pjrt_c_extensions.h': cExtensionHeader('pjrt_c_api.h'),
    'struct_sizes.inc': structSizes(),
  };
}
