import { describe, expect, test } from 'vitest';
import { readSample, sampleCase } from './sample-suite.test-helper.ts';

/** The problems of a case with these steps, without their places. */
const messages = (steps: string): string[] =>
  readSample(sampleCase(`steps:\n${steps.replace(/^/gm, '  ')}`))
    .errors.split('\n')
    .filter((line) => line !== '');

const lookup = (value: string): string => `- call: PJRT_Client_LookupDevice\n  with: {client: $client, id: ${value}}`;
const transfer = (given: string): string => `- call: PJRT_Client_BufferFromHostBuffer\n  with: {${given}}`;
const read = (predicate: string): string =>
  `- call: PJRT_Client_LookupDevice\n  with: {client: $client, id: 0}\n  expect: {device: ${predicate}}`;

describe('what a field cannot hold', () => {
  test.each([
    ['a text in an integer', lookup('abc')],
    ['a fraction in an integer', lookup('0.5')],
    ['a truth value in an integer', lookup('true')],
    ['a list in an integer', lookup('[1, 2]')],
    ['an integer that is too large', lookup('4294967296')],
    ['null in an integer', lookup('null')],
    ['an enumerator in an integer', lookup('{enum: kImmutableZeroCopy}')],
    ['memory in an integer', lookup('{room: 4}')],
    ['a handle in an integer', lookup('$device')],
    ['a negative count', transfer('num_dims: -1')],
    ['a number in a handle', '- call: PJRT_Client_LookupDevice\n  with: {client: 5}'],
    ['a text in a handle', '- call: PJRT_Client_LookupDevice\n  with: {client: abc}'],
    ['a list in a handle', '- call: PJRT_Client_LookupDevice\n  with: {client: [$client]}'],
    ['another handle', '- call: PJRT_Client_LookupDevice\n  with: {client: $device}'],
    ['an array in a handle', `- data: {as: a, data: {iota: {dtype: f32, shape: [4]}}}\n${transfer('client: $a')}`],
    ['a buffer for a client', `- put: {as: b, data: {iota: {dtype: f32, shape: [4]}}}\n${transfer('client: $b')}`],
    [
      'what a call has given',
      `${lookup('0')}\n  as: {d: device}\n- call: PJRT_Client_LookupDevice\n  with: {client: $d}`,
    ],
    ['a number that an enum has a name for', transfer('host_buffer_semantics: 0')],
    ['a number that no enumerator has', transfer('host_buffer_semantics: 77')],
    ['an unknown enumerator', transfer('host_buffer_semantics: {enum: kMutable}')],
    ['an element type in another enum', transfer('host_buffer_semantics: {dtype: f32}')],
    ['a text in a list', transfer('dims: "2x3"')],
    ['a text among numbers', transfer('dims: [2, abc]')],
    ['another struct', transfer('device_layout: {struct: PJRT_Buffer_MemoryLayout_Tiled, with: {}}')],
    [
      'a field of a struct',
      transfer('device_layout: {struct: PJRT_Buffer_MemoryLayout, with: {type: {enum: Stride}}}'),
    ],
    ['a reference of a verb', '- get: {buffer: $device, as: x}'],
    ['the client of a transfer', '- put: {as: x, client: $memory, data: {iota: {dtype: f32, shape: [4]}}}'],
  ])('%s', (_, steps) => {
    expect(messages(steps)[0]).toMatch(/^suites\/sample\.yaml:\d+:\d+: .*: wrong value for /);
  });

  test('raw: what is meant to be wrong', () => {
    expect(messages(transfer('host_buffer_semantics: {raw: 77}, client: {raw: 5}, num_dims: {raw: -1}'))).toEqual([]);
    expect(messages(transfer('client: {raw: 99999999999999999999}'))[0]).toContain('wrong value for client');
  });

  test('what to write instead', () => {
    expect(messages(transfer('host_buffer_semantics: 0'))).toMatchInlineSnapshot(`
      [
        "suites/sample.yaml:9:39: cases[0].steps[0].with.host_buffer_semantics: wrong value for host_buffer_semantics of PJRT_Client_BufferFromHostBuffer",
        "    expected: {enum: …}, one of kImmutableOnlyDuringCall, kImmutableUntilTransferCompletes, kImmutableZeroCopy, kMutableZeroCopy",
        "    got: 0",
        "    help: write {enum: kImmutableOnlyDuringCall}",
      ]
    `);
    expect(messages(transfer('host_buffer_semantics: 77')).at(-1)).toBe(
      '    help: if it is meant to be wrong, write {raw: 77}',
    );
  });
});

describe('what a field cannot be', () => {
  test.each([
    [
      'a number of a truth value',
      '- call: PJRT_Buffer_IsDeleted\n  with: {buffer: null}\n  expect: {is_deleted: {oneOf: [true, 1]}}',
    ],
    ['a text of a handle', read('{equals: abc}')],
    ['the greatest of a handle', read('{atMost: 3}')],
    [
      'a pattern of a truth value',
      '- call: PJRT_Buffer_IsDeleted\n  with: {buffer: null}\n  expect: {is_deleted: {matches: yes}}',
    ],
    ['a client of a device', read('{equals: $client}')],
    [
      'an element of another type',
      '- call: PJRT_Client_Devices\n  with: {client: $client}\n  expect: {devices: {contains: $client}}',
    ],
    ['a name of another type', `${lookup('0')}\n  as: {d: device}\n- expect: {actual: $d, equals: 3}`],
  ])('%s', (_, steps) => {
    expect(messages(steps)[0]).toMatch(/^suites\/sample\.yaml:\d+:\d+: .*: (wrong value|\w+ cannot hold) for /);
  });
});

test.each([
  ['too large', '{fill: {dtype: s8, shape: [2], value: 300}}'],
  ['no integer', '{values: {dtype: s8, shape: [1], of: [0.5]}}'],
  ['neither 0 nor 1', '{values: {dtype: pred, shape: [1], of: [7]}}'],
  ['no number', '{draw: {dtype: f32, shape: [4], of: [abc]}}'],
  ['too many bits', '{bits: {dtype: s8, shape: [1], of: ["100"]}}'],
])('an element that its type cannot hold: %s', (_, data) => {
  expect(messages(`- put: {as: x, data: ${data}}`)[0]).toContain(': wrong value for ');
});

test('what is right stays right', () => {
  const steps = `${lookup('"2147483647"')}
  as: {d: device}
- call: PJRT_Client_Devices
  with: {client: $client}
  as: {all: devices}
  expect: {devices: {contains: $d, length: 1}, num_devices: {atLeast: 1}}
- expect: {actual: "$all[0]", equals: $d}
- put: {as: b, data: {iota: {dtype: f32, shape: [4]}}}
- data: {as: a, data: {iota: {dtype: f32, shape: [4]}}}
${transfer('client: $client, data: $a, type: {dtype: f32}, dims: [4], device: $d, memory: null, num_byte_strides: {lengthOf: $all}')}`;
  expect(messages(steps)).toEqual([]);
});
