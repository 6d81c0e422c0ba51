import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { STACK_FORMAT } from '../../host/sanitizers/report.ts';
import { withFile } from '../../knowledge/binary/byte-source.ts';
import { type ElfFile, elfFileIn } from '../../knowledge/binary/elf-file.ts';
import { type Sanitizer, sanitizersOf } from '../../knowledge/binary/sanitizers.ts';
import type { Event } from '../../model/events.ts';
import type { ResolvedPlugin, SanitizerUse } from '../../model/plugin.ts';

/** The sanitizers that a library was built with, and the runtimes of this machine. */
export function sanitizersIn(library: string): SanitizerUse[] {
  const elf = withFile(library, elfFileIn);
  const all = elf ? sanitizersOf(elf) : [];
  return all.map((one, i) => ({
    name: one.name,
    variable: one.variable,
    options: one.options,
    ...(one.wholeProgram ? { missing: 'program' } : isContained(one, i) ? {} : runtimeOf(one, library, elf!)),
  }));
}

/** Clang's runtimes of the others have the functions of UndefinedBehaviorSanitizer too. */
const isContained = ({ runtime }: Sanitizer, index: number): boolean => index > 0 && runtime === undefined;

function runtimeOf(one: Sanitizer, library: string, elf: ElfFile): Pick<SanitizerUse, 'preload' | 'missing'> {
  const preload = preloadOf(one, library, elf);
  return preload === undefined ? { missing: 'runtime' } : { preload };
}

function preloadOf({ runtime, clang }: Sanitizer, library: string, elf: ElfFile): string | undefined {
  if (runtime === undefined) {
    return clangRuntime(clang);
  }
  const beside = [...(elf.runpath ?? []), ...(elf.rpath ?? [])]
    .flatMap((paths) => paths.replaceAll('$ORIGIN', dirname(library)).split(':'))
    .map((directory) => join(directory, runtime))
    .find((path) => isAbsolute(path) && existsSync(path));
  const compiled = beside ?? fileOf('gcc', runtime) ?? fileOf('clang', runtime);
  // The loader may find it where compilers do not look.
  return compiled ?? runtime;
}

/** Clang's runtimes carry the processor in their names, or lie in a directory that does. */
function clangRuntime(name: string): string | undefined {
  const machine = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
  return [`libclang_rt.${name}-${machine}.so`, `libclang_rt.${name}.so`]
    .map((file) => fileOf('clang', file))
    .find(Boolean);
}

/** Where a compiler has a file. */
function fileOf(compiler: string, file: string): string | undefined {
  try {
    const path = execFileSync(compiler, [`-print-file-name=${file}`], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    return isAbsolute(path) && existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Variables of workers for plugins that were built with sanitizers. What the user has set stays, but for where and how reports are
 * written.
 * @param log the file of a sanitizer, without the number of the process; default: standard error
 */
export function sanitizerEnv(
  env: NodeJS.ProcessEnv,
  used: readonly SanitizerUse[],
  log?: (sanitizer: string) => string,
): NodeJS.ProcessEnv {
  if (used.length === 0) return {};
  const preload = [...used.flatMap(({ preload }) => preload ?? []), ...(env.LD_PRELOAD ? [env.LD_PRELOAD] : [])];
  return {
    LD_PRELOAD: [...new Set(preload)].join(':'),
    ...Object.fromEntries(
      used.map(({ name, variable, options }) => {
        const needed = log === undefined ? [] : [`log_path='${log(name)}'`, STACK_FORMAT];
        return [variable, [options, env[variable], ...needed].filter(Boolean).join(':')];
      }),
    ),
  };
}

/** What a run says about plugins that were built with sanitizers. */
export function* sanitizerNotes(plugins: readonly Pick<ResolvedPlugin, 'name' | 'sanitizers'>[]): Generator<Event> {
  for (const { name, sanitizers = [] } of plugins) {
    const built = `${name} was built with ${sanitizers.map((one) => one.name).join(' and ')}`;
    if (sanitizers.some(({ missing }) => missing === 'program')) {
      const why = 'works only where the whole process was built with it, Node.js too';
      yield note('warning', `${built}, which ${why}: it probably does not load`);
    } else if (sanitizers.some(({ missing }) => missing === 'runtime')) {
      const advice = 'install that of the compiler (libclang-rt-dev), or name it in LD_PRELOAD';
      yield note('warning', `${built}, of whose runtime nothing was found: ${advice}`);
    } else if (sanitizers.length > 0) {
      const first = sanitizers.flatMap(({ preload }) => preload ?? []).join(', ');
      yield note(
        'info',
        `${built}: workers load the runtime first (${first}), and what it reports of the plugin are findings`,
      );
    }
  }
}

const note = (level: 'info' | 'warning', message: string): Event => ({ type: 'note', level, message });
