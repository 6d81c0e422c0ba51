/**
 * Part of `npm run build`: makes each program, and the public API, one file with parts. Loading hundreds of modules takes a
 * command longer than many of its tasks, and a worker longer than most cases.
 */
import { writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { build } from 'vite';
import { packagePath } from '../../harness/base/paths.ts';
import { licences } from './licences.ts';

/**
 * Programs that are loaded together share their parts: libraries of a single command, and the probes of a worker, which are loaded
 * at first use. The end-to-end tests run `program` and `failure` in their own process.
 */
const PROGRAMS: readonly (readonly string[])[] = [
  ['cli/main', 'cli/program', 'cli/failure'],
  ['worker/main'],
  ['worker/take-locks'],
  ['worker/probes/aftermath/holder-process'],
  ['worker/probes/serialization/new-process'],
  ['worker/probes/distributed/node'],
];
/** These have parts; the others are small, or need everything. */
const SPLIT = ['cli/main', 'worker/main', 'index'];
/** The first finds its library beside itself; the others, which few commands need, come without the texts of their licences. */
const APART = ['koffi', '@redis/client', '@sigstore/bundle', '@sigstore/protobuf-specs', '@sigstore/verify'];

/** @param format CommonJS starts faster than ES modules with the same code */
async function bundle(programs: readonly string[], format: 'cjs' | 'es'): Promise<void> {
  const extension = format === 'cjs' ? 'cjs' : 'js';
  const sources = programs.map((program) => [basename(program), packagePath('harness', `${program}.ts`)]);
  await build({
    configFile: false,
    root: packagePath(),
    logLevel: 'error',
    publicDir: false,
    ssr: { noExternal: true, external: APART },
    build: {
      ssr: true,
      outDir: dirname(packagePath('dist', programs[0]!)),
      emptyOutDir: false,
      minify: false,
      target: 'node20',
      rolldownOptions: {
        input: Object.fromEntries(sources),
        output: {
          format,
          entryFileNames: `[name].${extension}`,
          chunkFileNames: `parts/[name].${extension}`,
          codeSplitting: SPLIT.includes(programs[0]!),
          postBanner: ({ moduleIds }) => `/*${licences(moduleIds)}*/`,
        },
      },
    },
  });
}

for (const programs of PROGRAMS) await bundle(programs, 'cjs');
await bundle(['index'], 'es');

// The command that the package declares, under the name that its sources have too.
writeFileSync(
  packagePath('dist', 'cli', 'main.js'),
  "#!/usr/bin/env node\nimport { createRequire } from 'node:module';\n\ncreateRequire(import.meta.url)('./main.cjs');\n",
);
