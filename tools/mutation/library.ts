import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { packagePath } from '../../harness/base/paths.ts';
import { buildKey, CompileError } from '../../tests/support/c-compiler.ts';
import { buildLibrary, filesOf, wrapperHeaders, wrapperSources } from '../wrapper/build-library.ts';
import type { Fault } from './catalogue.ts';

const SOURCES = packagePath('plugins', 'faults');
/** Sources without faults, which all others need. */
const SHARED = /^(faults|programs)\.cc$/;
const OUTPUT = packagePath('build', 'faults');

type Variant = NonNullable<Fault['build']> | 'plain';

const sources = (ending: RegExp): string[] => filesOf(SOURCES, ending);

/** Names of the faults in the library, as its sources register them. */
export function registeredFaults(): string[] {
  return sources(/\.cc$/).flatMap(namesIn);
}

/** Families of faults in a source: a macro makes their names from its first argument. */
function familiesIn(text: string): { names: string[]; body: string }[] {
  return [...text.matchAll(/^#define ([A-Z_]+)\([\w, ]+\) +\\\n\s+FAULT\("([^"]*)" #\w+\)(?:.*\\\n)*.*/gm)].map(
    ([body, macro, prefix]) => ({
      names: [...text.matchAll(new RegExp(`^${macro}\\((\\w+)(?:, .*)?\\)$`, 'gm'))].map(
        (match) => prefix! + match[1]!,
      ),
      body,
    }),
  );
}

function namesIn(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const plain = [...text.matchAll(/^FAULT\("([^"]+)"\)/gm)].map((match) => match[1]!);
  return [...plain, ...familiesIn(text).flatMap(({ names }) => names)];
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
  const directory = packagePath('build', 'reference-faults');
  const script = packagePath('plugins', 'reference', 'build.sh');
  await promisify(execFile)('sh', [script, directory, '--faults'], { maxBuffer: 1 << 26 }).catch((error: Error) => {
    throw new CompileError(`the reference plugin with faults could not be built: ${error.message}`);
  });
  return join(directory, 'pjrt-plugin-reference.so');
}

/** A fault in a source, from its name to the closing brace of its body. */
const BLOCK = /^FAULT\("([^"]+)"\) \{(?:.*\}\n|[\s\S]*?^\}\n)/gm;

/** Faults that report whether the function they change was called: those that wrap functions in their own lines. */
export function wrappingFaults(): Set<string> {
  const wraps = /\b(?:(?:Before|After|Replace|Ignore|Fail)<|ReplaceIn\b)/;
  return new Set(
    sources(/\.cc$/).flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      const plain = [...text.matchAll(BLOCK)].map(([body, name]) => ({ names: [name!], body }));
      return [...plain, ...familiesIn(text)].flatMap(({ names, body }) => (wraps.test(body) ? names : []));
    }),
  );
}

/** For each fault, a digest of its own lines and of everything that is not another fault. */
export function sourceDigests(): Map<string, string> {
  const common = buildKey([...wrapperHeaders(), ...wrapperSources(), ...sources(/\.h$/), ...sources(SHARED)], []);
  const digests = new Map<string, string>();
  for (const file of sources(/\.cc$/)) {
    const text = readFileSync(file, 'utf8');
    const shared = text.replace(BLOCK, '');
    const own = new Map([...text.matchAll(BLOCK)].map((match) => [match[1]!, match[0]]));
    for (const name of namesIn(file)) digests.set(name, buildKey([], [common, shared, own.get(name) ?? '']));
  }
  return digests;
}

/** Builds the library with the faults, incrementally. @param names leaves out the sources that have none of these faults */
export function buildFaults(variant: Variant = 'plain', names?: readonly string[]): Promise<string> {
  const chosen = sources(/\.cc$/).filter(
    (file) => !names || SHARED.test(basename(file)) || namesIn(file).some((name) => names.includes(name)),
  );
  const files = chosen.map((file) => basename(file));
  const part = names ? `-${buildKey([], files).slice(0, 8)}` : '';
  return buildLibrary({
    target: join(OUTPUT, `pjrt-plugin-faults-${variant}${part}.so`),
    parts: [{ sources: chosen, headers: sources(/\.h$/) }],
    include: [SOURCES],
    // Only one file differs between the variants.
    own: variant === 'plain' ? {} : { 'faults.cc': [`-DFAULTS_${variant.toUpperCase()}`] },
    exportsAll: variant === 'exporting',
    link: variant === 'unresolved' ? ['-Wl,-z,lazy'] : [],
  });
}
