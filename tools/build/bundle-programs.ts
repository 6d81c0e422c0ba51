/**
 * Part of `npm run build`: makes each program one file. Loading hundreds of modules takes a command longer than many of its
 * tasks, and a worker longer than most cases.
 */
import { rmSync } from 'node:fs';
import { dirname, extname } from 'node:path';
import { build } from 'vite';
import { packagePath } from '../../harness/base/paths.ts';
import { licences } from './licences.ts';

/** CommonJS starts faster than an ES module with the same code; the command uses top-level await, which needs one. */
const PROGRAMS = [
  'cli/main.js',
  'worker/main.cjs',
  'worker/take-locks.cjs',
  'worker/probes/serialization/new-process.cjs',
  'worker/probes/distributed/node.cjs',
];
/** What these load at first use only is beside them: libraries of a single command, and the probes of a worker. */
const SPLIT = ['cli/main.js', 'worker/main.cjs'];
/** The first finds its library beside itself; the second, which few runs need, comes without the text of its licence. */
const APART = ['koffi', '@redis/client'];

for (const program of PROGRAMS) {
  const file = packagePath('dist', program);
  const kind = extname(program);
  const compiled = file.replace(kind, '.js');
  await build({
    configFile: false,
    root: packagePath(),
    logLevel: 'warn',
    publicDir: false,
    ssr: { noExternal: true, external: APART },
    build: {
      ssr: compiled,
      outDir: dirname(file),
      emptyOutDir: false,
      minify: false,
      target: 'node20',
      rolldownOptions: {
        output: {
          format: kind === '.cjs' ? 'cjs' : 'es',
          entryFileNames: `[name]${kind}`,
          chunkFileNames: `parts/[name]${kind}`,
          codeSplitting: SPLIT.includes(program),
          postBanner: ({ moduleIds }) => `/*${licences(moduleIds)}*/`,
        },
      },
    },
  });
  if (compiled !== file) rmSync(compiled);
  // The compiler's map belongs to the previous file.
  rmSync(`${compiled}.map`);
}
