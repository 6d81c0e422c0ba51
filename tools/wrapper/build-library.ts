import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { packagePath } from '../../harness/base/paths.ts';
import { buildKey, CompileError, cached, findCompiler } from '../../tests/support/c-compiler.ts';
import { GENERATED, writeGeneratedSources } from '../reference/generated-sources.ts';

const FLAGS = ['-std=c++17', '-O1', '-g1', '-Wall', '-Wextra', '-Werror', '-fPIC', '-fvisibility=hidden'];
/** Nothing of the C++ library is exported, which would itself be a defect of the wrapper. */
const LINK = ['-shared', '-static-libstdc++', '-static-libgcc', '-lpthread', '-ldl'];
const ONLY_GET_PJRT_API = '{ global: GetPjrtApi; local: *; };\n';
const CANDIDATES = process.env.CXX ? [process.env.CXX] : ['g++', 'c++', 'clang++'];

/** Build of a plugin made from another one. */
const WRAPPER = packagePath('plugins', 'wrapper');

/** The files of a directory whose names match, sorted by name. */
export const filesOf = (directory: string, ending: RegExp): string[] =>
  readdirSync(directory)
    .filter((name) => ending.test(name))
    .sort()
    .map((name) => join(directory, name));

/** Sources shared by all such libraries. */
export const wrapperSources = (): string[] => filesOf(WRAPPER, /\.cc$/);
/** Headers that all such libraries include. */
export const wrapperHeaders = (): string[] => [
  ...filesOf(WRAPPER, /\.h$/),
  packagePath('plugins', 'reference', 'c_api', 'functions.h'),
  join(GENERATED, 'pjrt_c_api.h'),
  join(GENERATED, 'pjrt_c_extensions.h'),
];

/** A library that makes a plugin from another one. */
interface WrapperLibrary {
  /** Path of the library; objects are beside it. */
  target: string;
  /** Sources, with everything they include besides the common headers: a change in any of it recompiles them. */
  parts: readonly { sources: readonly string[]; headers: readonly string[] }[];
  include?: readonly string[];
  /** Flags of one source, by its file name. */
  own?: Readonly<Record<string, readonly string[]>>;
  /** Only GetPjrtApi is exported, unless this says otherwise. */
  exportsAll?: boolean;
  link?: readonly string[];
}

/** Builds a library with the sources in plugins/wrapper, incrementally. @throws CompileError */
export async function buildLibrary(library: WrapperLibrary): Promise<string> {
  writeGeneratedSources();
  const compiler = await findCompiler(CANDIDATES).catch(() => {
    throw new CompileError(`no C++ compiler: tried ${CANDIDATES.join(', ')}; install g++ or clang++, or set CXX`);
  });
  const call = async (args: string[]): Promise<void> => {
    await promisify(execFile)(compiler, args).catch((error: { stderr?: string; message: string }) => {
      throw new CompileError(`${compiler} ${args.join(' ')}\n${error.stderr ?? error.message}`);
    });
  };
  const { target, own = {}, include = [], link = [] } = library;
  const directory = join(target, '..');
  mkdirSync(directory, { recursive: true });
  const common = wrapperHeaders();
  const flags = [...FLAGS, ...[...include, GENERATED].map((path) => `-I${path}`)];
  const parts = [...library.parts, { sources: wrapperSources(), headers: [] }];
  const all = parts.flatMap(({ sources, headers }) => sources.map((source) => ({ source, headers })));
  const units = all.map(({ source, headers }) => {
    const extra = own[basename(source)] ?? [];
    // Sources in different directories may have the same name.
    const part = basename(join(source, '..'));
    const name = [part, basename(source), ...extra.map((flag) => flag.replace(/\W+/g, ''))].join('-');
    return {
      source,
      extra,
      object: join(directory, `${name}.o`),
      key: buildKey([source, ...headers, ...common], [compiler, ...FLAGS, ...extra]),
    };
  });
  const waiting = [...units];
  const lane = async (): Promise<void> => {
    for (let unit = waiting.shift(); unit; unit = waiting.shift()) {
      const { source, extra, object, key } = unit;
      await cached(object, key, (temporary) => call([...flags, ...extra, '-c', source, '-o', temporary]));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  const script = join(directory, 'exports.map');
  if (!library.exportsAll) writeFileSync(script, ONLY_GET_PJRT_API);
  const linking = [...LINK, ...(library.exportsAll ? [] : [`-Wl,--version-script=${script}`]), ...link];
  return cached(target, buildKey([], [...units.map(({ key }) => key), ...linking]), (temporary) =>
    call([...units.map(({ object }) => object), ...linking, '-o', temporary]),
  );
}
