/**
 * Part of `npm run build`: makes each program one file. Loading hundreds of modules takes a command longer than many of its
 * tasks, and a worker longer than most cases.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { build } from 'vite';
import { packagePath } from '../../harness/base/paths.ts';
import { licences } from './licences.ts';

/** CommonJS starts faster than ES modules with the same code. */
const PROGRAMS = [
  'cli/main',
  'worker/main',
  'worker/take-locks',
  'worker/probes/aftermath/holder-process',
  'worker/probes/serialization/new-process',
  'worker/probes/distributed/node',
];
/** What these load at first use only is beside them: libraries of a single command, and the probes of a worker. */
const SPLIT = ['cli/main', 'worker/main'];
/** The first finds its library beside itself; the others, which few commands need, come without the texts of their licences. */
const APART = ['koffi', '@redis/client', '@sigstore/bundle', '@sigstore/protobuf-specs', '@sigstore/verify'];

for (const program of PROGRAMS) {
  const compiled = packagePath('dist', `${program}.js`);
  await build({
    configFile: false,
    root: packagePath(),
    logLevel: 'warn',
    publicDir: false,
    ssr: { noExternal: true, external: APART },
    build: {
      ssr: compiled,
      outDir: dirname(compiled),
      emptyOutDir: false,
      minify: false,
      target: 'node20',
      rolldownOptions: {
        output: {
          format: 'cjs',
          entryFileNames: '[name].cjs',
          chunkFileNames: 'parts/[name].cjs',
          codeSplitting: SPLIT.includes(program),
          postBanner: ({ moduleIds }) => `/*${licences(moduleIds)}*/`,
        },
      },
    },
  });
  for (const file of [compiled, `${compiled}.map`]) rmSync(file);
}

// The command that the package declares, under the name that its sources have too.
writeFileSync(
  packagePath('dist', 'cli', 'main.js'),
  "#!/usr/bin/env node\nimport { createRequire } from 'node:module';\n\ncreateRequire(import.meta.url)('./main.cjs');\n",
);
