import { describe, expect, test } from 'vitest';
import { readSample, sampleCase } from './sample-suite.test-helper.ts';

const idsOf = (body: string): string[] => readSample(sampleCase(body)).cases.map((c) => c.id);
const STEPS = 'steps: [{probe: event-on-ready}]';

describe('matrix', () => {
  test('the first parameter varies slowest; shapes have a short text', () => {
    expect(idsOf(`matrix: {shape: [[], [2, 3]], dtype: [f32, s8], n: [1, -2.5], flag: [true]}\n${STEPS}`)).toEqual([
      'sample:one[shape=scalar,dtype=f32,n=1,flag=true]',
      'sample:one[shape=scalar,dtype=f32,n=-2.5,flag=true]',
      'sample:one[shape=scalar,dtype=s8,n=1,flag=true]',
      'sample:one[shape=scalar,dtype=s8,n=-2.5,flag=true]',
      'sample:one[shape=2x3,dtype=f32,n=1,flag=true]',
      'sample:one[shape=2x3,dtype=f32,n=-2.5,flag=true]',
      'sample:one[shape=2x3,dtype=s8,n=1,flag=true]',
      'sample:one[shape=2x3,dtype=s8,n=-2.5,flag=true]',
    ]);
  });

  test('sets stand for their members, alone or in lists', () => {
    expect(idsOf(`matrix: {dtype: $dtypes.complex}\n${STEPS}`)).toEqual([
      'sample:one[dtype=c64]',
      'sample:one[dtype=c128]',
    ]);
    expect(idsOf(`matrix: {dtype: [pred, $dtypes.complex]}\n${STEPS}`)).toHaveLength(3);
  });

  test('sets of the file', () => {
    const text = sampleCase(`matrix: {a: $mine, b: $group.inner}\n${STEPS}`);
    const { cases, errors } = readSample(text.replace('cases:', 'sets: {mine: [x], group: {inner: [[1, 2]]}}\ncases:'));
    expect(errors).toBe('');
    expect(cases.map((c) => c.id)).toEqual(['sample:one[a=x,b=1x2]']);
  });

  test('exclude', () => {
    const matrix = 'matrix: {dtype: [f32, c64, c128], n: [1, 2]}';
    expect(idsOf(`${matrix}\nexclude: [{dtype: $dtypes.complex, n: 2}]\n${STEPS}`)).toEqual([
      'sample:one[dtype=f32,n=1]',
      'sample:one[dtype=f32,n=2]',
      'sample:one[dtype=c64,n=1]',
      'sample:one[dtype=c128,n=1]',
    ]);
    const old = readSample(sampleCase(`${matrix}\ninclude: [{n: 1}]\n${STEPS}`)).errors;
    expect(old).toMatch(/cases\[0\]: unknown key "include"\n.*\n +help: write each combination as an entry of `rows`$/);
  });

  test('a requirement may be covered by some rows only', () => {
    const steps = 'steps: [{probe: event-on-ready, breaks: [BUF-HOST-002, BUF-HOST-005]}]';
    const text = sampleCase(`matrix: {dtype: [f32, c64, c128]}\n${steps}`);
    const covers = (list: string) => readSample(text.replace(/covers: .*/, `covers: [${list}]`));
    const { cases } = covers('BUF-HOST-002, BUF-HOST-005: {dtype: $dtypes.complex}');
    expect(cases.map((c) => [c.covers, Object.keys(c.levels), c.steps[0]!.breaks])).toEqual([
      [['BUF-HOST-002'], ['BUF-HOST-002'], ['BUF-HOST-002']],
      ...Array(2).fill(Array(3).fill(['BUF-HOST-002', 'BUF-HOST-005'])),
    ]);
    expect(covers('BUF-HOST-002, BUF-HOST-005: {dtype: f64}').errors).toMatch(/covers\[1\]: matches no combination/);
    expect(covers('BUF-HOST-002: {dtype: f32}').errors).toMatch(/covers: nothing for \{"dtype":"c64"\}/);
    expect(covers('BUF-HOST-002: {type: f32}').errors).toMatch(/no parameter "type" in the matrix/);
    expect(covers('no-id: {dtype: f32}').errors).toMatch(/wrong name "no-id"/);
  });

  test('rows are combined with the matrix, and some of their parameters are in no id', () => {
    const rows = 'rows: [{op: add, dims: [0], field: x}, {op: max, dims: [1, 2], field: y}]\nunnamed: [field, dims]';
    const { cases, errors } = readSample(
      sampleCase(`${rows}\nmatrix: {n: [1, 2]}\nsteps: [{probe: event-on-ready, with: {"${'${field}'}": "$dims[0]"}}]`),
    );
    expect(errors).toBe('');
    expect(cases.map((c) => [c.id, c.params, (c.steps[0] as { with?: unknown }).with])).toEqual([
      ['sample:one[op=add,n=1]', { op: 'add', n: 1 }, { x: 0 }],
      ['sample:one[op=add,n=2]', { op: 'add', n: 2 }, { x: 0 }],
      ['sample:one[op=max,n=1]', { op: 'max', n: 1 }, { y: 1 }],
      ['sample:one[op=max,n=2]', { op: 'max', n: 2 }, { y: 1 }],
    ]);
  });

  test('mistakes in rows', () => {
    const rows = 'rows: [{a: 1, b: x}, {a: 1, c: x}, {a: 1, b: x}, {a: 1, b: y}]';
    expect(
      readSample(sampleCase(`${rows}\nunnamed: [b, d]\nmatrix: {a: [2]}\n${STEPS}`)).errors,
    ).toMatchInlineSnapshot(`
      "suites/sample.yaml:7:26: cases[0].rows[1]: a row with other parameters than the first
          expected: a, b
          got: a, c
      suites/sample.yaml:7:26: cases[0].rows[1]: an id like that of another row
          help: name more parameters
      suites/sample.yaml:7:40: cases[0].rows[2]: the same row twice
      suites/sample.yaml:8:18: cases[0].unnamed[1]: no parameter "d" in the rows
          help: did you mean "a"?
      suites/sample.yaml:9:17: cases[0].matrix.a: $a is already a parameter of the rows"
    `);
    expect(
      readSample(sampleCase('rows: [{a: 1}]\nsteps: [{call: PJRT_Client_Devices, with: {client: "$a[0]"}}]')).errors,
    ).toMatchInlineSnapshot(`
      "suites/sample.yaml:8:56: cases[0].steps[0].with.client: parameter $a has no elements
          got: $a[0]"
    `);
  });

  test('mistakes', () => {
    const { errors } = readSample(
      sampleCase(`matrix: {device: [1], a: [1, "1"], b: [$dtypes.flaot], c: ["x y"]}
exclude: [{aa: 1}]
${STEPS}`),
    );
    expect(errors).toMatchInlineSnapshot(`
      "suites/sample.yaml:7:22: cases[0].matrix.device: the runner binds $device
          help: give the parameter another name
      suites/sample.yaml:7:34: cases[0].matrix.a[1]: value 1 twice in one parameter
      suites/sample.yaml:7:44: cases[0].matrix.b[0]: unknown set "$dtypes.flaot"
          expected: one of $dtypes.storage, $dtypes.signed, $dtypes.unsigned, $dtypes.integer, $dtypes.float, $dtypes.complex, $dtypes.arithmetic, $dtypes.f8, $dtypes.subbyte, $dtypes.rare, $dtypes.widths, $shapes.small, $shapes.empty, $shapes.ranks, $shapes.edges, $shapes.storage, $ops.elementwise, $ops.functions, $ops.movement, $ops.reduction, $functions.core
          help: did you mean "$dtypes.float"?
      suites/sample.yaml:7:64: cases[0].matrix.c[0]: value cannot be part of an id
          expected: letters, digits and _ . + - / : @ %
          got: "x y"
      suites/sample.yaml:8:20: cases[0].exclude[0].aa: no parameter "aa" in the matrix
          help: did you mean "a"?"
    `);
    expect(readSample(sampleCase(`matrix: {a: [1]}\nexclude: [{a: 2}]\n${STEPS}`)).errors).toMatchInlineSnapshot(
      `"suites/sample.yaml:8:15: cases[0].exclude[0]: matches no combination of the matrix"`,
    );
    expect(readSample(sampleCase(`matrix: {a: [1]}\nexclude: [{a: 1}]\n${STEPS}`)).errors).toMatchInlineSnapshot(`
      "suites/sample.yaml:7:13: cases[0].matrix: no combination is left
          help: loosen \`exclude\`"
    `);
  });

  test('an id that is too long', () => {
    const { errors } = readSample(sampleCase(`matrix: {a: [${'x'.repeat(250)}]}\n${STEPS}`));
    expect(errors).toContain('id too long\n    expected: at most 250 characters\n    got: 264');
  });
});

describe('parameters', () => {
  test('a whole reference keeps its type, an interpolation becomes text', () => {
    const { cases, errors } = readSample(
      sampleCase(`title: Shape \${shape} of \${dtype}
matrix: {dtype: [f32], shape: [[2, 3]], n: [4]}
requires: {dtypes: [$dtype], devices: $n}
steps:
  - data: {as: x, data: {iota: {dtype: $dtype, shape: $shape}}}
  - compile: {program: "elementwise/add_\${dtype}_\${n}"}
  - compile: {text: "f(\${shape}) $\${dtype} costs 5$"}
  - call: PJRT_Client_LookupDevice
    with: {id: $n, client: $client}`),
    );
    expect(errors).toBe('');
    expect(cases[0]).toMatchInlineSnapshot(`
      {
        "client": "shared",
        "covers": [
          "BUF-HOST-002",
        ],
        "deadline": {},
        "file": "suites/sample.yaml",
        "id": "sample:one[dtype=f32,shape=2x3,n=4]",
        "isolation": "worker",
        "level": "must",
        "levels": {
          "BUF-HOST-002": "must",
        },
        "line": 4,
        "name": "one",
        "params": {
          "dtype": "f32",
          "n": 4,
          "shape": [
            2,
            3,
          ],
        },
        "requires": {
          "devices": 4,
          "dtypes": [
            "f32",
          ],
        },
        "steps": [
          {
            "as": "x",
            "data": {
              "iota": {
                "dtype": "f32",
                "shape": [
                  2,
                  3,
                ],
              },
            },
            "line": 11,
            "verb": "data",
          },
          {
            "line": 12,
            "program": "elementwise/add_f32_4",
            "verb": "compile",
          },
          {
            "line": 13,
            "text": "f(2x3) \${dtype} costs 5$",
            "verb": "compile",
          },
          {
            "function": "PJRT_Client_LookupDevice",
            "line": 14,
            "verb": "call",
            "with": {
              "client": "$client",
              "id": 4,
            },
          },
        ],
        "suite": "sample",
        "tags": [],
        "title": "Shape 2x3 of f32",
      }
    `);
  });

  test('text that is not a parameter', () => {
    const { errors } = readSample(
      sampleCase(`title: About \${dtyp}
matrix: {dtype: [f32]}
requires: {dtypes: [$x]}
steps:
  - compile: {text: "\${x} \${}"}
  - destroy: $dtype[0]
  - destroy: $a.b`),
    );
    expect(errors).toMatchInlineSnapshot(`
      "suites/sample.yaml:7:12: cases[0].title: \${dtyp} is not a parameter of the matrix
          expected: one of dtype
          help: did you mean "dtype"?
      suites/sample.yaml:9:25: cases[0].requires.dtypes[0]: "$x" is not a parameter of the matrix
          expected: one of dtype
      suites/sample.yaml:11:25: cases[0].steps[0].compile.text: \${x} is not a parameter of the matrix
          expected: one of dtype
      suites/sample.yaml:11:25: cases[0].steps[0].compile.text: \${} is not a parameter of the matrix
          expected: one of dtype
      suites/sample.yaml:12:18: cases[0].steps[1].destroy: parameter $dtype has no elements
          got: $dtype[0]
      suites/sample.yaml:13:18: cases[0].steps[2].destroy: "$a.b" is not a reference
          expected: $name, or $name[0] for an element of a list
          help: a string that begins with $ is always a reference; inside a longer string a parameter is written \${name}"
    `);
  });
});

test('defaults of the file and settings of the case', () => {
  const defaults = `defaults:
  tags: [slow, a]
  isolation: process
  client: none
  requires: {functions: [PJRT_Client_Devices], devices: 2}
  deadline: {call: 10, case: 20}
cases:`;
  const own = `tags: [b, a]
client: shared
level: should
requires: {functions: [PJRT_Client_LookupDevice], devices: 3}
deadline: {case: 30}
${STEPS}`;
  const { cases, errors } = readSample(sampleCase(own).replace('cases:', defaults));
  expect(errors).toBe('');
  const { tags, isolation, client, level, requires, deadline } = cases[0]!;
  expect({ tags, isolation, client, level, requires, deadline }).toEqual({
    tags: ['slow', 'a', 'b'],
    isolation: 'process',
    client: 'shared',
    level: 'should',
    requires: { functions: ['PJRT_Client_Devices', 'PJRT_Client_LookupDevice'], devices: 3 },
    deadline: { call: 10, case: 30 },
  });
});

test('the level is the highest of what the case covers', () => {
  const level = (covers: string): string | undefined =>
    readSample(sampleCase(STEPS).replace('[BUF-HOST-002]', `[${covers}]`)).cases[0]?.level;
  expect(level('BUF-HOST-005, BUF-HOST-002')).toBe('must');
  expect(level('BUF-HOST-005')).toBe('should');
  expect(level('BUF-HOST-005, BUF-UNI-001')).toBe('opt');
  expect(level('RES-002')).toBe('may');
  expect(level('RES-002, BUF-HOST-005')).toBe('should');
});

test('every verb becomes a step', () => {
  const { cases, errors } = readSample(
    sampleCase(`steps:
  - data: {as: h, data: {fill: {dtype: f32, shape: [2], value: "nan"}}}
  - put: {as: x, data: $h, on: "$devices[0]", semantics: zero-copy, order: [0], layout: [0]}
  - await: {buffer: $x}
  - get: {buffer: $x, as: y, layout: [0]}
  - compile: {as: f, program: elementwise/add_f32_4, options: {num_replicas: 1, raw: empty}}
  - execute: {executable: $f, args: [$x, $x], as: [z], nonDonatable: [0], launchId: 7, events: false}
  - call: PJRT_Client_Devices
    with: {client: $client}
    as: {all: devices}
    expect: {num_devices: {atLeast: 1}}
    structSize: 24
  - expect: {actual: $all, subsetOf: $devices, unique: true}
  - expect: {actual: $y, equals: {fill: {dtype: f32, shape: [2], value: "nan"}}, compare: {nan: any}, level: should}
  - client: {as: other, plugin: $plugin, options: {a: 1, b: [1, 2], c: {float: 2}}, error: any}
  - probe: event-on-ready
    with: {rows: [[1, 2]]}
  - destroy: $x`),
  );
  expect(errors).toBe('');
  expect(cases[0]!.steps).toMatchInlineSnapshot(`
    [
      {
        "as": "h",
        "data": {
          "fill": {
            "dtype": "f32",
            "shape": [
              2,
            ],
            "value": "nan",
          },
        },
        "line": 8,
        "verb": "data",
      },
      {
        "as": "x",
        "data": "$h",
        "layout": [
          0,
        ],
        "line": 9,
        "on": "$devices[0]",
        "order": [
          0,
        ],
        "semantics": "zero-copy",
        "verb": "put",
      },
      {
        "buffer": "$x",
        "line": 10,
        "verb": "await",
      },
      {
        "as": "y",
        "buffer": "$x",
        "layout": [
          0,
        ],
        "line": 11,
        "verb": "get",
      },
      {
        "as": "f",
        "line": 12,
        "options": {
          "num_replicas": 1,
          "raw": "empty",
        },
        "program": "elementwise/add_f32_4",
        "verb": "compile",
      },
      {
        "args": [
          "$x",
          "$x",
        ],
        "as": [
          "z",
        ],
        "events": false,
        "executable": "$f",
        "launchId": 7,
        "line": 13,
        "nonDonatable": [
          0,
        ],
        "verb": "execute",
      },
      {
        "as": {
          "all": "devices",
        },
        "expect": {
          "num_devices": {
            "atLeast": 1,
          },
        },
        "function": "PJRT_Client_Devices",
        "line": 14,
        "structSize": 24,
        "verb": "call",
        "with": {
          "client": "$client",
        },
      },
      {
        "actual": "$all",
        "line": 19,
        "subsetOf": "$devices",
        "unique": true,
        "verb": "expect",
      },
      {
        "actual": "$y",
        "compare": {
          "nan": "any",
        },
        "equals": {
          "fill": {
            "dtype": "f32",
            "shape": [
              2,
            ],
            "value": "nan",
          },
        },
        "level": "should",
        "line": 20,
        "verb": "expect",
      },
      {
        "as": "other",
        "error": "any",
        "line": 21,
        "options": {
          "a": 1,
          "b": [
            1,
            2,
          ],
          "c": {
            "float": 2,
          },
        },
        "plugin": "$plugin",
        "verb": "client",
      },
      {
        "line": 22,
        "name": "event-on-ready",
        "verb": "probe",
        "with": {
          "rows": [
            [
              1,
              2,
            ],
          ],
        },
      },
      {
        "line": 24,
        "of": "$x",
        "verb": "destroy",
      },
    ]
  `);
});
