import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packagePath } from '../../base/paths.ts';
import { Abi, introducedIn, NEWEST_MINOR, OLDEST_MINOR, structsOf } from './abi.ts';
import { AbiError, NotInVersionError } from './abi-error.ts';
import { parseType } from './c-type.ts';
import digests from './digests.json' with { type: 'json' };
import { type AbiSnapshot, digest, snapshot } from './snapshot.ts';

const minors = Array.from({ length: NEWEST_MINOR - OLDEST_MINOR + 1 }, (_, i) => OLDEST_MINOR + i);
const expanded = (minor: number) => packagePath('..', 'shared', 'abi', `pjrt-abi-0.${minor}.json`);

describe('the compact table', () => {
  it('expands to the recorded digest of every version', () => {
    expect(Object.keys(digests.minors).map(Number)).toEqual(minors);
    const actual = Object.fromEntries(minors.map((minor) => [minor, digest(snapshot(Abi.at(minor)))]));
    expect(actual).toEqual(digests.minors);
  });

  it.skipIf(!existsSync(expanded(OLDEST_MINOR)))('equals the expanded tables it was made from', () => {
    for (const minor of minors.filter((m) => existsSync(expanded(m)))) {
      const source = JSON.parse(readFileSync(expanded(minor), 'utf8')) as AbiSnapshot;
      expect(snapshot(Abi.at(minor)), `0.${minor}`).toEqual(source);
    }
  });
});

describe('layouts', () => {
  it.each([
    [35, 95, 800],
    [81, 118, 984],
    [114, 138, 1144],
    [117, 138, 1144],
  ])('0.%i has %i functions in %i bytes', (minor, functions, bytes) => {
    const abi = Abi.at(minor);
    expect(abi.functions).toHaveLength(functions);
    expect(abi.tableBytes).toBe(bytes);
    expect(abi.slotOffset(abi.functions.at(-1)!)).toBe(bytes - 8);
  });

  it.each([
    ['PJRT_Event_IsReady_Args', 25, 32],
    ['PJRT_Device_MemoryStats_Args', 201, 208],
    ['PJRT_Buffer_MemoryLayout', 76, 80],
    ['PJRT_NamedValue', 56, 56],
    ['PJRT_ExecuteOptions', 160, 160],
  ])('%s ends at %i and occupies %i bytes', (name, structSize, size) => {
    const layout = Abi.at(117).struct(name);
    expect([layout.structSize, layout.size]).toEqual([structSize, size]);
  });

  it('places union members at one offset', () => {
    const value = Abi.at(117).struct('PJRT_NamedValue');
    const members = ['string_value', 'int64_value', 'int64_array_value', 'float_value', 'bool_value'];
    expect(members.map((name) => value.field(name).offset)).toEqual([40, 40, 40, 40, 40]);
    expect(value.field('value_size').offset).toBe(48);
  });

  it('keeps sizes that a header declares wrongly apart from the end of the last field', () => {
    const attributes = Abi.at(60).struct('PJRT_Plugin_Attributes_Args');
    expect([attributes.structSize, attributes.declaredSize]).toEqual([32, 24]);
    expect(Abi.at(72).struct('PJRT_Plugin_Attributes_Args').declaredSize).toBe(32);
    expect(Abi.at(72).struct('PJRT_Chunk').declaredSize).toBeNull();
  });

  it('follows the slot that moved', () => {
    expect(Abi.at(56).slotOffset('PJRT_Buffer_CopyRawToHost')).not.toBe(
      Abi.at(57).slotOffset('PJRT_Buffer_CopyRawToHost'),
    );
    expect(Abi.at(55).slotOffset('PJRT_Buffer_CopyRawToHost')).toBeUndefined();
    expect(Abi.at(57).functions.at(-1)).toBe('PJRT_Buffer_CopyRawToHost');
    expect(introducedIn('PJRT_Buffer_CopyRawToHost')).toBe(56);
    expect(introducedIn('PJRT_Client_Create')).toBe(OLDEST_MINOR);
  });

  it('knows enum values by version', () => {
    expect(Abi.at(46).enumNames('PJRT_HostBufferSemantics').get(2)).toBe('PJRT_HostBufferSemantics_kZeroCopy');
    expect(Abi.at(117).enumValues('PJRT_Buffer_Type').get('PJRT_Buffer_Type_F6E3M2FN')).toBe(33);
    expect(Abi.at(113).enumValues('PJRT_Buffer_Type').has('PJRT_Buffer_Type_F6E3M2FN')).toBe(false);
  });

  it('marks outputs', () => {
    const args = Abi.at(117).argsOf('PJRT_Event_IsReady');
    expect(args.fields.filter((f) => f.out).map((f) => f.name)).toEqual(['is_ready']);
  });
});

describe('what C types do not say', () => {
  const abi = Abi.at(117);
  const names = (fields: readonly { name: string }[]) => fields.map((f) => f.name);

  it('says what counts, what it counts, and who frees it', () => {
    const serialize = abi.argsOf('PJRT_Executable_Serialize');
    expect(serialize.field('serialized_bytes')).toMatchObject({
      base: 'char',
      depth: 1,
      count: 'serialized_bytes_size',
      content: 'bytes',
      keeper: 'serialized_executable',
    });
    expect(serialize.field('serialized_executable').deleter).toBe('serialized_executable_deleter');
    expect(abi.argsOf('PJRT_Client_Create').field('client').destroy).toBe('PJRT_Client_Destroy');
    expect(abi.argsOf('PJRT_Client_TopologyDescription').field('topology')).not.toHaveProperty('destroy');
    expect(abi.argsOf('PJRT_Executable_OutputDimensions').field('dims').count).toBe('dim_sizes');
  });

  it('parts inputs from outputs, and from memory that the caller gives', () => {
    const toHost = abi.argsOf('PJRT_Buffer_ToHostBuffer');
    expect(names(toHost.outputs)).toEqual(['event']);
    const kinds = abi.argsOf('PJRT_Executable_OutputMemoryKinds');
    expect(names(kinds.outputs)).toEqual(['memory_kinds', 'memory_kind_sizes']);
    expect(names(kinds.inputs)).toEqual(['struct_size', 'extension_start', 'executable']);
    expect(kinds.subject!.name).toBe('executable');
    expect(abi.argsOf('PJRT_Plugin_Initialize').subject).toBeUndefined();
  });

  it('says of slots whether they may be NULL, and whether they start work', () => {
    expect(abi.isNullable('PJRT_Client_Load')).toBe(true);
    expect(abi.isNullable('PJRT_Client_Create')).toBe(false);
    expect(Abi.at(60).isNullable('PJRT_Client_Load')).toBe(false);
    expect(abi.startsWork('PJRT_Buffer_ToHostBuffer')).toBe(true);
    expect(abi.startsWork('PJRT_Buffer_ReadyEvent')).toBe(false);
  });

  it.each([
    ['PJRT_Buffer_Type', 4],
    ['int', 4],
    ['size_t', 8],
    ['char', undefined],
    ['PJRT_NamedValue', undefined],
  ])('knows how wide an integer is: %s', (type, bytes) => {
    expect(abi.integerBytes(type)).toBe(bytes);
  });

  it.each([
    ['size_t', 'size_t', 0],
    ['PJRT_Buffer* const* const*', 'PJRT_Buffer', 3],
    ['const struct PJRT_Extension_Base*', 'PJRT_Extension_Base', 1],
    ['int32_t[3]', 'int32_t', 0],
    ['fnptr: void (*deleter)(PJRT_Client* client)', 'fn', 0],
  ])('takes a type apart: %s', (type, base, depth) => {
    expect(parseType(type)).toEqual({ base, depth });
  });
});

describe('what the tables do not know', () => {
  it('is answered with the newest version when the minor is newer', () => {
    expect(Abi.at(NEWEST_MINOR + 2)).toBe(Abi.at(NEWEST_MINOR));
  });

  it.each<[string, () => unknown, string]>([
    ['an older minor', () => Abi.at(28), 'no table for PJRT C API 0.28: the oldest known version is 0.31'],
    [
      'a field',
      () => Abi.at(117).argsOf('PJRT_Event_IsReady').field('isready'),
      'PJRT_Event_IsReady_Args has no field isready; did you mean "is_ready"?',
    ],
    [
      'a struct',
      () => Abi.at(117).struct('PJRT_NamedValues'),
      'PJRT C API 0.117 has no struct PJRT_NamedValues; did you mean "PJRT_NamedValue"?',
    ],
    [
      'a struct of another version',
      () => Abi.at(60).struct('PJRT_LoadOptions'),
      'PJRT C API 0.60 has no struct PJRT_LoadOptions; it exists in 0.111-',
    ],
    [
      'a function',
      () => Abi.at(117).argsOf('PJRT_Client_Destory'),
      'PJRT C API 0.117 has no function PJRT_Client_Destory; did you mean "PJRT_Client_Destroy"?',
    ],
    [
      'a newer function',
      () => Abi.at(94).argsOf('PJRT_Client_Load'),
      'PJRT C API 0.94 has no function PJRT_Client_Load; it came with 0.95',
    ],
    [
      'an enum',
      () => Abi.at(40).enumValues('PJRT_Extension_Type'),
      'PJRT C API 0.40 has no enum PJRT_Extension_Type; it exists in 0.41-',
    ],
    ['something inherited', () => Abi.at(40).struct('toString'), 'PJRT C API 0.40 has no struct toString'],
  ])('is an error that says what to write: %s', (_, ask, message) => {
    expect(ask).toThrow(AbiError);
    expect(ask).toThrow(new RegExp(`^${message.replace(/[.?*+()]/g, '\\$&')}$`));
  });

  it.each([
    ['a function', () => Abi.at(94).argsOf('PJRT_Client_Load')],
    ['a struct', () => Abi.at(60).struct('PJRT_LoadOptions')],
    ['a field', () => Abi.at(60).struct('PJRT_ExecuteOptions').field('call_location')],
    ['an enum', () => Abi.at(40).enumValues('PJRT_Extension_Type')],
    ['a value', () => Abi.at(60).enumValue('PJRT_Buffer_Type', 'PJRT_Buffer_Type_S1')],
  ])('distinguishes %s of another version from a misspelt one', (_, ask) => {
    expect(ask).toThrow(NotInVersionError);
    expect(ask).toThrow(/; it (exists in|came with) 0\.\d+/);
  });

  it('takes a misspelt name for what it is', () => {
    expect(() => Abi.at(60).struct('PJRT_ExecuteOptions').field('call_locatio')).not.toThrow(NotInVersionError);
    const zeroCopy = 'PJRT_HostBufferSemantics_kImmutableZeroCopy';
    expect(Abi.at(46).enumValue('PJRT_HostBufferSemantics', zeroCopy), 'renamed in 0.47').toBe(2);
    expect(() => Abi.at(60).enumValue('PJRT_Buffer_Type', 'PJRT_Buffer_Type_F31')).toThrow(/did you mean/);
  });
});

describe('callers that send the same structs', () => {
  it('are minors that only brought functions', () => {
    expect(structsOf(58, 54)).toBe(structsOf(54, 54));
    expect(structsOf(115, 54)).toBe(structsOf(114, 54));
    expect(structsOf(118, 54)).toBe(structsOf(117, 54));
  });

  it('are not minors that made a struct longer', () => {
    expect(structsOf(64, 54)).not.toBe(structsOf(58, 54));
    expect(structsOf(76, 54)).not.toBe(structsOf(75, 54));
  });
});
