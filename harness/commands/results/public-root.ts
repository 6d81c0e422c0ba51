import { packagePath } from '../../base/paths.ts';

/** The keys of Sigstore's public instance; GitHub has an own one for private repositories. The build writes it. */
export const PUBLIC_ROOT = packagePath('dist', 'trusted-root.json');
