/**
 * Part of `npm run build`: makes one file of each program that a run starts again and again. Every isolated case and every
 * crash needs a new worker, and loading some 350 modules takes longer than most cases.
 */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { build } from 'vite';
import { packagePath } from '../../harness/paths.ts';
import { licences } from './licences.ts';

const PROGRAMS = ['worker/main', 'probes/compute/new-process'];
/** Finds its library beside itself. */
const APART = ['koffi'];

for (const program of PROGRAMS) {
  const file = packagePath('dist', `${program}.js`);
  await build({
    configFile: false,
    root: packagePath(),
    logLevel: 'warn',
    publicDir: false,
    ssr: { noExternal: true, external: APART },
    build: {
      ssr: file,
      outDir: dirname(file),
      emptyOutDir: false,
      minify: false,
      target: 'node20',
      // CommonJS starts faster than an ES module of the same code.
      rolldownOptions: {
        output: {
          format: 'cjs',
          entryFileNames: '[name].cjs',
          codeSplitting: false,
          banner: ({ moduleIds }) => `/*${licences(moduleIds)}*/`,
        },
      },
    },
  });
  rmSync(file);
  rmSync(`${file}.map`);
}
