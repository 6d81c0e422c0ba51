import { beforeAll, describe, expect, test } from 'vitest';
import { cli } from './support/cli.ts';
import { buildSanitized, type Compiler, hasRuntime, type SanitizerFlag } from './support/sanitizers.ts';

/** A plugin that was built with sanitizers: what they report is a finding of the case in which it arose. */

const CASE = 'client/lookup:by-id';

/** Names of errors in fixtures/sanitizers/plugin.c, and what is said of each. */
type Faults = readonly [fault: string, status: 'crash' | 'fail', line: RegExp][];

const ADDRESS: Faults = [
  ['heap-overflow', 'crash', /^AddressSanitizer: heap-buffer-overflow in heap_overflow \(plugin\.c:\d+\)$/],
  ['heap-copy', 'crash', /^AddressSanitizer: heap-buffer-overflow in heap_copy \(plugin\.c:\d+\)$/],
  ['stack-overflow', 'crash', /^AddressSanitizer: stack-buffer-overflow in stack_overflow \(plugin\.c:\d+\)$/],
  ['global-overflow', 'crash', /^AddressSanitizer: global-buffer-overflow in global_overflow \(plugin\.c:\d+\)$/],
  ['use-after-free', 'crash', /^AddressSanitizer: heap-use-after-free in use_after_free \(plugin\.c:\d+\)$/],
  ['double-free', 'crash', /^AddressSanitizer: double-free in double_free \(plugin\.c:\d+\)$/],
];
const UNDEFINED: Faults = [
  [
    'signed-overflow',
    'fail',
    /^UndefinedBehaviorSanitizer: signed integer overflow: .* in signed_overflow \(plugin\.c:\d+\)$/,
  ],
  ['shift', 'fail', /^UndefinedBehaviorSanitizer: shift exponent 32 is too large .* in shift \(plugin\.c:\d+\)$/],
  [
    'misaligned',
    'fail',
    /^UndefinedBehaviorSanitizer: load of misaligned address for type .* in misaligned \(plugin\.c:\d+\)$/,
  ],
  [
    'index-bound',
    'fail',
    /^UndefinedBehaviorSanitizer: index 4 out of bounds for type .* in index_bound \(plugin\.c:\d+\)$/,
  ],
  [
    'null-member',
    'fail',
    /^UndefinedBehaviorSanitizer: member access within null pointer .* in null_member \(plugin\.c:\d+\)$/,
  ],
  ['divide', 'crash', /^UndefinedBehaviorSanitizer: division by zero in divide \(plugin\.c:\d+\)$/],
  [
    'bad-bool',
    'fail',
    /^UndefinedBehaviorSanitizer: load of value 2, which is not a valid value .* in bad_bool \(plugin\.c:\d+\)$/,
  ],
];
const THREAD: Faults = [['race', 'fail', /^ThreadSanitizer: data race in add \(plugin\.c:\d+\)$/]];

const BUILDS: readonly [Compiler, SanitizerFlag[], Faults][] = [
  ['gcc', ['address'], ADDRESS],
  ['gcc', ['undefined'], UNDEFINED],
  ['gcc', ['thread'], THREAD],
  ['gcc', ['leak'], []],
  ['gcc', ['address', 'undefined'], [ADDRESS[0]!, UNDEFINED[1]!]],
  ['clang', ['address'], ADDRESS],
  ['clang', ['undefined'], UNDEFINED],
  ['clang', ['thread'], THREAD],
  ['clang', ['address', 'undefined'], [ADDRESS[0]!, UNDEFINED[1]!]],
];

// Debian has Clang's runtimes in a package of their own.
describe.each(BUILDS)('%s -fsanitize=%s', (compiler, flags, faults) => {
  const here = hasRuntime(compiler, flags);
  let library: string;
  beforeAll(async () => {
    if (here) library = await buildSanitized(compiler, flags);
  }, 600_000);

  const run = (fault: string, ...more: string[]) =>
    cli(['run', '--plugin', library, ...more, '--workers', '1', '--output', 'out'], {
      env: { PJRT_SANITIZER_FAULT: fault },
    });

  test.skipIf(!here).each(faults)('%s: a %s that names the place', async (fault, status, line) => {
    const { exitCode, stdout, stderr, report } = await run(fault, '--tests', CASE);
    expect(exitCode, stdout + stderr).toBe(1);
    const [one] = report.suites.flatMap(({ cases }) => cases);
    expect(one).toMatchObject({ id: CASE, status });
    const [finding, ...others] = one!.findings ?? [];
    expect(finding).toMatchObject({ type: 'pjrt.Sanitizer', level: 'must', requirements: ['HYG-SAN-001'] });
    expect(finding!.message).toMatch(line);
    expect(others.every(({ type }) => type === 'pjrt.Sanitizer')).toBe(true);
    // Nothing that says nothing, and nothing that differs from run to run.
    expect(finding!.detail).not.toMatch(/0x[0-9a-f]{4}|Shadow|FRAME|node::|koffi/);
  });

  test.skipIf(!here || faults[0]?.[1] !== 'crash')(
    'what dies in a call that it must refuse violates what forbids that',
    async () => {
      const [fault, , line] = faults[0]!;
      const { report } = await run(fault, '--tests', 'client/lookup:unknown-id[id=-1]');
      const [finding] = report.suites.flatMap(({ cases }) => cases)[0]!.findings ?? [];
      expect(finding).toMatchObject({ type: 'pjrt.Sanitizer', level: 'must', requirements: ['CLI-LKP-002'] });
      expect(finding!.message).toMatch(line);
    },
  );

  test.skipIf(!here)('nothing is said of a plugin without an error', async () => {
    const { exitCode, stdout, stderr, report } = await run('', '--suite', 'client/lookup', '--suite', 'client/queries');
    expect(exitCode, stdout + stderr).toBe(0);
    expect(report.notes.filter(({ fact }) => fact?.kind === 'sanitizer')).toEqual([]);
    expect(report.notes.find(({ message }) => message.includes('was built with'))?.message).toMatch(
      /^\S+ was built with \w+Sanitizer.*: workers load the runtime first \(.+\), and what it reports of the plugin are findings$/,
    );
  });

  test.skipIf(!here)('nothing is said of functions that are left by a jump, whatever thread calls them', async () => {
    const cases = ['--tests', 'client/lookup*', '--tests', 'resources/threads:failures'];
    const { exitCode, stdout, stderr, report } = await run('jump', ...cases, '--repeat', '2');
    expect(exitCode, stdout + stderr).toBe(0);
    expect(report.suites.flatMap(({ cases }) => cases).flatMap(({ findings = [] }) => findings)).toEqual([]);
  });

  test.skipIf(!here || !(flags.includes('leak') || flags.includes('address')))(
    'a leak is a note, with its place',
    async () => {
      const { exitCode, report } = await run('leak', '--tests', CASE);
      expect(exitCode).toBe(0);
      expect(report.notes.filter(({ fact }) => fact?.kind === 'sanitizer').map(({ message }) => message)).toEqual([
        expect.stringMatching(
          /^LeakSanitizer: Direct leak in leak \(plugin\.c:\d+\), in worker 1 after client\/lookup:by-id, its last case$/,
        ),
      ]);
    },
  );
});
