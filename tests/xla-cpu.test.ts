import { beforeAll, describe, expect, test } from 'vitest';
import { type CliRun, casesOf, runCli, unexplained } from './support/cli.ts';
import { installerAvailable } from './support/installer.ts';

/** A full run of a real plugin, which is fetched into the user's cache first. */
const fetchable = installerAvailable();
const name = fetchable ? 'a full run of xla-cpu' : 'a full run of xla-cpu (skipped: neither pip nor uv is here)';

describe.skipIf(!fetchable)(name, () => {
  let run: CliRun;
  beforeAll(async () => {
    run = await runCli(['--plugin', 'xla-cpu', '--workers', '2', '--accept-known']);
  });

  test('a green run fits on a screen', () => {
    expect(run.exitCode, run.stdout).toBe(0);
    expect(run.stdout.trimEnd().split('\n').length, run.stdout).toBeLessThanOrEqual(60);
    expect(run.stdout).toMatch(/^known +\d+ cases, by \d+ known deviations of the manifest/m);
  });

  test('every failure is a known deviation, and there are no internal errors', () => {
    expect(unexplained(run)).toEqual([]);
    expect(casesOf(run).filter((c) => c.status === 'pass').length).toBeGreaterThan(900);
  });

  test('the capabilities of its extension functions are known', () => {
    const slots = run.report.capabilities[0]!.extensions.flatMap((e) =>
      e.slots.map((s): [string, string] => [`${e.name}.${s.name}`, s.ability]),
    );
    expect(Object.fromEntries(slots)).toMatchObject({
      'PhaseCompile.phase_compile_get_compiler': 'null',
      'PhaseCompile.phase_compile_get_phase_names': 'not-called',
      'PhaseCompile.phase_compile_run_phases': 'not-called',
      'FFI.type_register': 'works',
      'FFI.register_handler': 'works',
      'MemoryDescriptions.PJRT_DeviceDescription_MemoryDescriptions': 'works',
      'Layouts.PJRT_Layouts_MemoryLayout_Serialize': 'works',
      'Layouts.PJRT_Layouts_PJRT_Executable_GetParameterLayouts': 'absent',
    });
  });
});
