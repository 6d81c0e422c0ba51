// Measures which functions releases of JAX call at which moment, for frameworks/jax.json: `trace.ts [VERSION…]`.
// Needs what `npm run check:compat` needs. Releases that are not named keep what was measured before.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { packagePath } from '../../harness/paths.ts';
import { buildFaults } from '../mutation/library.ts';
import { resolveHere } from '../resolve-here.ts';
import { type Calls, callsOf, merged } from './calls.ts';
import { loadComparison } from './plugins.ts';
import { runSession } from './run-jax.ts';

const FILE = packagePath('tools', 'frameworks', 'calls.json');
/** What is called may depend on the plugin's version, extensions and platform; the last one does not run everywhere. */
const PLUGINS: { base: string; minor?: number; optional?: true }[] = [
  { base: 'reference', minor: 60 },
  { base: 'reference', minor: 114 },
  { base: 'xla-cpu', optional: true },
];

interface Measured {
  command: string;
  releases: Record<string, Calls>;
}

const library = await buildFaults();
const known: Measured['releases'] = existsSync(FILE)
  ? (JSON.parse(readFileSync(FILE, 'utf8')) as Measured).releases
  : {};
const all = loadComparison().releases;
const asked = process.argv.length > 2 ? process.argv.slice(2) : all;
for (const release of asked) {
  const calls: Calls[] = [];
  for (const { base, minor, optional } of PLUGINS) {
    const { library: path } = await resolveHere(base);
    const env = {
      PJRT_FAULTS_BASE: path,
      PJRT_FAULT: 'trace',
      ...(minor === undefined ? {} : { PJRT_REFERENCE_API_MINOR: String(minor) }),
    };
    const { log, ending } = await runSession(release, library, env);
    if (ending.exitCode === 0 && log.includes('"exit"')) calls.push(callsOf(log));
    else if (!optional) throw new Error(`JAX ${release} on ${base} at 0.${minor}: ${log}${ending.stderr}`);
  }
  known[release] = merged(calls);
  console.log(`JAX ${release}: ${Object.values(known[release]).flat().length} functions`);
}
const measured: Measured = {
  command: 'npx tsx tools/compat/trace.ts',
  releases: Object.fromEntries(all.filter((v) => known[v]).map((v) => [v, known[v]!])),
};
writeFileSync(FILE, `${JSON.stringify(measured, null, 1)}\n`);
