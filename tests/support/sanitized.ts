import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';
import { type CliRun, cli } from './cli.ts';

const COMPILER = process.env.CXX ?? 'g++';
const FLAGS = ['-std=c++17', '-O1', '-g1', '-pthread', '-ffp-contract=off', '-fno-omit-frame-pointer'];

const root = packagePath('plugins', 'reference');

/**
 * Calls from Node run on stacks that koffi made. AddressSanitizer does not know them; after an exception, its marks of their
 * variables would remain and be reported as errors. So it checks only the heap and globals.
 */
const NO_STACK = '--param asan-stack=0';

/** Sanitizers may slow a case down by ten. */
const DEADLINES = ['--timeout-call', '5m', '--timeout-case', '10m'];

/** Sanitizers hold back freed memory, which looks like a leak to measurements of process memory. */
const LEAKS = ['--exclude', 'errors/contract:leak*', '--exclude', 'resources/leaks:failed-creations'];

/** A report, unlike the warning caused by exceptions on koffi's stacks. */
const REPORT = /ERROR: \w+Sanitizer|runtime error:/;

/** Path of AddressSanitizer's run-time library, which must be in a process before a library built with it. */
function runtime(): string | undefined {
  const { status, stdout } = spawnSync(COMPILER, ['-print-file-name=libasan.so'], { encoding: 'utf8' });
  const path = stdout?.trim();
  return status === 0 && path?.startsWith('/') ? path : undefined;
}

/** Whether C++ can be compiled and run under AddressSanitizer here. */
export const canSanitize = (): boolean => runtime() !== undefined;

/** The reference plugin with sanitizers, and a function that runs it so that no report is lost. */
export class Sanitized {
  readonly library: string;
  readonly #directory: string;
  readonly #sanitizers: string;

  /** Builds it under build/, incrementally. */
  constructor(sanitizers: string) {
    this.#sanitizers = sanitizers;
    this.#directory = packagePath('build', `reference-${sanitizers.replaceAll(',', '-')}`);
    mkdirSync(this.#directory, { recursive: true });
    execFileSync('sh', [join(root, 'build.sh'), this.#directory, `--sanitize=${sanitizers}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, CXXFLAGS: NO_STACK },
    });
    this.library = join(this.#directory, 'pjrt-plugin-reference.so');
  }

  /** Compiles one of plugins/reference/tests with the plugin's objects and runs it; leaks are errors too. */
  runTest(name: string, args: readonly string[] = []): Program {
    const objects = readdirSync(join(this.#directory, 'obj')).filter((file) => file.endsWith('.o'));
    return this.#run(
      join(root, 'tests', `${name}.cc`),
      objects.map((file) => join(this.#directory, 'obj', file)),
      args,
    );
  }

  /** The same for a program with these lines, without the plugin. */
  runProgram(source: string): Program {
    return this.#inFolder((directory) => {
      writeFileSync(join(directory, 'program.cc'), source);
      return this.#run(join(directory, 'program.cc'), [], []);
    });
  }

  #run(source: string, objects: readonly string[], args: readonly string[]): Program {
    return this.#inFolder((directory) => {
      const program = join(directory, 'program');
      const include = [`-I${root}`, `-I${join(root, 'generated')}`];
      const flags = [...FLAGS, `-fsanitize=${this.#sanitizers}`, ...include];
      execFileSync(COMPILER, [...flags, source, ...objects, '-o', program], {
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      const env = { ...process.env, ...UBSAN, ASAN_OPTIONS: 'detect_leaks=1' };
      const { status, signal, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env });
      return { ended: signal ?? status, output: `${stdout}${stderr}` };
    });
  }

  /** `pjrt-conformance run` on the plugin, or on another library, with the reports of the sanitizers. */
  async runCli(args: readonly string[], env: NodeJS.ProcessEnv = {}, library = this.library): Promise<SanitizedRun> {
    const directory = mkdtempSync(join(tmpdir(), 'pjrt-sanitized-'));
    try {
      const manifest = join(directory, 'plugin.json');
      const log = join(directory, 'log');
      const preload = { LD_PRELOAD: runtime()!, ASAN_OPTIONS: `${IN_NODE}:log_path=${log}`, ...UBSAN };
      writeFileSync(manifest, JSON.stringify({ name: 'sanitized', library, env: preload }));
      const run = await cli(['run', '--plugin', manifest, ...args, ...LEAKS, ...DEADLINES, '--output', 'out'], { env });
      const logs = readdirSync(directory).filter((name) => name.startsWith('log.'));
      const texts = logs.map((name) => readFileSync(join(directory, name), 'utf8'));
      // GCC's UndefinedBehaviorSanitizer has no log_path: it writes to stderr, which the log has.
      const events = run.events.map((event) => JSON.stringify(event));
      return { ...run, sanitizer: [...texts, ...events].filter((text) => REPORT.test(text)) };
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }

  /** A library with these lines, built with the same sanitizers. */
  async withLibrary<T>(source: string, use: (library: string) => Promise<T>): Promise<T> {
    const directory = mkdtempSync(join(tmpdir(), 'pjrt-sanitized-'));
    try {
      const [file, library] = [join(directory, 'library.cc'), join(directory, 'library.so')];
      writeFileSync(file, source);
      execFileSync(COMPILER, [...FLAGS, `-fsanitize=${this.#sanitizers}`, '-shared', '-fPIC', file, '-o', library]);
      return await use(library);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }

  #inFolder<T>(use: (directory: string) => T): T {
    const directory = mkdtempSync(join(tmpdir(), 'pjrt-sanitized-'));
    try {
      return use(directory);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }
}

export interface Program {
  /** Its exit code, or the signal that ended it. */
  ended: number | NodeJS.Signals | null;
  output: string;
}

export interface SanitizedRun extends CliRun {
  /** Reports of the sanitizers, one text per process. */
  sanitizer: string[];
}

const UBSAN = { UBSAN_OPTIONS: 'print_stacktrace=1:halt_on_error=1' };

/**
 * For a worker: Node frees nothing at exit, so only the test programs check for leaks. Signals are left to the harness, which
 * recognises crashes and overruns of its guard pages by them. Less freed memory is held back than by default, because a
 * worker runs thousands of cases.
 */
const IN_NODE = [
  'detect_leaks=0',
  'allocator_may_return_null=1',
  'quarantine_size_mb=64',
  'exitcode=77',
  ...['segv', 'sigbus', 'abort', 'sigfpe', 'sigill'].map((name) => `handle_${name}=0`),
].join(':');
