import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';
import { PRELOADED, sourcesOf } from '../../tools/recorder/libraries.ts';
import { GENERATED } from '../../tools/reference/generated-sources.ts';
import { compile } from './c-compiler.ts';

const COMPILER = process.env.CC ?? 'gcc';

/** Sanitizers that go together, as -fsanitize names them, and the library that must be in a process before all others. */
export const SANITIZERS = { 'address,undefined': 'libasan.so', thread: 'libtsan.so' } as const;
export type Sanitizers = keyof typeof SANITIZERS;

/** Path of the library; undefined if the compiler has none. */
export function runtimeOf(sanitizers: Sanitizers): string | undefined {
  const { status, stdout } = spawnSync(COMPILER, [`-print-file-name=${SANITIZERS[sanitizers]}`], { encoding: 'utf8' });
  const path = stdout?.trim();
  return status === 0 && path?.startsWith('/') ? path : undefined;
}

const FLAGS = ['-O1', '-g', '-fno-omit-frame-pointer', '-pthread', `-I${GENERATED}`];
const LIBRARY = [
  '-std=c++17',
  '-fPIC',
  '-fvisibility=hidden',
  '-fno-exceptions',
  '-fno-rtti',
  '-fno-threadsafe-statics',
];

/** What a program that was recorded by a recorder with sanitizers has left. */
export interface SanitizedRecording {
  status: number | null;
  stderr: string;
  /** Reports about the recorder. */
  reports: string[];
}

/** The recorder, and a caller of tests/record, with sanitizers; the plugin has none. */
export class SanitizedRecorder {
  readonly #sanitizers: Sanitizers;
  readonly #directory: string;
  readonly #caller: string;

  private constructor(sanitizers: Sanitizers, directory: string, caller: string) {
    this.#sanitizers = sanitizers;
    this.#directory = directory;
    this.#caller = join(directory, caller);
  }

  static async build(sanitizers: Sanitizers, directory: string, caller: string): Promise<SanitizedRecorder> {
    const sources = sourcesOf(PRELOADED);
    const objectOf = (source: string): string => join(directory, `${basename(source)}.o`);
    await Promise.all(
      sources.map((source) => {
        // The libraries of sanitizers call dlsym before they can be called.
        const sanitize = basename(source) === 'dlsym.cc' ? [] : [`-fsanitize=${sanitizers}`];
        const output = objectOf(source);
        return compile(
          [...FLAGS, ...LIBRARY, ...sanitize, '-DRECORDER_OLD_GLIBC', '-c', source, '-o', output],
          COMPILER,
        );
      }),
    );
    const sanitize = `-fsanitize=${sanitizers}`;
    const objects = sources.map(objectOf);
    await compile(
      [sanitize, '-shared', '-pthread', ...objects, '-ldl', '-o', join(directory, 'recorder.so')],
      COMPILER,
    );
    const source = packagePath('tests', 'record', `${caller}.c`);
    await compile([...FLAGS, sanitize, source, '-ldl', '-o', join(directory, caller)], COMPILER);
    return new SanitizedRecorder(sanitizers, directory, caller);
  }

  /** Runs the caller, and writes a trace. */
  record(trace: string, args: readonly string[], settings: Readonly<Record<string, string>> = {}): SanitizedRecording {
    mkdirSync(join(trace, 'blobs'), { recursive: true });
    const manifest = { format: 'pjrt-conformance-trace', version: '1.0', recorded: '2026-01-01T00:00:00Z' };
    const contents = { keep: 'all', contents: 'every', programsOnly: false };
    writeFileSync(join(trace, 'manifest.json'), JSON.stringify({ ...manifest, ...contents }));
    const { status, stderr } = spawnSync(this.#caller, args, {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      env: {
        PATH: process.env.PATH,
        LD_PRELOAD: `${runtimeOf(this.#sanitizers)}:${join(this.#directory, 'recorder.so')}`,
        ASAN_OPTIONS: 'detect_leaks=1',
        UBSAN_OPTIONS: 'print_stacktrace=1:halt_on_error=1',
        // Races of the plugin, whose atomic operations are not seen, are no error of the program.
        TSAN_OPTIONS: 'exitcode=0',
        PJRT_CONFORMANCE_RECORD: trace,
        PJRT_CONFORMANCE_RECORD_CONTENTS: 'every',
        ...settings,
      },
    });
    const reports = stderr.split(/^={10,}$/m).filter((text) => REPORT.test(text));
    return { status, stderr, reports: reports.filter((report) => !isOfPlugin(report)) };
  }
}

const REPORT = /(?:ERROR|WARNING): \w+Sanitizer|runtime error:/;

/** Whether one side of a race is a library without sanitizers. */
function isOfPlugin(report: string): boolean {
  if (!report.includes('WARNING: ThreadSanitizer')) return false;
  const sides = report.split('\n\n').slice(0, 2);
  return sides.some((side) => {
    const frames = [...side.matchAll(/^ +#\d+ (.*)$/gm)].map(([, frame]) => frame!);
    const own = frames.find((frame) => !frame.includes(`(${basename(SANITIZERS.thread)}`));
    return own?.includes('(pjrt-plugin-') ?? false;
  });
}
