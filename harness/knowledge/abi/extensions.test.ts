import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packagePath } from '../../base/paths.ts';
import { Abi, NEWEST_MINOR } from './abi.ts';
import { AbiError } from './abi-error.ts';
import digests from './digests.json' with { type: 'json' };
import {
  EXTENSION_TABLE,
  EXTENSIONS,
  extensionEnum,
  extensionFunction,
  extensionNamed,
  extensionSizeOn,
  extensionStruct,
  isExtensionFunction,
} from './extensions.ts';
import { digest, type StructSnapshot, structSnapshot } from './snapshot.ts';

const expanded = packagePath('..', 'shared', 'abi', 'pjrt-extensions-2026-10-26.json');
/** Arrays of the caller that the header calls an output in prose; the measured tables mark them. */
const IN_PROSE = [
  'PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args.send_events',
  'PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args.buffers',
];
const all = [...EXTENSIONS.values()];
const slots = all.flatMap((e) => e.slots);

describe('the extension table', () => {
  it('names the types that the C API names', () => {
    const values = Abi.at(NEWEST_MINOR).enumValues('PJRT_Extension_Type');
    const named = all.map((e) => [`PJRT_Extension_Type_${e.name}`, e.type]);
    expect(Object.fromEntries(named)).toEqual(Object.fromEntries(values));
  });

  it('knows functions by extension and slot', () => {
    const { extension, slot, args } = extensionFunction('Layouts.PJRT_Layouts_MemoryLayout_Destroy');
    expect([extension, slot, args().name]).toEqual([
      'Layouts',
      'PJRT_Layouts_MemoryLayout_Destroy',
      'PJRT_Layouts_MemoryLayout_Destroy_Args',
    ]);
    expect(isExtensionFunction('PJRT_Client_Create')).toBe(false);
    expect(() => extensionFunction('Layouts.PJRT_Layouts_MemoryLayout_Destory')).toThrow(/did you mean/);
  });

  it('has the recorded digest for every header', () => {
    const actual = Object.entries(EXTENSION_TABLE.headers).map(([header, rows]) => [header, digest(rows)]);
    expect(Object.fromEntries(actual)).toEqual(digests.extensions);
  });

  it.skipIf(!existsSync(expanded))('equals the layouts that a compiler measured', () => {
    const text = readFileSync(expanded, 'utf8').replaceAll('PJRT_NO_DISCARD ', '');
    const headers = JSON.parse(text) as Record<
      string,
      { structs: Record<string, StructSnapshot>; enums: Record<string, Record<string, number>> }
    >;
    const structs = Object.values(headers).flatMap((h) => Object.entries(h.structs));
    expect(structs.length).toBeGreaterThan(150);
    for (const [name, source] of structs) {
      const layout = extensionStruct(name);
      // The measured tables do not call a field an output that the caller fills in too.
      for (const f of source.fields) if (layout.field(f.name).inOut) f.out = true;
      for (const f of source.fields) if (IN_PROSE.includes(`${name}.${f.name}`)) f.out = false;
      expect(structSnapshot(layout), name).toEqual(source);
    }
    for (const [name, values] of Object.values(headers).flatMap((h) => Object.entries(h.enums))) {
      expect(Object.fromEntries(extensionEnum(name)), name).toEqual(values);
    }
  });

  it('has 145 slots: 136 functions, 6 dead ones, a table, an integer and a flag', () => {
    const count = (kind: string) => slots.filter((s) => s.kind === kind).length;
    expect(['function', 'dead', 'pointer', 'int64', 'bool'].map(count)).toEqual([136, 6, 1, 1, 1]);
  });

  it('knows what every function takes and returns', () => {
    const functions = slots.filter((s) => s.kind === 'function');
    expect(functions.filter((s) => s.args === undefined || s.returns === undefined)).toEqual([]);
    const silent = functions.filter((s) => s.returns === 'void').map((s) => s.name);
    expect(silent).toEqual([
      'phase_compile_destroy_compiler',
      'phase_compile_c_buffers_destroy',
      'PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice',
      'destroy_serialized_metadata',
      'destroy_hlo_pass_pipeline_trace',
    ]);
  });

  it('classes the probes', () => {
    const named = (probe: string) => all.filter((e) => e.probe === probe && e.status === 'current').map((e) => e.name);
    expect(named('A')).toEqual([
      'Profiler',
      'Layouts',
      'MemoryDescriptions',
      'PhaseCompile',
      'ExecutableMetadata',
      'Shardings',
      'AbiVersion',
    ]);
    expect(named('B')).toEqual(['Stream', 'FFI', 'RawBuffer', 'Callback', 'HostMemoryAllocator']);
    expect(named('R')).toHaveLength(11);
  });

  it.each([
    ['Layouts', [56, 64, 72, 80]],
    ['XlaTransform', [32, 40, 56]],
    ['Gpu_Custom_Call', [32, 33]],
    ['TpuTopology', [240, 248, 272]],
    ['FFI', [32, 40, 48, 56]],
  ])('knows all sizes of %s', (name, sizes) => {
    const extension = extensionNamed(name);
    expect(extension.knownSizes).toEqual(sizes);
    expect(sizes).toContain(extension.size);
  });

  it('has no layout for a removed or reserved type', () => {
    const without = all.filter((e) => e.size === undefined).map((e) => [e.type, e.name, e.status]);
    expect(without).toEqual([
      [11, 'Unknown', 'reserved'],
      [15, 'HostAllocator', 'removed'],
    ]);
  });

  it('says which slots may be null and which are never called', () => {
    const phase = extensionNamed('PhaseCompile');
    expect(phase.slots.map((s) => [s.name, s.nullable, s.probe])).toEqual([
      ['phase_compile_get_compiler', true, 'A'],
      ['phase_compile_destroy_compiler', true, 'A'],
      ['phase_compile_run_phases', false, 'R'],
      ['phase_compile_get_phase_names', false, 'A'],
      ['phase_compile_c_buffers_destroy', false, 'A'],
    ]);
  });

  it('knows how large an extension was on a day', () => {
    expect(extensionSizeOn('RawBuffer', Abi.at(60).lastDate)).toBeUndefined();
    expect(extensionSizeOn('Layouts', Abi.at(60).lastDate)).toBe(56);
    expect(extensionSizeOn('Layouts', Abi.at(114).lastDate)).toBe(80);
    expect(extensionSizeOn('Nothing', '2026-01-01')).toBeUndefined();
  });

  it('is an error to ask for what is not there', () => {
    expect(() => extensionNamed('Layout')).toThrow(new AbiError('no extension Layout; did you mean "Layouts"?'));
    expect(() => extensionStruct('PJRT_Layouts_Extensions')).toThrow(/did you mean "PJRT_Layouts_Extension"\?/);
    expect(() => extensionEnum('PJRT_Nothing')).toThrow(AbiError);
  });
});
