import { expect, test } from 'vitest';
import { stepsOf } from './sample-case.test-helper.ts';
import { readSample, sampleCase } from './sample-suite.test-helper.ts';

const LOOP = `steps:
  - for-each: {d: $all_devices}
    except: $devices
    steps:
      - call: PJRT_Client_LookupDevice
        with: {client: $client, id: 1}
        as: {found: device}
      - repeat: 2
        steps:
          - expect: {actual: $found, equals: $d}
    collect: {all: $found}
  - expect: {actual: $all, unique: true}`;

test('loops contain steps, at their lines, and bind what they collect', () => {
  const { cases, errors } = readSample(sampleCase(LOOP));
  expect(errors).toBe('');
  expect(cases[0]!.steps[0]).toMatchObject({
    verb: 'for-each',
    name: 'd',
    list: '$all_devices',
    except: '$devices',
    collect: { all: '$found' },
  });
  const steps = stepsOf(cases[0]!);
  expect(steps.map(({ verb }) => verb)).toEqual(['for-each', 'call', 'repeat', 'expect', 'expect']);
  const lines = steps.map(({ line }) => line);
  expect(lines).toEqual(lines.toSorted((a, b) => a - b));
});

test('names end with their loop, and a misspelt verb inside is found', () => {
  const { errors } = readSample(
    sampleCase(`steps:
  - for-each: {client: [1]}
    steps: [{expct: {actual: $client, equals: 1}}]
  - for-each: {n: [1, 2]}
    steps: [{expect: {actual: $n, atLeast: 1}}]
  - repeat: 0
    steps: []
  - expect: {actual: $n, equals: 1}`),
  );
  expect(errors).toMatchInlineSnapshot(`
    "suites/sample.yaml:8:28: cases[0].steps[0].for-each.client: the runner binds $client
        help: choose another name
    suites/sample.yaml:9:18: cases[0].steps[0].steps[0]: unknown verb "expct"
        expected: one of run, data, program, recorded, rounds, pending, complete, listen, heard, put, get, compile, execute, call, valid-call, layout, read, decode, expect, observe, await, destroy, client, for-each, repeat, soak, on-threads, if-offered, probe
        help: did you mean "expect"?
    suites/sample.yaml:13:16: cases[0].steps[2].steps: empty list
        expected: at least one entry
    suites/sample.yaml:14:26: cases[0].steps[3].expect.actual: unknown reference $n
        expected: a matrix parameter, a name bound by an earlier step, or a runner binding
        got: bound here: $plugin, $plugins, $client, $clients, $device, $devices, $all_devices, $descriptions, $memory, $memories, $topology, $expected_platform"
  `);
});
