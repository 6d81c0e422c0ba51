import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Inspection } from '../harness/commands/inspect/inspection.ts';
import { cli } from './support/cli.ts';
import {
  MACH_ARM64,
  MACH_X64,
  machLibrary,
  PE_ARM64,
  PE_X64,
  peLibrary,
  universalLibrary,
} from './support/foreign-libraries.ts';
import { buildHostile } from './support/hostile.ts';
import { installerAvailable } from './support/installer.ts';
import { parseAs } from './support/json-schemas.ts';
import { STRANGE_FILES } from './support/strange-files.ts';

const LIBRARY = {
  minimumSystem: [13, 0] as [number, number],
  name: 'plugin',
  needed: ['/usr/lib/libSystem.B.dylib'],
  optional: ['later.dll'],
  exported: ['GetPjrtApi', 'other'],
  api: { structSize: 808, minor: 47 },
};

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-inspect-'));
  for (const [name, { bytes }] of Object.entries(STRANGE_FILES)) writeFileSync(join(directory, name), bytes);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Runs `inspect --format json`; the output must match the schema. */
async function inspected(plugin: string, args: readonly string[] = []) {
  const { exitCode, stdout, stderr, leftovers } = await cli(['inspect', plugin, '--format', 'json', ...args]);
  expect(leftovers).toEqual([]);
  expect(stderr).not.toMatch(/\n\s+at /);
  return { exitCode, inspection: parseAs<Inspection>('inspection', stdout) };
}

const text = async (plugin: string): Promise<string> => (await cli(['inspect', plugin])).stdout;

describe('files that no machine loads as a plugin', () => {
  test.each(Object.entries(STRANGE_FILES))('%s', async (name, { bytes, description }) => {
    const { exitCode, inspection } = await inspected(join(directory, name));
    expect(exitCode).toBe(3);
    expect(inspection.file.description).toMatch(description);
    expect(inspection.file.unloadable).toBeDefined();
    expect(inspection.plugin.sizeBytes).toBe(bytes.length);
    expect(inspection).not.toHaveProperty('loaded');
  });

  test('libraries of other systems: what they need, and whether they are plugins', async () => {
    const mac = { ...LIBRARY, machine: MACH_ARM64 };
    const files: [string, Buffer, RegExp[]][] = [
      ['plugin.dylib', machLibrary(mac), [/at least +macOS 13\.0/, /needs +\/usr\/lib\/libSystem\.B\.dylib/]],
      [
        'both.dylib',
        universalLibrary([mac, { ...mac, machine: MACH_X64 }]),
        [/for +AArch64\n.*API +0\.47.*for +x86-64\n.*API +0\.47/s],
      ],
      ['plugin.dll', peLibrary({ ...LIBRARY, machine: PE_X64 }), [/at least +Windows 13\.0/, /may need +later\.dll/]],
      ['arm.dll', peLibrary({ ...LIBRARY, machine: PE_ARM64 }), [/is +a DLL for Windows \(PE\) for AArch64/]],
    ];
    for (const [name, bytes, lines] of files) {
      const path = join(directory, name);
      writeFileSync(path, bytes);
      const { exitCode, inspection } = await inspected(path);
      expect(exitCode).toBe(3);
      expect(inspection.file.images?.[0]).toMatchObject({
        exports: { count: 2, getPjrtApi: true },
        api: { major: 0, minor: 47 },
        faults: [],
      });
      const screen = await text(path);
      for (const line of [...lines, /exports +2 symbols, GetPjrtApi among them/]) expect(screen).toMatch(line);
      expect(screen).toMatch(/! this machine cannot load it: this machine needs a \w+/);
    }
    const plugin = join(directory, 'plugin.dylib');
    const { stdout } = await cli(['doctor', plugin]);
    expect(stdout).toContain('it needs macOS 13.0 or newer, exports GetPjrtApi, has the table of API 0.47');
    const run = await cli(['run', '--plugin', plugin, '--tests', 'load/table:*', '--output', join(directory, 'run')]);
    expect(run.exitCode).toBe(3);
    expect(run.stdout).toMatch(
      /nothing proven: plugin could not be loaded: \S+plugin\.dylib: the file is a dynamic library for macOS \(Mach-O, 64-bit\) for AArch64; this machine needs a shared library \(ELF, [^;:]* for [\w-]+ \(exit code 3\)/,
    );
  });

  test('a program', async () => {
    const { exitCode, inspection } = await inspected('/bin/true');
    expect(exitCode).toBe(3);
    expect(inspection.file.unloadable).toContain('a program, not a shared library');
    expect(await text('/bin/true')).toMatch(/exports +\d+ symbols, but no GetPjrtApi/);
  });
});

test('usage: exit code 2 and one message that says where and what to do', async () => {
  const secret = join(directory, 'secret.so');
  writeFileSync(secret, 'x');
  chmodSync(secret, 0);
  mkdirSync(join(directory, 'subdirectory'));
  const cases: [string, RegExp][] = [
    [join(directory, 'subdirectory'), /is a directory with 0 plugins .*give the path of the library/],
    [join(directory, 'text.sp'), /--plugin .*: no such file: .*text\.sp; did you mean "text\.so"\?/],
    ['xla-cup', /no plugin of this name; did you mean "xla-cpu"\?/],
  ];
  // Root may read everything.
  if (process.getuid?.() !== 0) cases.push([secret, /cannot be read: permission denied/]);
  for (const [plugin, message] of cases) {
    const { exitCode, stdout, stderr } = await cli(['inspect', plugin]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  }
});

describe('plugins', () => {
  test('a valid one: file, table, extensions, attributes', async () => {
    const toy = await buildHostile('toy');
    const { exitCode, inspection } = await inspected(toy);
    expect(exitCode).toBe(0);
    expect(inspection).toMatchObject({
      plugin: { name: 'toy', path: toy },
      file: { format: 'elf', elf: { exports: { getPjrtApi: true, shared: [] }, faults: [] } },
      loaded: { apiVersion: { major: 0, minor: 114 }, standing: 'known', table: { structSize: 1144, nullSlots: [] } },
      warnings: [],
    });
    expect(inspection).not.toHaveProperty('failure');
    const screen = await text(toy);
    expect(screen).toMatch(/API +0\.114, published 2026-\d\d-\d\d/);
    expect(screen).toMatch(/struct_size 1144, as 0\.114 has; 138 functions, none NULL/);
    expect(screen.split('\n').length).toBeLessThan(50);
  });

  test('NULL slots and a table of the wrong size are reported', async () => {
    expect(await text(await buildHostile('null-slots'))).toMatch(/\d+ NULL\n +NULL: PJRT_/);
    expect(await text(await buildHostile('struct-size-huge'))).toMatch(/struct_size \d+, but 0\.114 has 1144/);
  });

  test.each<[string, RegExp, string | undefined]>([
    ['missing-dependency', /libpjrt-hostile-absent\.so\.1: cannot open shared object file/, 'load'],
    ['no-get-pjrt-api', /exports no GetPjrtApi/, 'load'],
    ['returns-null', /GetPjrtApi returned NULL/, 'load'],
    ['segv-in-get-api', /the process died with SIGSEGV in GetPjrtApi/, 'load'],
    ['abort-at-load', /the process died with SIGABRT in dlopen/, 'load'],
    ['exit-at-load', /the process exited with code \d+ .*in dlopen/, 'load'],
    ['major-1', /the plugin's PJRT C API is 1\.\d+/, 'version'],
    ['hang-in-plugin-initialize', /the deadline of 2 s for one native call passed/, 'initialize'],
  ])('%s: the file is still shown, and why it was not loaded', async (name, message, stage) => {
    const path = await buildHostile(name);
    const args = name.startsWith('hang') ? ['--timeout', '2s'] : [];
    const { exitCode, inspection } = await inspected(path, args);
    expect(exitCode).toBe(3);
    expect(inspection.file.elf?.needed).toContain('libc.so.6');
    expect(inspection.failure?.message).toMatch(message);
    expect(inspection.failure?.stage).toBe(stage);
  });

  test('a query that kills the process loses only its own result', async () => {
    const { exitCode, inspection } = await inspected(await buildHostile('cyclic-extensions'));
    expect(exitCode).toBe(0);
    expect(inspection.warnings.join()).toContain('the chain is cyclic');
  });
});

const fetchable = installerAvailable();
describe.skipIf(!fetchable)(fetchable ? 'real plugins' : 'real plugins (skipped: neither pip nor uv is here)', () => {
  test('xla-cpu: an older layout is shown with what it lacks', async () => {
    const { exitCode, inspection } = await inspected('xla-cpu');
    expect(exitCode).toBe(0);
    expect(inspection).toMatchObject({
      plugin: { manifest: 'xla-cpu', recognisedBy: 'sha256' },
      loaded: {
        apiVersion: { major: 0, minor: 81 },
        published: { first: '2025-10-22' },
        table: { structSize: 984, expected: [984], functions: 118 },
        stablehlo: { minimum: '0.9.0', current: '1.13.3' },
      },
    });
    const layouts = inspection.loaded?.extensions?.find((e) => e.name === 'Layouts');
    expect(layouts?.size).toMatchObject({
      fit: 'older',
      since: '2025-10-20',
      lacks: ['PJRT_Layouts_PJRT_Executable_GetParameterLayouts'],
    });
    expect(inspection.file.elf?.newestVersions).toContainEqual(
      expect.objectContaining({ family: 'GLIBC', version: '2.27' }),
    );
  });

  test.each([
    ['xla-cuda13', 11, []],
    // Its own layouts are ahead of the headers that are published.
    ['libtpu', 18, ['TpuTopology', 'PhaseCompile']],
  ])('%s: needs no device', async (plugin, extensions, longer) => {
    const { exitCode, inspection } = await inspected(plugin);
    expect(exitCode).toBe(0);
    expect(inspection.loaded).toMatchObject({ standing: 'known', table: { expected: [1144], functions: 138 } });
    const found = inspection.loaded?.extensions ?? [];
    expect(found).toHaveLength(extensions);
    expect(found.filter((e) => e.size.fit === 'longer').map((e) => e.name)).toEqual(longer);
    expect(found.every((e) => e.size.fit === 'newest' || e.size.fit === 'longer')).toBe(true);
  });
});
