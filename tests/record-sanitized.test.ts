import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeCompileOptions } from '../harness/knowledge/programs/compile-options.ts';
import { command } from './support/command.ts';
import { referenceLibrary } from './support/reference.ts';
import { runtimeOf, SANITIZERS, SanitizedRecorder, type Sanitizers } from './support/sanitized-recorder.ts';

/** The recorder with sanitizers, in a program whose threads do everything at the same time. */

const PROGRAM = `module @twice {
  func.func public @main(%arg0: tensor<1024xf32>) -> tensor<1024xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<1024xf32>
    return %0 : tensor<1024xf32>
  }
}
`;

describe.each(Object.keys(SANITIZERS) as Sanitizers[])('%s', (sanitizers) => {
  const here = runtimeOf(sanitizers) !== undefined;
  let directory: string;
  let recorder: SanitizedRecorder;
  let args: string[];

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'pjrt-record-sanitized-'));
    if (!here) return;
    const [program, options] = [join(directory, 'program.mlir'), join(directory, 'options')];
    writeFileSync(program, PROGRAM);
    writeFileSync(options, encodeCompileOptions());
    args = [await referenceLibrary(), program, options, '3', 'fork'];
    recorder = await SanitizedRecorder.build(sanitizers, directory, 'stress');
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test.skipIf(!here).each<[string, Record<string, string>]>([
    ['all data', {}],
    ['hashes', { PJRT_CONFORMANCE_RECORD_KEEP: 'hashes' }],
    ['a size that is reached', { PJRT_CONFORMANCE_RECORD_MAX_SIZE: '6000000' }],
  ])('no report with %s, and the trace is whole', (name, settings) => {
    const trace = join(directory, name.replaceAll(' ', '-'));
    const { status, stderr, reports } = recorder.record(trace, args, settings);
    expect(reports).toEqual([]);
    expect(status, stderr).toBe(0);
    const shown = command(['trace', 'show', trace], directory);
    expect([shown.status, shown.stderr]).toEqual([0, '']);
    const reached = 'PJRT_CONFORMANCE_RECORD_MAX_SIZE' in settings;
    expect(shown.stdout.includes('ended: --max-size was reached')).toBe(reached);
    // The process, and three children of a fork; those of a process whose recording has ended are not recorded.
    const processes = shown.stdout.match(/^pid-/gm)?.length ?? 0;
    if (!reached) expect(processes).toBe(4);
    expect(shown.stdout).not.toContain('missing');
  });
});
