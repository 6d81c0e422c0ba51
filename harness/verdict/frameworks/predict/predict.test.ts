import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { packagePath } from '../../../base/paths.ts';
import { Abi } from '../../../knowledge/abi/index.ts';
import type { Ability } from '../../abilities.ts';
import { FRAMEWORKS, findRelease, loadFramework } from '../load.ts';
import type { PluginView, Stage } from '../plugin-view.ts';
import type { Framework } from '../types.ts';
import { predict } from './predict.ts';

const jax = loadFramework('jax');

/** A plugin that can do everything of its version. */
const perfect = (minor: number, more: Partial<PluginView> = {}): PluginView => ({
  minor,
  abilities: new Map(Abi.at(minor).functions.map((name) => [name, 'works' as Ability])),
  answers: {},
  extensions: [{ name: 'Layouts', structSize: 80 }],
  stablehloCurrent: '1.13.3',
  exportsTensorflowInit: false,
  session: () => [{ stage: 'client' }, { stage: 'attributes' }],
  ...more,
});

const without = (minor: number, name: string, ability: Ability): PluginView => {
  const view = perfect(minor);
  return { ...view, abilities: new Map([...view.abilities, [name, ability]]) };
};

const about = (version: string, view: PluginView, compatible?: boolean) =>
  predict(jax, findRelease(jax, version)!, view, compatible);

test.each(FRAMEWORKS)('the data of %s keep to their schema', (name) => {
  const schema = JSON.parse(readFileSync(packagePath('schemas', 'framework.schema.json'), 'utf8')) as object;
  const validate = new Ajv2020({ allowUnionTypes: true, formats: { date: true } }).compile(schema);
  validate(JSON.parse(readFileSync(packagePath('frameworks', `${name}.json`), 'utf8')));
  expect(validate.errors).toBeNull();
});

describe('version rule', () => {
  test('JAX 0.4.30 accepts only its own minor unless configured otherwise', () => {
    expect(about('0.4.30', perfect(81))).toMatchObject({
      outcome: 'refuses',
      moment: 'client creation',
      message: 'Mismatched PJRT plugin PJRT API version (0.81) and framework PJRT API version 0.54).',
    });
    expect(about('0.4.30', perfect(54)).outcome).not.toBe('refuses');
    expect(about('0.4.30', perfect(81), true).outcome).not.toBe('refuses');
  });

  test('ENABLE_PJRT_COMPATIBILITY=false makes every release as strict', () => {
    expect(about('0.10.2', perfect(81), false).outcome).toBe('refuses');
    expect(about('0.8.1', perfect(81), false).outcome).not.toBe('refuses');
  });
});

describe('functions', () => {
  test('nothing is wrong with a plugin of the same version that does everything', () => {
    expect(about('0.11.0', perfect(114))).toMatchObject({ outcome: 'works', limits: [] });
  });

  test('a process that only a second client ends is a limit, and no function is untried for it', () => {
    const abilities: [string, Ability][] = [
      ['PJRT_Client_Create', 'unstable'],
      ['PJRT_Client_Destroy', 'untried'],
    ];
    const view = perfect(114);
    expect(about('0.11.0', { ...view, abilities: new Map([...view.abilities, ...abilities]) })).toMatchObject({
      outcome: 'limits',
      limits: ['when used: a second client in a process: the process ends in PJRT_Client_Create'],
      untried: [],
    });
  });

  test('what is called without a gate and is not there is a crash, here as soon as it is used', () => {
    expect(about('0.8.2', perfect(81)).limits.join()).toContain('TransferLiteral is not in API 0.81');
  });

  test('a stub is worse than nothing: GetAttributes may be NULL but not fail', () => {
    expect(about('0.10.2', without(112, 'PJRT_Device_GetAttributes', 'null')).outcome).not.toBe('aborts');
    expect(about('0.10.2', without(112, 'PJRT_Device_GetAttributes', 'unimplemented'))).toMatchObject({
      outcome: 'aborts',
      moment: 'client creation',
    });
  });

  test('and the reverse: Fingerprint of a topology may fail but not be NULL', () => {
    expect(about('0.10.2', without(112, 'PJRT_TopologyDescription_Fingerprint', 'unimplemented')).outcome).toBe(
      'limits',
    );
    expect(about('0.10.2', without(112, 'PJRT_TopologyDescription_Fingerprint', 'null'))).toMatchObject({
      outcome: 'aborts',
      moment: 'first compile',
    });
  });

  test('contexts are made for the platforms that get host callbacks', () => {
    const view = {
      ...without(112, 'PJRT_ExecuteContext_Create', 'unimplemented'),
      extensions: [{ name: 'FFI', structSize: 64 }],
    };
    expect(about('0.10.2', { ...view, platformName: 'cpu' }).outcome).toBe('refuses');
    expect(about('0.10.2', { ...view, platformName: 'tpu' }).outcome).toBe('works');
  });

  test('memories became needed with 0.5.1', () => {
    const none = ['Client_AddressableMemories', 'Device_AddressableMemories', 'Device_DefaultMemory', 'Buffer_Memory'];
    const missing = none.map((name) => [`PJRT_${name}`, 'unimplemented'] as const);
    const view = perfect(81, { abilities: new Map([...perfect(81).abilities, ...missing]) });
    expect(about('0.5.0', view).outcome).not.toBe('refuses');
    expect(about('0.5.3', view)).toMatchObject({ outcome: 'refuses', moment: 'first transfer' });
  });

  test('a function matters at the moment in which a release was seen calling it', () => {
    expect(about('0.10.2', without(112, 'PJRT_Plugin_Initialize', 'null'))).toMatchObject({
      outcome: 'aborts',
      moment: 'client creation',
    });
    expect(about('0.10.2', without(112, 'PJRT_Buffer_DynamicDimensionIndices', 'null'))).toMatchObject({
      outcome: 'aborts',
      moment: 'first execution',
    });
    expect(about('0.10.2', without(112, 'PJRT_Error_ForEachPayload', 'null'))).toMatchObject({
      outcome: 'aborts',
      moment: 'first error',
    });
    expect(about('0.10.2', without(112, 'PJRT_Client_DmaMap', 'null')).outcome).toBe('limits');
  });

  test('a slot behind the end of the table is not called where the end is looked at', () => {
    expect(about('0.10.2', without(114, 'PJRT_Error_ForEachPayload', 'absent')).outcome).not.toBe('aborts');
    expect(about('0.10.2', without(114, 'PJRT_Error_ForEachPayload', 'null')).outcome).toBe('aborts');
  });

  test('what was measured before a release called a function says nothing of its failure', () => {
    const view = without(112, 'PJRT_Event_IsReady', 'unimplemented');
    expect(about('0.7.2', view).outcome).toBe('works');
    expect(about('0.8.1', view)).toMatchObject({ outcome: 'refuses', moment: 'first transfer' });
  });

  test('arrays are read with ToHostBuffer, but for those in host memory', () => {
    const failure = { call: 'PJRT_Buffer_ToHostBuffer', code: 'INTERNAL', message: 'no', died: false };
    const view = { ...without(112, failure.call, 'fails'), session: () => [{ stage: 'transfer' as const, failure }] };
    expect(about('0.10.2', { ...view, platformName: 'tpu' })).toMatchObject({
      outcome: 'refuses',
      moment: 'first transfer',
    });
    expect(about('0.10.2', { ...view, platformName: 'cpu' }).outcome).toBe('works');
    expect(about('0.10.2', { ...view, platformName: 'cpu', buffersOnCpu: false }).outcome).toBe('refuses');
    expect(about('0.10.2', { ...view, platformName: 'tpu', buffersOnCpu: true }).outcome).toBe('works');
  });

  test('reference counts and pointers are for memory on the host alone', () => {
    for (const name of ['PJRT_Buffer_IncreaseExternalReferenceCount', 'PJRT_Buffer_OpaqueDeviceMemoryDataPointer']) {
      const view = without(112, name, 'unimplemented');
      expect(about('0.10.2', { ...view, buffersOnCpu: true })).toMatchObject({
        outcome: 'refuses',
        moment: 'first transfer',
      });
      expect(about('0.10.2', { ...view, buffersOnCpu: false }).outcome).toBe('works');
    }
  });

  test('what an array that is not on the host is read with is needed, however little a plugin on the host needs it', () => {
    const view = without(112, 'PJRT_Buffer_ToHostBuffer', 'fails');
    expect(about('0.12.0.1', { ...view, buffersOnCpu: true }).outcome).toBe('works');
    expect(about('0.12.0.1', { ...view, buffersOnCpu: false })).toMatchObject({
      outcome: 'refuses',
      moment: 'first transfer',
    });
  });

  test('a process that dies when no error is destroyed dies in JAX, which does that', () => {
    expect(about('0.10.2', perfect(112, { nullError: 'dies' }))).toMatchObject({
      outcome: 'aborts',
      moment: 'first transfer',
      reason: expect.stringContaining('PJRT_Error_Destroy with a NULL error'),
    });
  });

  test('a function behind the end of a short table is called, and is there', () => {
    const hidden = 'PJRT_LoadedExecutable_GetDeviceAssignment';
    const view = without(81, hidden, 'absent');
    expect(about('0.10.2', view)).toMatchObject({ outcome: 'aborts', moment: 'first compile' });
    const there = about('0.10.2', { ...view, behindTable: [hidden] });
    expect(there.outcome).toBe('limits');
    expect(there.limits.join()).toMatch(/GetDeviceAssignment is called although it lies past/);
  });

  test('errors without payloads end a process as soon as any function answers with an error', () => {
    const payloads = without(112, 'PJRT_Error_ForEachPayload', 'null');
    const also = (name: string, more: Partial<PluginView> = {}): PluginView => ({
      ...payloads,
      ...more,
      abilities: new Map([...payloads.abilities, [name, 'unimplemented']]),
    });
    const moment = (view: PluginView): string | undefined => about('0.10.2', view).moment;
    expect(about('0.10.2', payloads)).toMatchObject({ outcome: 'aborts', moment: 'first error' });
    expect(moment(also('PJRT_Client_TopologyDescription'))).toBe('client creation');
    expect(moment(also('PJRT_Device_MemoryStats'))).toBe('first compile');
    // Only its code is asked for.
    expect(moment(also('PJRT_Buffer_DynamicDimensionIndices'))).toBe('first error');
    // Not called for memory that is elsewhere.
    expect(moment(also('PJRT_Buffer_OnDeviceSizeInBytes', { buffersOnCpu: true }))).toBe('first transfer');
    expect(moment(also('PJRT_Buffer_OnDeviceSizeInBytes', { buffersOnCpu: false }))).toBe('first error');
  });

  test('a client without a topology is asked nothing about it', () => {
    const view = without(112, 'PJRT_Client_TopologyDescription', 'unimplemented');
    view.abilities = new Map([...view.abilities, ['PJRT_TopologyDescription_Attributes', 'untried']]);
    expect(about('0.10.2', view).outcome).toBe('limits');
    const asked = perfect(112);
    asked.abilities = new Map([...asked.abilities, ['PJRT_TopologyDescription_Attributes', 'untried']]);
    expect(about('0.10.2', asked).outcome).toBe('unknown');
  });

  test('the key of the compilation cache is made for some platforms only', () => {
    const view = without(112, 'PJRT_TopologyDescription_Fingerprint', 'null');
    expect(about('0.10.2', { ...view, platformName: 'other' }).outcome).not.toBe('aborts');
    expect(about('0.10.2', { ...view, platformName: 'cpu' })).toMatchObject({
      outcome: 'aborts',
      moment: 'first compile',
    });
  });

  test('before memories were needed, outputs must not name any either', () => {
    const none = ['Client_AddressableMemories', 'Device_AddressableMemories', 'Device_DefaultMemory', 'Buffer_Memory'];
    const missing = none.map((name) => [`PJRT_${name}`, 'unimplemented'] as const);
    const view = perfect(58, { abilities: new Map([...perfect(58).abilities, ...missing]) });
    expect(about('0.4.38', view)).toMatchObject({ outcome: 'aborts', moment: 'first execution' });
    const consistent = new Map([...view.abilities, ['PJRT_Executable_OutputMemoryKinds', 'unimplemented' as Ability]]);
    expect(about('0.4.38', { ...view, abilities: consistent }).outcome).not.toBe('aborts');
  });

  test('a process that dies in a function of the everyday workload aborts', () => {
    expect(about('0.10.2', without(112, 'PJRT_Client_Devices', 'dies'))).toMatchObject({
      outcome: 'aborts',
      moment: 'client creation',
    });
  });
});

describe('sessions', () => {
  const failing = (stage: Stage['stage'], call: string, died = false): PluginView =>
    perfect(81, {
      session: () => [{ stage, failure: { call, code: 'INVALID_ARGUMENT', message: 'sizes', died } }],
    });

  test('an error that the framework passes on is a refusal, one that it checks is an abort', () => {
    expect(about('0.7.2', failing('execute', 'PJRT_LoadedExecutable_Execute'))).toMatchObject({
      outcome: 'refuses',
      moment: 'first execution',
      message: 'sizes',
    });
    expect(about('0.6.2', failing('attributes', 'PJRT_Plugin_Attributes'))).toMatchObject({ outcome: 'aborts' });
  });

  test('without a session nothing is claimed', () => {
    expect(about('0.10.2', perfect(112, { session: () => undefined })).outcome).toBe('unknown');
  });
});

describe('a plugin that gives no client here', () => {
  const noClient = { code: 'NOT_FOUND', message: 'no device' };
  const refused: Stage = { stage: 'client', failure: { call: 'PJRT_Client_Create', died: false, ...noClient } };
  const view = (more: Partial<PluginView> = {}): PluginView => ({
    ...perfect(112),
    abilities: new Map(
      Abi.at(112).functions.map((name) => [name, name === 'PJRT_Client_Create' ? 'fails' : 'untried'] as const),
    ),
    noClient,
    session: () => [refused],
    ...more,
  });

  test('is not refused for it: nothing is known of what was not tried', () => {
    const seen = about('0.10.2', view());
    expect(seen).toMatchObject({ outcome: 'unknown', moment: 'client creation', message: 'NOT_FOUND: no device' });
    expect(seen.untried.join('\n')).toMatch(/^a session: .*\nfunctions: .*PJRT_Client_Devices/);
  });

  test('is refused for what can be seen all the same', () => {
    const sizes = { code: 'INVALID_ARGUMENT', message: 'sizes' };
    const older: Stage = { stage: 'client', failure: { call: 'PJRT_Client_Create', died: false, ...sizes } };
    expect(about('0.10.2', view({ session: () => [older] }))).toMatchObject({ outcome: 'refuses', message: 'sizes' });
    expect(about('0.4.30', view())).toMatchObject({
      outcome: 'refuses',
      noClient: 'NOT_FOUND: no device',
    });
  });
});

test('a Layouts extension shorter than its minor demands crashes at the first compile', () => {
  const view = perfect(95, { extensions: [{ name: 'Layouts', structSize: 72 }] });
  expect(about('0.9.2', view)).toMatchObject({ outcome: 'aborts', moment: 'first compile' });
  expect(about('0.8.3', view).outcome).not.toBe('aborts');
});

test('a function of the Layouts extension that is NULL crashes with the first array', () => {
  const layouts = { name: 'Layouts', structSize: 80, nullSlots: ['PJRT_Layouts_MemoryLayout_Destroy'] };
  expect(about('0.10.2', perfect(112, { extensions: [layouts] }))).toMatchObject({
    outcome: 'aborts',
    moment: 'first transfer',
  });
  const unused = { ...layouts, nullSlots: ['PJRT_Layouts_PJRT_Topology_GetDefaultLayout'] };
  expect(about('0.10.2', perfect(112, { extensions: [unused] })).outcome).not.toBe('aborts');
});

test('a process that does not exit as it should aborts at exit', () => {
  expect(about('0.10.2', perfect(112, { exit: { signal: 'SIGABRT' } }))).toMatchObject({
    outcome: 'aborts',
    moment: 'exit',
    reason: 'a process that has destroyed its clients died with SIGABRT at its exit',
  });
});

test('an error that ends the process where an error was expected does so at the first error', () => {
  const session = () => [
    { stage: 'error' as const, failure: { call: 'PJRT_Client_Compile', message: 'no', died: false } },
  ];
  const view = without(114, 'PJRT_Error_ForEachPayload', 'unimplemented');
  expect(about('0.10.2', { ...view, session })).toMatchObject({ outcome: 'aborts', moment: 'first error' });
});

test('JAX 0.4.35 serializes programs as a StableHLO that it cannot write', () => {
  expect(about('0.4.35', { ...perfect(81), stablehloCurrent: '1.20.0' })).toMatchObject({
    outcome: 'refuses',
    moment: 'first compile',
    reason: "the framework serializes programs as StableHLO 1.20.0 (the plugin's version) but can write at most 1.7.8",
    message: 'target version 1.20.0 is greater than current version 1.7.8',
  });
  const uncalled = { ...without(114, 'PJRT_Executable_Fingerprint', 'null'), stablehloCurrent: '1.20.0' };
  expect(about('0.4.35', uncalled)).toMatchObject({ outcome: 'refuses', moment: 'first compile' });
  expect(about('0.4.36', perfect(81)).moment).not.toBe('first compile');
});

test('the source of a fact says in plain words what is done with an error', () => {
  const texts = Object.keys(jax.functions).flatMap(
    (name) => about('0.10.2', without(112, `PJRT_${name}`, 'null')).facts,
  );
  const plain =
    /; an error (?:ends the process(?: unless it is UNIMPLEMENTED)?|is passed on|is accepted if it is UNIMPLEMENTED|is ignored) \(/;
  const ofFunctions = texts.filter((text) => text.startsWith('PJRT_'));
  expect(ofFunctions.length).toBeGreaterThan(20);
  expect(ofFunctions.filter((text) => !plain.test(text))).toEqual([]);
});

test('what was measured of a release goes to its exit', () => {
  for (const { release, onCpu, notOnCpu } of jax.calls) {
    expect(Object.keys(onCpu), release).toContain('exit');
    expect(Object.keys(notOnCpu), release).toContain('exit');
  }
  const view = without(114, 'PJRT_LoadedExecutable_Execute', 'null');
  expect(about('0.4.36', view)).toMatchObject({ outcome: 'aborts', moment: 'first execution' });
});

test('releases by exact version, or the newest that begins so', () => {
  const torch: Framework = loadFramework('pytorch-xla');
  expect(findRelease(torch, '2.9')?.version).toBe('2.9.0');
  expect(findRelease(jax, '0.4')?.version).toBe('0.4.38');
  expect(findRelease(jax, '9.9')).toBeUndefined();
});

describe('callers that are no framework of XLA', () => {
  const by = (name: 'gopjrt' | 'zml', view: PluginView) => {
    const framework = loadFramework(name);
    return predict(framework, framework.releases.at(-1)!, view);
  };
  const refuses = { outcome: 'refuses', moment: 'first transfer' };

  test.each(['gopjrt', 'zml'] as const)('%s works with a plugin that does everything', (name) => {
    expect(by(name, perfect(114))).toMatchObject({ outcome: 'works', limits: [] });
  });

  test('gopjrt waits by blocking, asks for the sizes of arrays, and queries what JAX does not', () => {
    expect(by('gopjrt', without(114, 'PJRT_Event_Await', 'unimplemented'))).toMatchObject(refuses);
    expect(about('0.11.0', without(114, 'PJRT_Event_Await', 'unimplemented')).outcome).toBe('works');
    expect(by('gopjrt', perfect(114, { noSize: 'INVALID_ARGUMENT' }))).toMatchObject({
      outcome: 'limits',
      limits: [expect.stringMatching(/ToHostBuffer with dst = NULL, .* without elements: INVALID_ARGUMENT/)],
    });
    const statistics = without(114, 'PJRT_Executable_GetCompiledMemoryStats', 'unimplemented');
    expect(by('gopjrt', statistics)).toMatchObject({ outcome: 'refuses', moment: 'first compile' });
  });

  test('zml needs transfer managers and uninitialized buffers', () => {
    for (const name of ['CreateBuffersForAsyncHostToDevice', 'CreateUninitializedBuffer'])
      expect(by('zml', without(114, `PJRT_Client_${name}`, 'unimplemented')), name).toMatchObject(refuses);
    expect(by('zml', without(114, 'PJRT_Client_CreateUninitializedBuffer', 'null')).outcome).toBe('aborts');
    expect(by('zml', perfect(114, { noSize: 'INVALID_ARGUMENT' })).outcome).toBe('works');
  });
});
