import { describe, expect, test } from 'vitest';
import { designNames, loadDesign } from './design.ts';
import { environmentOf } from './plugin.ts';

describe('designs', () => {
  test.each(designNames())('%s is readable, and all names in it exist', (name) => {
    const design = loadDesign(name);
    expect(design.name).toBe(name);
    const environment = environmentOf(design, '/base.so');
    expect(environment.PJRT_DESIGN_BASE).toBe('/base.so');
    // A design that changes nothing would be valid for no reason.
    expect(Object.keys({ ...environment, ...design.options }).length).toBeGreaterThan(1);
  });

  test('an unknown one is reported with those that exist', () => {
    expect(() => loadDesign('no-memory')).toThrow(/no design is called "no-memory"; there are .*no-memories/);
    expect(() => loadDesign('../faults/catalogue')).toThrow('no design is called');
  });
});

describe('together', () => {
  test('two designs remove what each of them removes', () => {
    const { name, wrapper, source } = loadDesign('few-dtypes+no-64-bits+no-sort');
    expect(name).toBe('few-dtypes+no-64-bits+no-sort');
    expect(wrapper?.elementTypes).toEqual(['pred', 's32', 'u32', 'f32']);
    expect(wrapper?.withoutOps).toEqual(['sort']);
    expect(wrapper?.withoutExtensions).toEqual(['PhaseCompile', 'CrossHostTransfers']);
    expect(source).toHaveLength(3);
  });

  test('a missing function does not answer', () => {
    const slots = environmentOf(loadDesign('no-managers+bare'), '/base.so').PJRT_DESIGN_SLOTS!.split(',');
    expect(slots).toContain('Client_CreateBuffersForAsyncHostToDevice=null');
    expect(slots).not.toContain('Client_CreateBuffersForAsyncHostToDevice=UNIMPLEMENTED');
  });

  test('the slower one decides', () => {
    expect(environmentOf(loadDesign('slow-client+slow-compiler'), '/base.so')).toMatchObject({
      PJRT_DESIGN_CLIENT_MS: '30000',
      PJRT_DESIGN_COMPILE_MS: '22000',
    });
  });
});

describe('a plugin', () => {
  const design = { name: 'test', description: 'For this test.', source: ['tools/designs'] };

  test('has the named extensions, by number', () => {
    const with2 = {
      ...design,
      wrapper: { onlyExtensions: ['Layouts', 'RawBuffer'], withoutExtensions: ['RawBuffer'] },
    };
    expect(environmentOf(with2, '/base.so').PJRT_DESIGN_EXTENSIONS).toBe('4');
    expect(environmentOf({ ...design, wrapper: { onlyExtensions: [] } }, '/base.so').PJRT_DESIGN_EXTENSIONS).toBe('');
  });

  test('has other ids, by the first and the step', () => {
    expect(environmentOf(loadDesign('falling-ids'), '/base.so')).toMatchObject({
      PJRT_DESIGN_DEVICE_IDS: '2147483647,-1',
      PJRT_DESIGN_HARDWARE_IDS: '2147483647,-2',
    });
  });

  test('rejects element types that are not named', () => {
    const wrapper = { elementTypes: ['pred', 'f32'] };
    const refused = environmentOf({ ...design, wrapper }, '/b').PJRT_DESIGN_ELEMENT_TYPES_REFUSED!.split(',');
    expect(refused).not.toContain('1');
    expect(refused).not.toContain('11');
    expect(refused).toContain('12');
    // A token is not an array.
    expect(refused).not.toContain('23');
  });

  test.each([
    [{ unimplemented: ['Buffer_Copy'] }, 'test: the C API has no function PJRT_Buffer_Copy'],
    [{ withoutExtensions: ['Layout'] }, 'test: no extension is called Layout'],
    [{ elementTypes: ['i32'] }, 'test: no element type is called i32'],
  ])('cannot lack what the base does not have: %j', (wrapper, message) => {
    expect(() => environmentOf({ ...design, wrapper }, '/base.so')).toThrow(message);
  });
});

test('functions chosen by chance are the same each time, and none that every framework needs', () => {
  const { name, wrapper } = loadDesign('gaps-7');
  expect(name).toBe('gaps-7');
  expect(wrapper).toEqual(loadDesign('gaps-7').wrapper);
  expect(wrapper).not.toEqual(loadDesign('gaps-8').wrapper);
  const chosen = Array.from({ length: 30 }, (_, i) => loadDesign(`gaps-${i}`).wrapper!.unimplemented!);
  expect(Math.min(...chosen.map((list) => list.length))).toBeGreaterThan(3);
  expect(chosen.flat()).not.toContain('Client_Compile');
  expect(chosen.flat()).not.toContain('Buffer_Destroy');
});
