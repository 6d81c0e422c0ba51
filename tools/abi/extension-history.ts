import { spawnSync } from 'node:child_process';
import { Abi } from '../../harness/knowledge/abi/abi.ts';
import { EXTENSION_TABLE, extensionStruct } from '../../harness/knowledge/abi/extensions.ts';
import type { StructLayout } from '../../harness/knowledge/abi/struct-layout.ts';
import { HeaderError } from './c-declarations.ts';
import { LAYOUT_SINCE } from './extension-facts.ts';
import { readExtensionHeaders } from './extension-table.ts';

const USAGE = `usage: extension-history.ts REPOSITORY [REF]
  REPOSITORY  a clone of XLA with its history
Prints the structs of extension headers that once had another layout, with the day since which they begin as today, where that is
not what LAYOUT_SINCE of tools/abi/extension-facts.ts says. Ends with 1 if there are any.`;

const [repository, ref = 'HEAD'] = process.argv.slice(2);
if (repository === undefined) {
  console.error(USAGE);
  process.exit(2);
}

const found = new Map(Object.keys(EXTENSION_TABLE.headers).flatMap((path) => [...changesOf(path)]));
const wrong = [...new Set([...found.keys(), ...Object.keys(LAYOUT_SINCE)])].filter(
  (name) => found.get(name) !== LAYOUT_SINCE[name],
);
for (const name of wrong)
  console.log(`${name}: ${found.get(name) ?? 'never another layout'}, the facts say ${LAYOUT_SINCE[name]}`);
process.exitCode = wrong.length > 0 ? 1 : 0;

/** Day by struct, going back through the versions of a header until a struct was another. */
function changesOf(path: string): Map<string, string> {
  const changed = new Map<string, string>();
  const open = new Map(Object.keys(EXTENSION_TABLE.headers[path]!).map((name) => [name, shape(extensionStruct(name))]));
  const since = new Map<string, string>();
  for (const line of git('log', '--format=%H %cs', ref, '--', path).split('\n').filter(Boolean)) {
    const [commit, date] = line.split(' ') as [string, string];
    const layouts = layoutsAt(commit, path);
    for (const [name, newest] of layouts ? open : []) {
      const then = layouts!.get(name);
      if (then && shape(then).every((field, i) => field === newest[i])) {
        since.set(name, date);
        continue;
      }
      open.delete(name);
      if (then && since.has(name)) changed.set(name, since.get(name)!);
    }
  }
  return changed;
}

/** Undefined where a commit deleted the header, or it cannot be read. */
function layoutsAt(commit: string, path: string): Map<string, StructLayout> | undefined {
  const text = git('show', `${commit}:${path}`);
  const core = Abi.at(EXTENSION_TABLE.minor);
  try {
    return readExtensionHeaders(
      (name) => (name === path ? text : undefined),
      (type) => core.sizeOf(type),
    ).layouts.get(path);
  } catch (error) {
    if (!(error instanceof HeaderError)) throw error;
    console.error(`${commit} ${path}: ${error.message}`);
    return undefined;
  }
}

/** Fields after the base, with their places. The base was two fields until 0.44, then three, then a struct: readers know. */
function shape({ fields }: StructLayout): string[] {
  const base =
    fields[0]?.type === 'PJRT_Extension_Base' ? 1 : 1 + fields.slice(0, 3).findIndex((f) => f.name === 'next');
  const start = base === 0 ? 0 : fields[base - 1]!.offset + fields[base - 1]!.size;
  return fields.slice(base).map((f) => `${f.offset - start}+${f.size} ${f.name}`);
}

function git(...args: string[]): string {
  const { stdout } = spawnSync('git', ['-C', repository!, ...args], { encoding: 'utf8', maxBuffer: 1 << 28 });
  return stdout;
}
