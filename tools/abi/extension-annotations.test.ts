import { expect, test } from 'vitest';
import { EXTENSION_TABLE, extensionFunction, extensionStruct } from '../../harness/knowledge/abi/extensions.ts';
import { EXTENSION_ANNOTATION_FACTS } from './extension-annotation-facts.ts';
import { annotateExtensions } from './extension-annotations.ts';

test('the table of extensions has the annotations that it should have', () => {
  expect(annotateExtensions(EXTENSION_TABLE)).toEqual(EXTENSION_TABLE);
});

test('every fact has one proof and is about a field that exists', () => {
  for (const { fields, header, source, destroy } of EXTENSION_ANNOTATION_FACTS) {
    expect(
      [header, source].filter((proof) => proof !== undefined),
      fields.join(),
    ).toHaveLength(1);
    for (const field of fields) {
      const [struct, name] = field.split('.') as [string, string];
      expect(extensionStruct(struct).field(name).name).toBe(name);
    }
    if (destroy?.includes('.')) expect(extensionFunction(destroy).args().subject).toBeDefined();
  }
});

test('owners and counts of extensions are derived as those of the API', () => {
  const serialize = extensionStruct('PJRT_Layouts_MemoryLayout_Serialize_Args');
  expect(serialize.field('serialized_bytes')).toMatchObject({ count: 'serialized_bytes_size', content: 'bytes' });
  expect(serialize.field('serialized_layout')).toMatchObject({ deleter: 'serialized_layout_deleter', unmarked: true });
  expect(extensionStruct('PJRT_RawBuffer_CopyRawDeviceToHost_Args').field('event').destroy).toBe('PJRT_Event_Destroy');
});
