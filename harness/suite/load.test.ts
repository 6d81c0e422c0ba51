import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadSuites, readSuites } from './load.ts';
import { SuiteError } from './problem.ts';
import { readSample, SAMPLE_REQUIREMENTS, sampleCase } from './sample-suite.test-helper.ts';

const errorsOf = (text: string): string => readSample(text).errors;

describe('a single mistake', () => {
  test('unknown verb', () => {
    expect(errorsOf(sampleCase('steps:\n  - putt: {as: x, data: {special: {dtype: f32}}}'))).toMatchInlineSnapshot(`
      "suites/sample.yaml:8:9: cases[0].steps[0]: unknown verb "putt"
          expected: one of run, data, program, recorded, rounds, pending, complete, listen, heard, put, get, compile, execute, call, valid-call, layout, read, decode, expect, observe, await, destroy, client, for-each, repeat, soak, on-threads, if-offered, probe
          help: did you mean "put"?"
    `);
  });

  test('two verbs in one step', () => {
    expect(errorsOf(sampleCase('steps:\n  - destroy: $client\n    await: {buffer: $client}'))).toMatchInlineSnapshot(`
      "suites/sample.yaml:8:9: cases[0].steps[0]: 2 verbs in one step: await, destroy
          help: begin every step with "- ""
    `);
  });

  test('unknown key', () => {
    expect(errorsOf(sampleCase('steps:\n  - get: {bufer: $device}'))).toMatchInlineSnapshot(`
      "suites/sample.yaml:8:14: cases[0].steps[0].get: missing key "buffer"
          expected: The buffer; or a list of buffers: then \`as\` is the list of their arrays.
      suites/sample.yaml:8:15: cases[0].steps[0].get: unknown key "bufer"
          expected: one of as, buffer, layout, error, from, parts, order, event, overwritten, extra, equals, compare, level
          help: did you mean "buffer"?"
    `);
  });

  test('sibling that belongs to another verb', () => {
    expect(errorsOf(sampleCase('steps:\n  - destroy: $client\n    with: {}'))).toMatchInlineSnapshot(`
      "suites/sample.yaml:9:9: cases[0].steps[0]: unknown key "with"
          expected: one of destroy, overwritten, breaks, precondition"
    `);
  });

  test('unknown reference', () => {
    const steps = 'steps:\n  - put: {as: input, data: {special: {dtype: f32}}}\n  - get: {buffer: $inptu}';
    expect(errorsOf(sampleCase(steps))).toMatchInlineSnapshot(`
      "suites/sample.yaml:9:23: cases[0].steps[1].get.buffer: unknown reference $inptu
          expected: a matrix parameter, a name bound by an earlier step, or a runner binding
          got: bound here: $input, $plugin, $plugins, $client, $clients, $device, $devices, $all_devices, $descriptions, $memory, $memories, $topology, $expected_platform
          help: did you mean "$input"?"
    `);
  });

  test('a name bound twice, and a reserved name', () => {
    const put = (name: string): string => `  - put: {as: ${name}, data: {special: {dtype: f32}}}`;
    expect(errorsOf(sampleCase(`steps:\n${put('x')}\n${put('x')}\n${put('device')}`))).toMatchInlineSnapshot(`
      "suites/sample.yaml:9:19: cases[0].steps[1].put.as: $x is already bound in line 8
          help: choose another name
      suites/sample.yaml:10:19: cases[0].steps[2].put.as: the runner binds $device
          help: choose another name"
    `);
  });

  test('a reference to what a failing step would have bound', () => {
    const steps = 'steps:\n  - put: {as: x, data: {special: {dtype: f32}}, error: any}\n  - destroy: $x';
    expect(errorsOf(sampleCase(steps))).toContain('unknown reference $x');
  });

  test('a missing client', () => {
    expect(errorsOf(sampleCase('client: none\nsteps:\n  - destroy: $client'))).toMatchInlineSnapshot(`
      "suites/sample.yaml:9:18: cases[0].steps[0].destroy: $client is not bound in a case with \`client: none\`
          help: create a client with the step \`client: {as: c}\`, or remove \`client: none\`"
    `);
    expect(errorsOf(sampleCase('client: own\nsteps:\n  - destroy: $topology'))).toContain('$topology is not bound');
    const own = 'client: own\nsteps:\n  - client: {as: client}\n  - destroy: $client';
    expect(errorsOf(sampleCase(own))).toBe('');
  });

  test('unknown requirement', () => {
    const text = sampleCase('steps:\n  - probe: event-on-ready').replace('BUF-HOST-002', 'BUF-HOTS-002');
    expect(errorsOf(text)).toMatchInlineSnapshot(`
      "suites/sample.yaml:6:14: cases[0].covers[0]: unknown requirement "BUF-HOTS-002"
          expected: an id of requirements.yaml
          help: did you mean "BUF-HOST-002"?"
    `);
  });

  test('unknown function, field and probe', () => {
    const steps = `steps:
  - call: PJRT_Client_LookupDevcie
  - call: PJRT_Client_LookupDevice
    with: {client: $client, idd: 1}
    as: {found: devise}
    expect: {id: {equals: 1}}
    untouched: [dev]
  - probe: event-on-redy
  - probe: to-host-layout`;
    expect(errorsOf(sampleCase(steps))).toMatchInlineSnapshot(`
      "suites/sample.yaml:8:15: cases[0].steps[0].call: unknown function "PJRT_Client_LookupDevcie"
          expected: one of PJRT_Client_LookupDevice, PJRT_Client_BufferFromHostBuffer, PJRT_Buffer_IsDeleted, PJRT_Client_Devices
          help: did you mean "PJRT_Client_LookupDevice"?
      suites/sample.yaml:10:33: cases[0].steps[1].with.idd: unknown field of PJRT_Client_LookupDevice "idd"
          expected: one of struct_size, extension_start, client, id, device
          help: did you mean "id"?
      suites/sample.yaml:11:21: cases[0].steps[1].as.found: unknown field of PJRT_Client_LookupDevice "devise"
          expected: one of struct_size, extension_start, client, id, device
          help: did you mean "device"?
      suites/sample.yaml:13:21: cases[0].steps[1].untouched[0]: unknown field of PJRT_Client_LookupDevice "dev"
          expected: one of struct_size, extension_start, client, id, device
      suites/sample.yaml:14:16: cases[0].steps[2].probe: unknown probe "event-on-redy"
          expected: one of event-on-ready, offered
          help: did you mean "event-on-ready"?
      suites/sample.yaml:15:16: cases[0].steps[3].probe: unknown probe "to-host-layout"
          expected: one of event-on-ready, offered
          help: write a step \`get\` with \`layout\` and \`order\`"
    `);
  });

  test('options of a probe', () => {
    const steps = `steps:
  - probe: event-on-ready
    with: {cuont: 3, via: transfer, rows: [1, 2]}
  - probe: offered
  - probe: offered
    with: {function: PJRT_Client_LookupDevcie}`;
    expect(errorsOf(sampleCase(steps))).toMatchInlineSnapshot(`
      "suites/sample.yaml:9:16: cases[0].steps[0].with.cuont: unknown option of event-on-ready "cuont"
          expected: one of count, x, y, via, rows
          help: did you mean "count"?
      suites/sample.yaml:9:31: cases[0].steps[0].with.via: wrong value for via of event-on-ready
          expected: one of copy, manager
          got: "transfer"
      suites/sample.yaml:9:47: cases[0].steps[0].with.rows: wrong value for rows of event-on-ready
          expected: a list, each a list, each a number
          got: [1,2]
      suites/sample.yaml:10:9: cases[0].steps[1]: offered needs the option function
          expected: a function
      suites/sample.yaml:12:26: cases[0].steps[2].with.function: unknown function "PJRT_Client_LookupDevcie"
          expected: one of PJRT_Client_LookupDevice, PJRT_Client_BufferFromHostBuffer, PJRT_Buffer_IsDeleted, PJRT_Client_Devices
          help: did you mean "PJRT_Client_LookupDevice"?"
    `);
  });

  test('unknown program, from a parameter', () => {
    const body = 'matrix: {dtype: [f32, f16]}\nsteps:\n  - compile: {program: "elementwise/add_${dtype}_4"}';
    expect(errorsOf(sampleCase(body))).toMatchInlineSnapshot(`
      "suites/sample.yaml:9:28: cases[0].steps[0].compile.program: unknown program "elementwise/add_f16_4"
          expected: one of elementwise/add_f32_4, elementwise/add_f64_4
          help: did you mean "elementwise/add_f32_4"?"
    `);
  });

  test('unknown element type', () => {
    expect(errorsOf(sampleCase('steps:\n  - data: {as: x, data: {special: {dtype: f33}}}'))).toMatchInlineSnapshot(`
      "suites/sample.yaml:8:47: cases[0].steps[0].data.data.special.dtype: unknown value
          expected: one of pred, s1, s2, s4, s8, s16, s32, s64, u1, u2, u4, u8, u16, u32, u64, f16, bf16, f32, f64, c64, c128, f8e5m2, f8e4m3, f8e3m4, f8e4m3fn, f8e4m3b11fnuz, f8e5m2fnuz, f8e4m3fnuz, f8e8m0fnu, f4e2m1fn, f6e2m3fn, f6e3m2fn, token
          got: "f33"
          help: did you mean "f32"?"
    `);
  });

  test('parameter of the wrong type', () => {
    const body =
      'matrix: {dtype: [f32, f64], shape: [[2]]}\nsteps:\n  - data: {as: x, data: {iota: {dtype: $shape, shape: $dtype}}}';
    expect(errorsOf(sampleCase(body))).toMatchInlineSnapshot(`
      "suites/sample.yaml:9:44: cases[0].steps[0].data.data.iota.dtype: wrong type
          expected: text
          got: a list [2]
      suites/sample.yaml:9:59: cases[0].steps[0].data.data.iota.shape: wrong type
          expected: a list
          got: text "f32""
    `);
  });

  test('numbers that YAML reads differently', () => {
    const of = '[.nan, -.inf, 0x10, 9007199254740993, 007, -0, 1e999]';
    expect(
      errorsOf(sampleCase(`steps:\n  - data: {as: x, data: {values: {dtype: f32, shape: [7], of: ${of}}}}`)),
    ).toMatchInlineSnapshot(`
      "suites/sample.yaml:8:68: cases[0].steps[0].data.data.values.of[0]: unquoted YAML NaN
          got: .nan
          help: write "nan", with the quotes
      suites/sample.yaml:8:74: cases[0].steps[0].data.data.values.of[1]: unquoted YAML infinity
          got: -.inf
          help: write "inf" or "-inf", with the quotes
      suites/sample.yaml:8:81: cases[0].steps[0].data.data.values.of[2]: hexadecimal or octal number
          got: 0x10
          help: write 16, or quote it if bits are meant
      suites/sample.yaml:8:87: cases[0].steps[0].data.data.values.of[3]: integer that a double cannot represent exactly
          got: 9007199254740993
          help: write "9007199254740993", with the quotes
      suites/sample.yaml:8:105: cases[0].steps[0].data.data.values.of[4]: number with a leading zero
          got: 007
          help: write 7, or quote it
      suites/sample.yaml:8:110: cases[0].steps[0].data.data.values.of[5]: unquoted negative zero
          got: -0
          help: write "-0", with the quotes
      suites/sample.yaml:8:114: cases[0].steps[0].data.data.values.of[6]: number too large for a double
          got: 1e999
          help: write "inf" or "-inf", with the quotes"
    `);
  });

  test('quoted, the same numbers are valid', () => {
    const of = '["nan", "-inf", 16, "9007199254740993", 7, "-0", "1e999"]';
    expect(errorsOf(sampleCase(`steps:\n  - data: {as: x, data: {values: {dtype: f64, shape: [7], of: ${of}}}}`))).toBe(
      '',
    );
  });

  test('wrong number of elements', () => {
    const steps = 'steps:\n  - data: {as: x, data: {bits: {dtype: f32, shape: [2, 3], of: ["00000000"]}}}';
    expect(errorsOf(sampleCase(steps))).toMatchInlineSnapshot(`
      "suites/sample.yaml:8:68: cases[0].steps[0].data.data.bits.of: number of elements does not match the shape
          expected: 6 for shape [2,3]
          got: 1"
    `);
    const draw = (of: string): string => `steps:\n  - data: {as: x, data: {draw: {dtype: f32, shape: [2], of: ${of}}}}`;
    expect(errorsOf(sampleCase(draw('[1]')))).toBe('');
    expect(errorsOf(sampleCase(draw('[1, 2, 3]')))).toContain('expected: at most 2 for shape [2]');
  });

  test('an index without quotes', () => {
    expect(
      errorsOf(sampleCase('steps:\n  - put: {as: x, on: $devices[1], data: {special: {dtype: f32}}}')),
    ).toMatchInlineSnapshot(`
      "suites/sample.yaml:8:34: not valid YAML: Unexpected flow-seq-start at node end
          help: inside {} and [] write it in quotes: "$devices[1]""
    `);
    expect(errorsOf(sampleCase('steps:\n  - put: {as: x, on: "$devices[1]", data: {special: {dtype: f32}}}'))).toBe('');
  });

  test('a bound without a source', () => {
    const steps = 'steps:\n  - expect: {actual: $client, equals: $client, compare: {ulp: 2}}';
    expect(errorsOf(sampleCase(steps))).toMatchInlineSnapshot(
      `"suites/sample.yaml:8:62: cases[0].steps[0].expect.compare: "ulp" needs "source" beside it"`,
    );
  });

  test('an empty expectation', () => {
    expect(errorsOf(sampleCase('steps:\n  - expect: {actual: $client}'))).toMatchInlineSnapshot(`
      "suites/sample.yaml:8:17: cases[0].steps[0].expect: incomplete
          expected: one of the keys equals, not, nonEmpty, isNull, atLeast, atMost, oneOf, contains, matches, unique, subsetOf, disjointFrom, length, each, sameElements, names, types, unchanged, numbers, structSizes, sized, printable, orders, written
          got: actual"
    `);
  });

  test('an invalid regular expression inside another predicate', () => {
    const text = sampleCase('steps:\n  - expect: {actual: $devices, each: {matches: "("}}');
    expect(errorsOf(text)).toContain('cases[0].steps[0].expect.each.matches: not a regular expression');
  });

  test('a misspelt extension in what all cases of the file require', () => {
    const text = sampleCase('steps:\n  - destroy: $client');
    expect(errorsOf(text.replace('cases:', 'defaults: {requires: {extensions: [Layuots]}}\ncases:'))).toBe(
      `suites/sample.yaml:3:36: defaults.requires.extensions[0]: unknown extension "Layuots"
    expected: one of Layouts, Stream
    help: did you mean "Layouts"?`,
    );
  });

  test('an output of a call that must fail', () => {
    const call = 'call: PJRT_Client_LookupDevice\n    as: {found: device}\n    error:';
    expect(errorsOf(sampleCase(`steps:\n  - ${call} any\n  - destroy: $found`))).toContain('unknown reference $found');
    expect(errorsOf(sampleCase(`steps:\n  - ${call} {must: any, or: success}\n  - destroy: $found`))).toBe('');
  });

  test('an invalid regular expression', () => {
    expect(errorsOf(sampleCase('steps:\n  - expect: {actual: $client, matches: "("}'))).toMatchInlineSnapshot(
      `"suites/sample.yaml:8:44: cases[0].steps[0].expect.matches: not a regular expression: Invalid regular expression: /(/u: Unterminated group"`,
    );
  });

  test('unknown error code', () => {
    const steps = 'steps:\n  - await: {buffer: $device, error: {must: INVALID_ARGUMNT}}';
    expect(errorsOf(sampleCase(steps))).toMatchInlineSnapshot(`
      "suites/sample.yaml:8:48: cases[0].steps[0].await.error.must: unknown value
          expected: one of any, CANCELLED, UNKNOWN, INVALID_ARGUMENT, DEADLINE_EXCEEDED, NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED, RESOURCE_EXHAUSTED, FAILED_PRECONDITION, ABORTED, OUT_OF_RANGE, UNIMPLEMENTED, INTERNAL, UNAVAILABLE, DATA_LOSS, UNAUTHENTICATED
          got: "INVALID_ARGUMNT"
          help: did you mean "INVALID_ARGUMENT"?"
    `);
  });
});

test('invalid YAML', () => {
  const yaml = (text: string): string => errorsOf(text);
  expect(yaml('suite: sample\n\tdescription: x\n')).toMatchInlineSnapshot(`
    "suites/sample.yaml:2:1: not valid YAML: Tabs are not allowed as indentation
        help: indent with spaces"
  `);
  expect(yaml('suite: sample\nsuite: other\n')).toMatchInlineSnapshot(`
    "suites/sample.yaml:2:1: not valid YAML: Map keys must be unique
        help: remove or rename one of the two"
  `);
  expect(yaml('a: &x {b: 1}\nc: *x\n<<: {d: 1}\n')).toMatchInlineSnapshot(`
    "suites/sample.yaml:1:1: missing key "suite"
        expected: Id of the suite: the file's path below the directory suites, without .yaml.
    suites/sample.yaml:1:1: missing key "description"
        expected: One sentence on what the suite is about.
    suites/sample.yaml:1:1: missing key "cases"
        expected: The cases, in the order in which they are listed and run.
    suites/sample.yaml:1:1: unknown key "a"
        expected: one of suite, description, defaults, sets, cases
    suites/sample.yaml:1:7: a: YAML anchors and aliases are not part of the language
        help: share values with \`sets\`, share settings with \`defaults\`
    suites/sample.yaml:2:1: unknown key "c"
        expected: one of suite, description, defaults, sets, cases
    suites/sample.yaml:2:4: c: YAML anchors and aliases are not part of the language
        help: share values with \`sets\`, share settings with \`defaults\`
    suites/sample.yaml:3:1: "<<": YAML merge keys are not part of the language
        help: share settings with \`defaults\`"
  `);
  expect(yaml('')).toMatchInlineSnapshot(`
    "suites/sample.yaml:1:1: wrong type
        expected: a mapping
        got: nothing"
  `);
});

test('all problems of a file, from top to bottom', () => {
  const text = `suite: smaple
descriptoin: A sample.
cases:
  - id: Round Trip
    covers: [BUF-HOST-999]
    matrix: {dtype: $dtypes.storag}
    steps:
      - putt: {as: x}
      - get: {buffer: $x, into: y}
  - id: two
    description: It works.
    covers: []
    steps: []
  - id: three
    description: It works.
    covers: [BUF-HOST-002]
    steps:
      - destroy: client
`;
  expect(errorsOf(text)).toMatchInlineSnapshot(`
    "suites/sample.yaml:1:1: missing key "description"
        expected: One sentence on what the suite is about.
    suites/sample.yaml:1:8: suite: the id does not match the path of the file
        expected: sample
        got: smaple
    suites/sample.yaml:2:1: unknown key "descriptoin"
        expected: one of suite, description, defaults, sets, cases
        help: did you mean "description"?
    suites/sample.yaml:4:5: cases[0]: missing key "description"
        expected: One sentence that says what is checked, and makes sense on its own.
    suites/sample.yaml:4:9: cases[0].id: wrong form
        expected: kebab-case, e.g. round-trip
        got: "Round Trip"
    suites/sample.yaml:5:14: cases[0].covers[0]: unknown requirement "BUF-HOST-999"
        expected: an id of requirements.yaml
        help: did you mean "BUF-HOST-002"?
    suites/sample.yaml:6:21: cases[0].matrix.dtype: unknown set "$dtypes.storag"
        expected: one of $dtypes.storage, $dtypes.signed, $dtypes.unsigned, $dtypes.integer, $dtypes.float, $dtypes.complex, $dtypes.arithmetic, $dtypes.f8, $dtypes.subbyte, $dtypes.rare, $dtypes.widths, $shapes.small, $shapes.empty, $shapes.ranks, $shapes.edges, $shapes.storage, $ops.elementwise, $ops.functions, $ops.movement, $ops.reduction, $functions.core
        help: did you mean "$dtypes.storage"?
    suites/sample.yaml:8:9: cases[0].steps[0]: unknown verb "putt"
        expected: one of run, data, program, recorded, rounds, pending, complete, listen, heard, put, get, compile, execute, call, valid-call, layout, read, decode, expect, observe, await, destroy, client, for-each, repeat, soak, on-threads, if-offered, probe
        help: did you mean "put"?
    suites/sample.yaml:9:27: cases[0].steps[1].get: unknown key "into"
        expected: one of as, buffer, layout, error, from, parts, order, event, overwritten, extra, equals, compare, level
    suites/sample.yaml:12:13: cases[1].covers: empty list
        expected: at least one entry
    suites/sample.yaml:13:12: cases[1].steps: empty list
        expected: at least one entry
    suites/sample.yaml:18:18: cases[2].steps[0].destroy: wrong form
        expected: a reference such as $x
        got: "client""
  `);
});

test('an id twice in a suite', () => {
  const text = sampleCase('steps:\n  - probe: event-on-ready');
  expect(errorsOf(text + text.slice(text.indexOf('  - id:')))).toMatchInlineSnapshot(`
    "suites/sample.yaml:9:9: cases[1].id: case "one" is already in line 4
        help: ids are unique within a suite"
  `);
});

describe('files', () => {
  const directory = mkdtempSync(join(tmpdir(), 'suite-load-'));
  afterAll(() => rmSync(directory, { recursive: true }));

  const write = (path: string, text: string | Uint8Array): string => {
    const file = join(directory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  const options = { requirements: SAMPLE_REQUIREMENTS };
  const suite = (id: string): string =>
    sampleCase('steps:\n  - probe: event-on-ready').replace('suite: sample', `suite: ${id}`);
  const messages = (paths: string[]): string[] =>
    readSuites(paths, options).problems.map(({ file, message }) => `${file.slice(directory.length + 1)}: ${message}`);

  test('a directory is read in order, without files that are not suites', () => {
    write('a/suites/z.yaml', suite('z'));
    write('a/suites/b/c.yaml', suite('b/c'));
    write('a/suites/sets.yaml', 'x: [1]');
    write('a/suites/requirements.yaml', 'areas: {}');
    write('a/suites/profiles/p.yaml', 'profile: p');
    const { suites, cases } = loadSuites([join(directory, 'a/suites')], options);
    expect(suites.map((s) => s.id)).toEqual(['b/c', 'z']);
    expect(cases.map((c) => c.id)).toEqual(['b/c:one', 'z:one']);
    expect(cases[0]!.file).toBe(join(directory, 'a/suites/b/c.yaml'));
  });

  test('the id is the path below suites, however the file is given', () => {
    const file = write('b/suites/x/y.yaml', suite('x/y'));
    expect(loadSuites([file], options).suites[0]!.id).toBe('x/y');
    expect(messages([write('b/suites/x/w.yaml', suite('w'))])).toEqual([
      'b/suites/x/w.yaml: the id does not match the path of the file',
    ]);
  });

  test('the id of a suite elsewhere is relative to the given directory', () => {
    const file = write('c/mine/own.yaml', suite('mine/own'));
    expect(loadSuites([join(directory, 'c')], options).suites[0]!.id).toBe('mine/own');
    expect(loadSuites([file], { ...options, root: join(directory, 'c') }).suites[0]!.id).toBe('mine/own');
    expect(() => loadSuites([file], options)).toThrow(SuiteError);
  });

  test('unreadable files', () => {
    expect(messages([join(directory, 'nowhere')])[0]).toMatch(/^nowhere: cannot be read/);
    expect(messages([write('d/suites/latin.yaml', Uint8Array.of(0x61, 0xe4))])).toEqual([
      'd/suites/latin.yaml: cannot be read: it is not UTF-8 text',
    ]);
    expect(messages([dirname(write('e/suites/short.yml', suite('short')))])).toEqual([
      'e/suites/short.yml: suite files end in .yaml',
    ]);
    mkdirSync(join(directory, 'empty'));
    expect(messages([join(directory, 'empty')])).toEqual(['empty: no suite found']);
  });

  test('the same file twice', () => {
    const file = write('f/suites/twice.yaml', suite('twice'));
    expect(messages([file, file])).toEqual([`f/suites/twice.yaml: case id twice:one is already in ${file}:4`]);
  });

  test('if suites are loaded already, only new ones are read', () => {
    const first = loadSuites([write('g/suites/mine.yaml', suite('mine'))], options).suites;
    const another = write('h/suites/another.yaml', suite('another'));
    const again = write('h/suites/mine.yaml', suite('mine'));
    expect(loadSuites([another], { ...options, beside: first }).suites.map(({ id }) => id)).toEqual(['another']);
    expect(readSuites([again], { ...options, beside: first }).problems.map(({ message }) => message)).toEqual([
      `case id mine:one is already in ${first[0]!.file}:4`,
    ]);
  });
});
