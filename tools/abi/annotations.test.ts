import { describe, expect, it } from 'vitest';
import { Abi, NEWEST_MINOR } from '../../harness/knowledge/abi/abi.ts';
import { ABI_TABLE } from '../../harness/knowledge/abi/abi-table.ts';
import { type AbiSnapshot, snapshot } from '../../harness/knowledge/abi/snapshot.ts';
import { nullTestedSlots } from './annotate.ts';
import { ANNOTATION_FACTS, KEPT_TYPES } from './annotation-facts.ts';
import { annotationGaps, unprovenFacts } from './annotation-gaps.ts';
import { compactTable } from './compact-table.ts';
import { annotatedTable } from './write-tables.ts';

const newest = snapshot(Abi.at(NEWEST_MINOR));
type Declared = readonly [name: string, type: string, out?: 'out'];

/** A table of the newest minor and the next, in which a struct has these fields, and a function is added for each `…_Args`. */
function newer(struct: string, fields: readonly Declared[]) {
  const next: AbiSnapshot = structuredClone(newest);
  next.minor = NEWEST_MINOR + 1;
  next.structs[struct] = {
    size: 8 * fields.length,
    align: 8,
    struct_size: 8 * fields.length,
    fields: fields.map(([name, type, out], i) => ({ name, type, offset: 8 * i, size: 8, out: out === 'out' })),
  };
  if (struct.endsWith('_Args')) {
    const api = next.structs.PJRT_Api!;
    api.fields.push({ name: struct.replace(/_Args$/, ''), type: 'fn', offset: api.size, size: 8, out: false });
    api.size += 8;
    api.struct_size = api.size;
  }
  return annotatedTable(compactTable([newest, next], ABI_TABLE));
}

const HEAD: Declared[] = [
  ['struct_size', 'size_t'],
  ['extension_start', 'PJRT_Extension_Base*'],
];

describe('the annotations', () => {
  it('are complete', () => {
    expect(
      annotationGaps(ABI_TABLE),
      'write what is missing into tools/abi/annotation-facts.ts, then run npx tsx tools/abi/annotate-table.ts',
    ).toEqual([]);
  });

  it('have one proof each', () => {
    const proofs = [
      ...ANNOTATION_FACTS.map((fact) => [fact.fields.join(), fact] as const),
      ...Object.entries(KEPT_TYPES),
    ];
    const odd = proofs.filter(([, { header, source }]) => (header === undefined) === (source === undefined));
    expect(odd.map(([about]) => about)).toEqual([]);
  });

  it('are looked up again when their text leaves the header', () => {
    const header = [...ANNOTATION_FACTS, ...Object.values(KEPT_TYPES)].map((fact) => `// ${fact.header ?? ''}`);
    expect(unprovenFacts(header.join('\n'))).toEqual([]);
    expect(unprovenFacts(header.join('\n').replace('lifetime of the process', 'lifetime of the client'))).toEqual([
      'PJRT_Plugin_Attributes_Args.attributes: the header does not say Returned attributes have the lifetime of the process.',
    ]);
  });

  it('take NULL-able slots from what frameworks test', () => {
    expect([...nullTestedSlots()].sort()).toEqual([
      'PJRT_Buffer_Bitcast',
      'PJRT_Client_Load',
      'PJRT_Device_ClearMemoryStats',
      'PJRT_Device_GetAttributes',
      'PJRT_Event_Create',
      'PJRT_Event_Set',
      'PJRT_LoadedExecutable_AddressableDeviceLogicalIds',
      'PJRT_TopologyDescription_GetMemorySpaceKindIds',
      'PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace',
    ]);
  });
});

describe('a newer version', () => {
  it('needs nothing where names and shapes say it', () => {
    const table = newer('PJRT_Client_New_Args', [
      ...HEAD,
      ['client', 'PJRT_Client*'],
      ['options', 'const PJRT_NamedValue*'],
      ['num_options', 'size_t'],
      ['serialized_thing', 'const char*', 'out'],
      ['serialized_thing_size', 'size_t', 'out'],
      ['thing_holder', 'PJRT_ThingHolder*'],
      ['thing_deleter', 'fnptr: void (*thing_deleter)(PJRT_ThingHolder* holder)', 'out'],
      ['executable', 'PJRT_Executable*', 'out'],
      ['device_name', 'const char*', 'out'],
      ['device_name_size', 'size_t', 'out'],
    ]);
    expect(annotationGaps(table)).toEqual([]);
    const args = new Abi(NEWEST_MINOR + 1, table).argsOf('PJRT_Client_New');
    expect(args.field('options')).toMatchObject({ count: 'num_options' });
    expect(args.field('serialized_thing')).toMatchObject({ content: 'bytes', keeper: 'thing_holder' });
    expect(args.field('thing_holder')).toMatchObject({ unmarked: true, deleter: 'thing_deleter' });
    expect(args.field('executable')).toMatchObject({ destroy: 'PJRT_Executable_Destroy' });
    expect(args.field('device_name')).toMatchObject({ content: 'text', keeper: 'thing_holder' });
  });

  it.each<[string, string, readonly Declared[], string]>([
    [
      'a count that counts nothing',
      'PJRT_Client_New_Args',
      [
        ['things', 'const int64_t*'],
        ['num_parts', 'size_t'],
      ],
      'PJRT_Client_New_Args.num_parts: it counts nothing; name it as the count of a field, or add it to QUANTITIES',
    ],
    [
      'an array without a count',
      'PJRT_Client_New_Args',
      [['things', 'PJRT_Device* const*']],
      'PJRT_Client_New_Args.things: nothing counts what it leads to; give it a count',
    ],
    [
      'characters of an unknown kind',
      'PJRT_Thing',
      [
        ['stuff', 'const char*'],
        ['stuff_size', 'size_t'],
      ],
      'PJRT_Thing.stuff: is it text or bytes? give it a content',
    ],
    [
      'an object that nobody frees',
      'PJRT_Client_New_Args',
      [
        ['client', 'PJRT_Client*'],
        ['thing', 'PJRT_Thing*', 'out'],
      ],
      'PJRT_Client_New_Args.thing: who frees it? give it a destroy, deleter, keeper or spentBy, or add its type to KEPT_TYPES',
    ],
    [
      'a deleter of nothing',
      'PJRT_Client_New_Args',
      [['thing_deleter', 'fnptr: void (*thing_deleter)(void* thing)', 'out']],
      'PJRT_Client_New_Args.thing_deleter: which field is freed with it? give that a deleter',
    ],
    [
      'a function that may start work',
      'PJRT_Client_New_Args',
      [
        ['client', 'PJRT_Client*'],
        ['event', 'PJRT_Event*', 'out'],
      ],
      'PJRT_Api.PJRT_Client_New: does it start work? write `starts`, or add it to STARTS_NOTHING',
    ],
  ])('has a gap: %s', (_, struct, fields, gap) => {
    expect(annotationGaps(newer(struct, [...HEAD, ...fields]))).toContain(gap);
  });

  it('has a gap where a fact is about something that is gone', () => {
    const table = structuredClone(ABI_TABLE);
    table.structs.PJRT_Chunk!.fields = table.structs.PJRT_Chunk!.fields.filter((f) => f.name !== 'size');
    expect(annotationGaps(table)).toContain(
      `PJRT_Chunk.data: its count, size, is no field of the struct in 0.${NEWEST_MINOR}`,
    );
  });
});
