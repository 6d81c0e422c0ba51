import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import { type CliRun, cli, runCli } from './support/cli.ts';
import { referenceLibrary } from './support/reference.ts';
import { canSanitize, Sanitized } from './support/sanitized.ts';

/**
 * The reference plugin must pass every check. `npm run check:reference` runs all suites for every API version, and
 * `npm run check:versions` most; here some versions run the suites in which they differ.
 */
const notPassed = (run: CliRun): string[] =>
  run.report.suites
    .flatMap((s) => s.cases)
    .filter((c) => c.status !== 'pass' && c.status !== 'unsupported')
    .map((c) => `${c.status} ${c.id}: ${c.findings?.[0]?.message ?? c.reason}`);

const BY_VERSION = [
  'load',
  'plugin',
  'abi',
  'errors',
  'events',
  'client',
  'devices',
  'memories',
  'topology',
  'extensions',
  'compile/options',
  'execute/contract',
  'async-transfer',
  'buffers/metadata',
  'serialization',
];
/** Presets of PJRT_REFERENCE_DESIGN. */
const DESIGNS = ['tpu-like', 'gpu-like', 'proxy-like', 'npu-like', 'bare', 'fast-math'];
const suites = (names: readonly string[]): string[] => names.flatMap((name) => ['--suite', name]);

describe('the reference plugin', () => {
  beforeAll(referenceLibrary);

  test('passes every suite', async () => {
    const run = await runCli(['--plugin', 'reference']);
    expect(notPassed(run)).toEqual([]);
    expect(run.exitCode).toBe(0);
    expect(run.report.plugins[0]).toMatchObject({ apiVersion: { major: 0, minor: 117 } });
  });

  test.each([31, 70])('passes as API 0.%d', async (minor) => {
    const run = await runCli(['--plugin', 'reference', ...suites(BY_VERSION)], {
      PJRT_REFERENCE_API_MINOR: String(minor),
    });
    expect(notPassed(run)).toEqual([]);
    expect(run.exitCode).toBe(0);
    expect(run.report.plugins[0]).toMatchObject({ apiVersion: { major: 0, minor } });
  });

  test('passes when everything is slow', async () => {
    const run = await runCli(
      ['--plugin', 'reference', ...suites(['events', 'execute', 'donation', 'views', 'async-transfer', 'errors'])],
      { PJRT_REFERENCE_DELAY_US: '1000' },
    );
    expect(notPassed(run)).toEqual([]);
  });

  test.each(['0.60', 'newer'])('passes with a consumer of %s', async (caller) => {
    const run = await runCli(['--plugin', 'reference', '--as-api', caller, ...suites(['framework', 'client'])]);
    expect(notPassed(run)).toEqual([]);
  });
});

test('without a compiler, --plugin reference says what to install', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'pjrt-no-compiler-'));
  try {
    for (const tool of ['sh', 'dirname']) {
      const path = execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim();
      symlinkSync(path, join(directory, tool));
    }
    // With other flags, because otherwise a library from the package would be used.
    const env = { PATH: directory, XDG_CACHE_HOME: directory, CXX: '', CXXFLAGS: '-O2' };
    const { exitCode, stderr } = await cli(['run', '--plugin', 'reference'], { env });
    expect(stderr).toMatch(/there is no C\+\+ compiler: install g\+\+ or clang\+\+ .*or name one in CXX/);
    expect(exitCode).toBe(3);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

const sanitizers = process.env.SANITIZE ?? 'address';
const reason = canSanitize() ? '' : ' (skipped: the compiler here has no AddressSanitizer)';

describe.skipIf(reason !== '')(`under sanitizers: ${sanitizers}${reason}`, () => {
  let sanitized: Sanitized;
  beforeAll(() => {
    sanitized = new Sanitized(sanitizers);
  });

  test.each([
    ['runtime_test', []],
    ['launch_test', []],
    ['c_api_test', []],
    ['interpreter_test', []],
    ['ir_test', [packagePath('fixtures'), '500']],
    ['bytecode_test', [packagePath('fixtures'), '2']],
    ['hlo_test', ['500']],
    ['design_test', ['', ...DESIGNS, 'two-processes', DESIGNS.join('+')]],
  ])('%s', (name, args) => {
    const { ended, output } = sanitized.runTest(name, args);
    expect(output).toMatch(/\b0 failed\n$/);
    expect(ended).toBe(0);
  });

  test('a leak in such a program is detected', () => {
    const { ended, output } = sanitized.runProgram(
      // Many, because a register or an old stack frame may still hold the address of one.
      '#include <cstdlib>\nint main() { for (int i = 0; i < 64; ++i) { void* volatile lost = std::malloc(8); lost = nullptr; } }',
    );
    expect(output).toContain('LeakSanitizer: detected memory leaks');
    expect(ended).toBe(1);
  });

  const defects = [
    {
      sanitizer: 'address',
      report: 'heap-use-after-free',
      code: 'volatile char* const freed = static_cast<volatile char*>(std::malloc(8)); std::free(const_cast<char*>(freed)); freed[0] = 1;',
    },
    {
      sanitizer: 'undefined',
      report: 'runtime error: signed integer overflow',
      code: 'volatile int most = 2147483647; most = most + 1;',
    },
  ].filter(({ sanitizer }) => sanitizers.split(',').includes(sanitizer));
  test.each(defects)('a report from a plugin in a worker is detected: $report', async ({ report, code }) => {
    const source = `#include <cstdlib>\nextern "C" const void* GetPjrtApi() { ${code} return nullptr; }`;
    await sanitized.withLibrary(source, async (library) => {
      const { sanitizer } = await sanitized.runCli(['--suite', 'load'], {}, library);
      expect(sanitizer.join('')).toContain(report);
    });
  });

  /**
   * Leaves out what computes or compares much, measures memory and time, which sanitizers use up, or needs many processes. By
   * hand, with sanitizers named, nothing is left out.
   */
  const costly = [
    'numerics/*',
    'aftermath/*',
    'donation/graphs:*',
    'models/*',
    'multi-device/*',
    'resources/*',
    // The sanitizer keeps freed memory, which is measured there.
    'functions/all:repetitions',
    'process/*',
    'load/*',
    'plugin/*',
    'coexistence/*',
    'client/*',
    'compile/*',
    'abi/*',
    'devices/*',
    'memories/*',
    'topology/*',
    'buffers/host-transfer:*',
    'buffers/host-strides:*',
    'buffers/read-back:*',
  ].flatMap((glob) => ['--exclude', glob]);
  test.each<[string, string[], Record<string, string>]>([
    process.env.SANITIZE === undefined ? ['on most suites', costly, {}] : ['on every suite', [], {}],
    [
      'with a delay',
      suites(['events', 'donation', 'views', 'async-transfer', 'errors']),
      { PJRT_REFERENCE_DELAY_US: '300' },
    ],
    ['as API 0.31', suites(['abi', 'events', 'execute']), { PJRT_REFERENCE_API_MINOR: '31' }],
    ['with a caller of 0.60', ['--as-api', '0.60', ...suites(['framework', 'client/queries', 'client/lookup'])], {}],
    ['with a newer caller', ['--as-api', 'newer', ...suites(['framework', 'client/queries', 'client/lookup'])], {}],
  ])('the plugin passes %s', async (_, args, env) => {
    const run = await sanitized.runCli(args, env);
    expect(run.sanitizer).toEqual([]);
    expect(notPassed(run)).toEqual([]);
    expect(run.exitCode).toBe(0);
  });
});
