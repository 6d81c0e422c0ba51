// Measures in which phase releases of JAX call which functions, for frameworks/jax.json: `trace.ts [VERSION…]`.
// Needs what `npm run check:compat` needs. Releases that are not named keep their earlier measurements.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { packagePath } from '../../harness/base/paths.ts';
import { buildKey, cached, compile } from '../../tests/support/c-compiler.ts';
import { loadDesign } from '../designs/design.ts';
import { buildDesigns, environmentOf } from '../designs/plugin.ts';
import { buildFaults } from '../mutation/library.ts';
import { GENERATED, writeGeneratedSources } from '../reference/generated-sources.ts';
import { resolveHere } from '../resolve-here.ts';
import { type Habits, habitsOf, type Watched, type WatchedPair, watchedIn } from './calls.ts';
import { loadComparison } from './plugins.ts';
import { runSession } from './run-jax.ts';

const FILE = packagePath('tools', 'frameworks', 'calls.json');
/**
 * Calls may depend on the plugin's version, extensions, platform and memory: each is traced as it is, and as one whose memory
 * is not on the host. Not every release works with each.
 */
const PLUGINS: { base: string; minor?: number; unversioned?: true }[] = [
  { base: 'reference', minor: 60 },
  { base: 'reference', minor: 114 },
  // JAX 0.4.35 sends the plugin's StableHLO version, which it cannot write.
  { base: 'reference', minor: 114, unversioned: true },
  { base: 'xla-cpu' },
];

async function buildUnversioned(): Promise<string> {
  const source = packagePath('tools', 'compat', 'unversioned.c');
  writeGeneratedSources();
  const flags = [
    '-std=c11',
    '-O1',
    '-Wall',
    '-Wextra',
    '-Werror',
    '-fPIC',
    '-shared',
    '-fvisibility=hidden',
    `-I${GENERATED}`,
  ];
  return cached(packagePath('build', 'compat', 'unversioned.so'), buildKey([source], flags), (temporary) =>
    compile([...flags, '-o', temporary, source, '-ldl']),
  );
}

interface Measured {
  command: string;
  releases: Record<string, Habits>;
}

const library = await buildFaults();
const designs = await buildDesigns();
const notOnHost = loadDesign('no-pointers');
const known: Measured['releases'] = existsSync(FILE)
  ? (JSON.parse(readFileSync(FILE, 'utf8')) as Measured).releases
  : {};
const all = loadComparison().releases;
const asked = process.argv.length > 2 ? process.argv.slice(2) : all;
for (const release of asked) {
  const pairs: WatchedPair[] = [];
  const endings: string[] = [];
  for (const { base, minor, unversioned } of PLUGINS) {
    const { library: path } = await resolveHere(base);
    const plugin = unversioned ? await buildUnversioned() : path;
    const env = {
      UNVERSIONED_BASE: path,
      PJRT_FAULT: 'trace',
      ...(minor === undefined ? {} : { PJRT_REFERENCE_API_MINOR: String(minor) }),
    };
    const watch = async (design: Record<string, string>): Promise<Watched | undefined> => {
      const { log, ending } = await runSession(release, library, { ...env, ...design });
      // A process that ended early saw only a part.
      if (ending.exitCode === 0 && log.includes('"exit"')) return watchedIn(log);
      endings.push(`JAX ${release} on ${base} at 0.${minor}: ${log}${ending.stderr}`);
      return undefined;
    };
    const onCpu = await watch({ PJRT_FAULTS_BASE: plugin });
    const notOnCpu = await watch({ PJRT_FAULTS_BASE: designs, ...environmentOf(notOnHost, plugin) });
    pairs.push({ ...(onCpu ? { onCpu } : {}), ...(notOnCpu ? { notOnCpu } : {}) });
  }
  if (!pairs.some(({ onCpu }) => onCpu) || !pairs.some(({ notOnCpu }) => notOnCpu)) throw new Error(endings.join('\n'));
  known[release] = habitsOf(pairs);
  console.log(`JAX ${release}: ${Object.values(known[release].notOnCpu).flat().length} functions`);
}
const measured: Measured = {
  command: 'npx tsx tools/compat/trace.ts',
  releases: Object.fromEntries(all.filter((v) => known[v]).map((v) => [v, known[v]!])),
};
writeFileSync(FILE, `${JSON.stringify(measured, null, 1)}\n`);
