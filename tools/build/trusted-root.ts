/** Part of `npm run build`: the keys of Sigstore's public instance, as the library that keeps them up to date has them. */
import { writeFileSync } from 'node:fs';
import seeds from '@sigstore/tuf/seeds.json' with { type: 'json' };
import { PUBLIC_ROOT } from '../../harness/commands/results/public-root.ts';

const { targets } = seeds['https://tuf-repo-cdn.sigstore.dev'];
writeFileSync(PUBLIC_ROOT, Buffer.from(targets['trusted_root.json'], 'base64'));
