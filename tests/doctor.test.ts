import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Diagnosis } from '../harness/commands/doctor/diagnosis.ts';
import { withFile } from '../harness/knowledge/binary/byte-source.ts';
import { readElfFile } from '../harness/knowledge/binary/elf-file.ts';
import { PT_DYNAMIC, readElfHeader } from '../harness/knowledge/binary/elf-header.ts';
import { compile } from './support/c-compiler.ts';
import { cli } from './support/cli.ts';
import { buildHostile } from './support/hostile.ts';
import { installerAvailable } from './support/installer.ts';
import { parseAs } from './support/json-schemas.ts';
import { STRANGE_FILES } from './support/strange-files.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-doctor-'));
  for (const [name, { bytes }] of Object.entries(STRANGE_FILES)) writeFileSync(join(directory, name), bytes);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Runs `doctor --format json`; the output must match the schema and the exit code. */
async function diagnosed(plugin: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const { exitCode, stdout, stderr, leftovers } = await cli(['doctor', plugin, '--format', 'json', ...args], { env });
  expect(leftovers).toEqual([]);
  expect(stderr).not.toMatch(/\n\s+at |^error/);
  const diagnosis = parseAs<Diagnosis>('diagnosis', stdout);
  expect(exitCode).toBe(diagnosis.exitCode);
  return diagnosis;
}

test.each(['mach-o.dylib', 'windows.dll', 'narrow.so', 'wheel.so', 'text.so', 'empty.so', 'cut-off.so'])(
  '%s: the file is the cause',
  async (name) => {
    const { findings, verdict } = await diagnosed(join(directory, name));
    expect(findings[0]).toMatchObject({ id: 'file', severity: 'error', next: expect.stringMatching(/\w/) });
    expect(verdict).toMatch(/^cannot be loaded: the file is /);
  },
);

test('a missing file is a finding; a mistyped name is wrong usage', async () => {
  mkdirSync(join(directory, 'subdirectory'));
  expect((await diagnosed(join(directory, 'subdirectory'))).findings[0]?.what).toMatch(/is a directory/);
  expect((await diagnosed(join(directory, 'text.sp'))).findings[0]).toMatchObject({
    what: expect.stringMatching(/^no such file: /),
    next: 'did you mean "text.so"?',
  });
  expect((await diagnosed('/bin/true')).verdict).toBe('cannot be loaded: the file is a program, not a shared library');
  const { exitCode, stderr } = await cli(['doctor', 'xla-cup']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('did you mean "xla-cpu"?');
});

describe('plugins with one fault', () => {
  test.each<[string, string, RegExp, RegExp]>([
    [
      'missing-dependency',
      'needed-library',
      /the needed library libpjrt-hostile-absent\.so\.1 is not found/,
      /LD_LIBRARY_PATH/,
    ],
    ['undefined-symbol', 'undefined-symbol', /a symbol is in no library/, /-z,defs/],
    ['no-get-pjrt-api', 'entry-point', /exports no GetPjrtApi, but GetPjRtApi/, /to the letter/],
    ['returns-null', 'load', /GetPjrtApi returned NULL/, /address of a table/],
    ['struct-size-0', 'load', /struct_size is 0/, /PJRT_Api_STRUCT_SIZE/],
    ['major-1', 'version', /API is 1\./, /newer header/],
    ['abort-at-load', 'death', /died with SIGABRT in dlopen/, /failed check/],
    ['exit-at-load', 'death', /exited with code 0.* in dlopen/, /never end the process/],
    ['exit-crashes-at-load', 'death', /exited with code 4.* in dlopen/, /never end the process/],
    ['segv-in-client-create', 'death', /died with SIGSEGV in PJRT_Client_Create/, /debugger/],
    ['null-slots', 'devices', /^PJRT_Client_Devices is NULL in the plugin's table$/, /every framework first lists/],
    ['client-create-error', 'client', /PJRT_Client_Create fails with [A-Z_]+: \w/, /plugin's own/],
  ])('%s', async (name, id, what, next) => {
    const { findings, usable } = await diagnosed(await buildHostile(name));
    expect(usable).toBe(false);
    expect(findings[0]).toMatchObject({
      id,
      severity: 'error',
      what: expect.stringMatching(what),
      next: expect.stringMatching(next),
    });
  });

  test('a missing version of the C library', async () => {
    const toy = await buildHostile('toy');
    const needed = withFile(toy, readElfFile).neededVersions.find((v) => v.library === 'libc.so.6')!;
    const newer = needed.version.replace(/\d/g, '9');
    const bytes = readFileSync(toy);
    const at = bytes.indexOf(`\0${needed.version}\0`, 0, 'latin1');
    bytes.write(newer, at + 1, 'latin1');
    writeFileSync(join(directory, 'newer.so'), bytes);
    const { findings, verdict } = await diagnosed(join(directory, 'newer.so'));
    expect(verdict).toBe(`does not load: libc.so.6 has no ${newer}`);
    expect(findings[0]).toMatchObject({ id: 'needed-version', next: expect.stringContaining('at least as new') });
    expect(findings[1]).toMatchObject({ id: 'load', what: expect.stringContaining(`version \`${newer}' not found`) });
  });

  test('a truncated library: the damage is the cause, unless the loader does not need that part', async () => {
    const toy = await buildHostile('toy');
    const bytes = readFileSync(toy);
    const { segments } = withFile(toy, readElfHeader);
    const dynamic = segments.find((s) => s.type === PT_DYNAMIC)!;
    writeFileSync(join(directory, 'torn.so'), bytes.subarray(0, dynamic.offset));
    const torn = await diagnosed(join(directory, 'torn.so'));
    expect(torn.findings[0]).toMatchObject({
      id: 'damaged',
      severity: 'error',
      what: expect.stringMatching(/the dynamic section would be bytes .*, but the file has \d+: it is cut off/),
    });
    expect(torn.verdict).toMatch(/^does not load: the file is damaged: /);
    writeFileSync(join(directory, 'scratched.so'), bytes.subarray(0, bytes.length - 64));
    const scratched = await diagnosed(join(directory, 'scratched.so'));
    expect(scratched.findings[0]).toMatchObject({ id: 'damaged', severity: 'warning' });
    expect(scratched.usable).toBe(true);
  });

  test('a hang ends at the deadline', async () => {
    const { findings } = await diagnosed(await buildHostile('hang-in-client-create'), ['--timeout', '4s']);
    expect(findings[0]).toMatchObject({ id: 'death', next: expect.stringContaining('--timeout') });
    expect(findings[0]?.evidence).toContain('call in progress: PJRT_Client_Create');
    expect(findings.find((f) => f.id === 'load')?.severity).toBe('ok');
  });

  test('an undefined function does not prevent loading, and is reported', async () => {
    const { findings } = await diagnosed(await buildHostile('unresolved-function'));
    const finding = findings.find((f) => f.id === 'undefined-symbol');
    expect(finding).toMatchObject({ severity: 'warning' });
    expect(finding?.evidence[0]).toBe('pjrt_hostile_function_that_nobody_defines');
  });

  test('a library for another processor, and one in LD_LIBRARY_PATH for this one', async () => {
    const plugin = await buildHostile('missing-dependency');
    const name = 'libpjrt-hostile-absent.so.1';
    for (const [place, bytes] of Object.entries({ wrong: STRANGE_FILES['narrow.so']!.bytes })) {
      mkdirSync(join(directory, place));
      writeFileSync(join(directory, place, name), bytes);
    }
    const wrong = await diagnosed(plugin, [], { LD_LIBRARY_PATH: join(directory, 'wrong') });
    const place = `looked in LD_LIBRARY_PATH ${join(directory, 'wrong')} (found, but for another processor)`;
    expect(wrong.findings[0]?.evidence).toContain(place);
    mkdirSync(join(directory, 'right'));
    const soname = `-Wl,-soname,${name}`;
    await compile(['-shared', soname, '-x', 'c', '/dev/null', '-o', join(directory, 'right', name)]);
    const right = await diagnosed(plugin, [], { LD_LIBRARY_PATH: join(directory, 'right') });
    expect(right.findings.find((f) => f.id === 'needed-libraries')?.severity).toBe('ok');
    expect(right.usable).toBe(true);
  });
});

test('a valid plugin: the verdict is the last line, and variables that are set are shown', async () => {
  const toy = await buildHostile('toy');
  const diagnosis = await diagnosed(toy, [], { JAX_PLATFORMS: 'cpu' });
  expect(diagnosis).toMatchObject({ usable: true, exitCode: 0, devices: expect.any(Number) });
  expect(diagnosis.findings.map((f) => f.severity)).not.toContain('error');
  expect(diagnosis.findings.find((f) => f.id === 'environment')?.evidence.join()).toContain('JAX_PLATFORMS=cpu');
  const { stdout } = await cli(['doctor', toy]);
  expect(stdout).toMatch(/\ntoy loads and creates a client \(\d+ devices?\) \(exit code 0\)\n$/);
  expect(stdout).toContain('✓ it is loaded: API 0.114');
  expect(stdout).toMatch(/\n✓ (no debugger is installed|debuggers that are installed: .+)\n/);
  const debuggers = diagnosis.findings.find((f) => f.id === 'debuggers')!;
  expect([debuggers.severity, debuggers.evidence[0]]).toEqual(['ok', expect.stringMatching(/^gdb: /)]);
});

test('facts of a manifest: device nodes, lock files, variables', async () => {
  copyFileSync(await buildHostile('client-create-error'), join(directory, 'foo.so'));
  const lock = join(directory, 'lock');
  writeFileSync(lock, '');
  const manifest = {
    name: 'foo',
    library: './foo.so',
    hardware: { name: 'a Foo', nodes: [join(directory, 'no-node*')], lockFiles: [lock], advice: 'plug it in' },
    environment: [{ name: 'FOO_HOME', about: 'where it lives', suspect: 'unset', advice: 'set it' }],
  };
  writeFileSync(join(directory, 'foo.json'), JSON.stringify(manifest));
  const { findings, verdict } = await diagnosed(join(directory, 'foo.json'));
  expect(verdict).toBe('loads, but creates no client: no device node of a Foo is here');
  expect(findings.map((f) => `${f.id} ${f.severity}`)).toEqual(
    expect.arrayContaining(['device-node error', 'client error', 'environment warning', 'lock-file info', 'load ok']),
  );
  expect(findings[0]?.next).toBe('plug it in');
});

const fetchable = installerAvailable();
describe.skipIf(!fetchable)(fetchable ? 'real plugins' : 'real plugins (skipped: neither pip nor uv is here)', () => {
  test('xla-cpu is healthy', async () => {
    expect(await diagnosed('xla-cpu')).toMatchObject({ usable: true, devices: 4 });
  });

  test.each([
    ['xla-cuda13', 'FAILED_PRECONDITION'],
    ['libtpu', 'NOT_FOUND'],
  ])("%s without its device: the plugin's message", async (plugin, code) => {
    const { findings, usable, verdict } = await diagnosed(plugin);
    expect(usable).toBe(false);
    expect(verdict).toMatch(/^loads, but creates no client: /);
    const client = findings.find((f) => f.id === 'client');
    expect(client?.what).toContain(`PJRT_Client_Create fails with ${code}: `);
    expect(client?.evidence.join('\n')).toMatch(/stderr: \w/);
    expect(findings.find((f) => f.id === 'needed-libraries')?.severity).toBe('ok');
  });
});
