import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packagePath } from '../../harness/paths.ts';
import { buildKey, CompileError, cached, findCompiler } from '../../tests/support/c-compiler.ts';
import type { Fault } from './catalogue.ts';

const SOURCES = packagePath('plugins', 'faults');
const HEADERS = packagePath('plugins', 'reference', 'generated');
const OUTPUT = packagePath('build', 'faults');

const FLAGS = ['-std=c++17', '-O1', '-g1', '-Wall', '-Wextra', '-Werror', '-fPIC', '-fvisibility=hidden'];
/** Nothing of the C++ library is exported: a wrapper must not look like a fault of its own. */
const LINK = ['-shared', '-static-libstdc++', '-static-libgcc', '-lpthread', '-ldl'];
const ONLY_GET_PJRT_API = '{ global: GetPjrtApi; local: *; };\n';

type Variant = NonNullable<Fault['build']> | 'plain';

const CANDIDATES = process.env.CXX ? [process.env.CXX] : ['g++', 'c++', 'clang++'];

const sources = (ending: RegExp): string[] =>
  readdirSync(SOURCES)
    .filter((name) => ending.test(name))
    .sort()
    .map((name) => join(SOURCES, name));

const headers = (): string[] => [
  ...sources(/\.h$/),
  join(HEADERS, 'pjrt_c_api.h'),
  join(HEADERS, 'pjrt_c_extensions.h'),
];

/** Names of the faults that the library has, as its sources register them. */
export function registeredFaults(): string[] {
  return sources(/\.cc$/).flatMap(namesIn);
}

function namesIn(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const plain = [...text.matchAll(/^FAULT\("([^"]+)"\)/gm)].map((match) => match[1]!);
  // A family of faults: a macro that makes the name from its argument.
  const families = [...text.matchAll(/^#define ([A-Z_]+)\(\w+\) \\\n\s+FAULT\("([^"]*)" #\w+\)/gm)];
  const made = families.flatMap(([, macro, prefix]) =>
    [...text.matchAll(new RegExp(`^${macro}\\(([^)]+)\\)$`, 'gm'))].map((match) => prefix! + match[1]!),
  );
  return [...plain, ...made];
}

/** Names of the fault points in the sources of the reference plugin. */
export function insideFaults(): string[] {
  const root = packagePath('plugins', 'reference');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(cc|h)$/.test(name));
  const names = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\bFAULT\("([^"]+)"\)/g)].map((match) => match[1]!),
  );
  return [...new Set(names)].sort();
}

/** Builds the reference plugin with its fault points. */
export async function buildInside(): Promise<string> {
  const folder = packagePath('build', 'reference-faults');
  const script = packagePath('plugins', 'reference', 'build.sh');
  await promisify(execFile)('sh', [script, folder, '--faults'], { maxBuffer: 1 << 26 }).catch((error: Error) => {
    throw new CompileError(`the reference plugin with faults could not be built: ${error.message}`);
  });
  return join(folder, 'pjrt-plugin-reference.so');
}

/** A fault in a source, from its name to the closing brace of its body. */
const BLOCK = /^FAULT\("([^"]+)"\) \{(?:.*\}\n|[\s\S]*?^\}\n)/gm;

/** For each fault, a digest of what it is made of: its own lines, and all that is not another fault. */
export function sourceDigests(): Map<string, string> {
  const common = buildKey([...headers(), ...sources(/\/(faults|programs)\.cc$/)], FLAGS);
  const digests = new Map<string, string>();
  for (const file of sources(/\.cc$/)) {
    const text = readFileSync(file, 'utf8');
    const shared = text.replace(BLOCK, '');
    const own = new Map([...text.matchAll(BLOCK)].map((match) => [match[1]!, match[0]]));
    for (const name of namesIn(file)) digests.set(name, buildKey([], [common, shared, own.get(name) ?? '']));
  }
  return digests;
}

/** Builds the library with the faults; what did not change is not compiled again. */
export async function buildFaults(variant: Variant = 'plain'): Promise<string> {
  const compiler = await findCompiler(CANDIDATES).catch(() => {
    throw new CompileError(`no C++ compiler: tried ${CANDIDATES.join(', ')}; install g++ or clang++, or set CXX`);
  });
  mkdirSync(OUTPUT, { recursive: true });
  const run = promisify(execFile);
  const call = async (args: string[]): Promise<void> => {
    await run(compiler, args).catch((error: { stderr?: string; message: string }) => {
      throw new CompileError(`${compiler} ${args.join(' ')}\n${error.stderr ?? error.message}`);
    });
  };
  const define = variant === 'plain' ? [] : [`-DFAULTS_${variant.toUpperCase()}`];
  const units = sources(/\.cc$/).map((source) => {
    // Only one file differs between the variants.
    const own = /\/faults\.cc$/.test(source) ? define : [];
    const name = `${source.slice(SOURCES.length + 1)}${own.length > 0 ? `.${variant}` : ''}.o`;
    return {
      source,
      own,
      object: join(OUTPUT, name),
      key: buildKey([source, ...headers()], [compiler, ...FLAGS, ...own]),
    };
  });
  const waiting = [...units];
  const lane = async (): Promise<void> => {
    for (let unit = waiting.shift(); unit; unit = waiting.shift()) {
      const { source, own, object, key } = unit;
      await cached(object, key, (target) =>
        call([...FLAGS, ...own, `-I${SOURCES}`, `-I${HEADERS}`, '-c', source, '-o', target]),
      );
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  const script = join(OUTPUT, 'exports.map');
  if (variant !== 'exporting') writeFileSync(script, ONLY_GET_PJRT_API);
  const exportsOf = variant === 'exporting' ? [] : [`-Wl,--version-script=${script}`];
  const lazy = variant === 'unresolved' ? ['-Wl,-z,lazy'] : [];
  return cached(
    join(OUTPUT, `pjrt-plugin-faults-${variant}.so`),
    buildKey([], [...units.map(({ key }) => key), ...LINK, ...exportsOf]),
    (target) => call([...units.map(({ object }) => object), ...LINK, ...exportsOf, ...lazy, '-o', target]),
  );
}
