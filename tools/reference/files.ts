import { packagePath } from '../../harness/base/paths.ts';
import { Abi, NEWEST_MINOR } from '../../harness/knowledge/abi/abi.ts';
import { cExtensionHeader } from '../abi/c-extension-header.ts';
import { cHeader } from '../abi/c-header.ts';
import { structSizes } from './struct-sizes.ts';

/** Directory of the generated sources of the reference plugin. */
export const GENERATED = packagePath('plugins/reference/generated');

/** The generated sources by file name. They are committed, so that building the plugin needs only a C++ compiler. */
export function generatedFiles(): Record<string, string> {
  return {
    'pjrt_c_api.h': cHeader(Abi.at(NEWEST_MINOR)),
    'pjrt_c_extensions.h': cExtensionHeader('pjrt_c_api.h'),
    'struct_sizes.inc': structSizes(),
  };
}
