import { expect, test } from 'vitest';
import { packageSuites } from '../../run/suites/package-suites.ts';
import { stepsOf } from '../../suite/sample-case.test-helper.ts';
import type { StepBody } from '../../suite/types.ts';
import type { Client } from '../pjrt/client.ts';
import type { LoadedExecutable } from '../pjrt/executable.ts';
import { releaseSharedPrograms, settleSharedPrograms, sharedProgram } from './shared-programs.ts';

/** A client that counts what it compiles, and executables that report their destruction. */
function setup() {
  const client = {} as Client;
  const ended: string[] = [];
  const live = new Set<string>();
  let compilations = 0;
  const compile = (key: string, fails = false): LoadedExecutable => {
    compilations++;
    live.add(key);
    const executable = {
      destroyed: false,
      keep: () => live.delete(key),
      destroy() {
        executable.destroyed = true;
        ended.push(key);
        if (fails) throw new Error('cannot be destroyed');
      },
    };
    return executable as unknown as LoadedExecutable;
  };
  const get = (key: string, fails = false) => sharedProgram(client, key, () => compile(key, fails));
  return { client, ended, live, get, compilations: () => compilations };
}

test('a program is compiled once, and no case has to give it back', () => {
  const { client, ended, live, get, compilations } = setup();
  const first = get('a');
  settleSharedPrograms(client, true);
  expect(get('a')).toBe(first);
  expect(get('b')).not.toBe(first);
  expect(compilations()).toBe(2);
  expect([...live]).toEqual([]);
  settleSharedPrograms(client, true);
  expect(ended).toEqual([]);
});

test('what a failed case used is not used again; what others used is', () => {
  const { client, ended, get, compilations } = setup();
  get('a');
  settleSharedPrograms(client, true);
  get('b');
  settleSharedPrograms(client, false);
  expect(ended).toEqual(['b']);
  get('a');
  expect(compilations()).toBe(2);
  get('b');
  expect(compilations()).toBe(3);
});

test('an executable that its case has destroyed is compiled again', () => {
  const { client, get, compilations } = setup();
  get('a').destroy();
  settleSharedPrograms(client, true);
  expect(get('a').destroyed).toBe(false);
  expect(compilations()).toBe(2);
});

test('there is a maximum: the least recently used one is removed, never one that the running case uses', () => {
  const { client, ended, get } = setup();
  const all = Array.from({ length: 128 }, (_, i) => String(i));
  for (const key of all) get(key);
  settleSharedPrograms(client, true);
  get('0');
  get('another');
  expect(ended).toEqual(['1']);
  // The running case may use more than the maximum.
  settleSharedPrograms(client, true);
  for (const key of all) get(`mine ${key}`);
  get('one more');
  expect(ended).not.toContain('mine 0');
});

test('all are destroyed before their client, and one that fails to be keeps no other', () => {
  const { client, ended, get } = setup();
  get('a', true);
  get('b');
  releaseSharedPrograms(client);
  expect(ended).toEqual(['a', 'b']);
  releaseSharedPrograms(client);
  expect(ended).toHaveLength(2);
});

test('cases that share programs do nothing to an executable but run it', () => {
  const { cases } = packageSuites();
  const sharing = cases.filter((c) => c.programs === 'shared');
  expect(sharing.length).toBeGreaterThan(700);
  // Of two compilations of one program in one case, the second would be none.
  for (const { id, steps } of sharing) {
    const compiled = steps.flatMap((s) =>
      s.verb === 'compile' && s.program !== undefined
        ? [JSON.stringify([s.program, s.format, s.version, s.options, s.topology, s.client])]
        : [],
    );
    expect([id, new Set(compiled).size]).toEqual([id, compiled.length]);
  }
  // Probes of these suites make executables of their own for functions that change one (`fresh_loaded`).
  const steps = sharing.filter((c) => !c.suite.startsWith('abi/')).flatMap(stepsOf);
  expect([...new Set(steps.map((step) => step.verb))].sort()).toEqual([
    'await',
    'call',
    'client',
    'compile',
    'complete',
    'data',
    'decode',
    'destroy',
    'execute',
    'expect',
    'for-each',
    'get',
    'if-offered',
    'layout',
    'observe',
    'on-threads',
    'pending',
    'probe',
    'program',
    'put',
    'read',
    'repeat',
    'rounds',
    'soak',
    'valid-call',
  ]);
  const named = (of: (step: StepBody) => string | undefined) =>
    [...new Set(steps.map(of).filter((name) => name !== undefined))].sort();
  // Questions leave an executable as it was.
  const called = named((step) => (step.verb === 'call' ? step.function : undefined));
  expect(called.filter((name) => /^PJRT_(?:Loaded)?Executable_/.test(name))).toEqual([
    'PJRT_Executable_DeserializeAndLoad', // of bytes
    'PJRT_Executable_Fingerprint',
    'PJRT_Executable_GetCompileOptions',
    'PJRT_Executable_GetCompiledMemoryStats',
    'PJRT_Executable_GetCostAnalysis',
    'PJRT_Executable_Name',
    'PJRT_Executable_NumOutputs',
    'PJRT_Executable_NumPartitions',
    'PJRT_Executable_NumReplicas',
    'PJRT_Executable_OutputDimensions',
    'PJRT_Executable_OutputElementTypes',
    'PJRT_Executable_OutputMemoryKinds',
    'PJRT_Executable_ParameterMemoryKinds',
    'PJRT_Executable_Serialize',
    'PJRT_Executable_SizeOfGeneratedCodeInBytes',
    'PJRT_LoadedExecutable_AddressableDeviceLogicalIds',
    'PJRT_LoadedExecutable_AddressableDevices',
    'PJRT_LoadedExecutable_Fingerprint',
    'PJRT_LoadedExecutable_GetDeviceAssignment',
    'PJRT_LoadedExecutable_GetExecutable',
  ]);
  // Buffers, events, handles that a question gave, executables that the case loaded itself.
  expect(named((step) => (step.verb === 'destroy' ? step.of : undefined))).toEqual([
    '$a',
    '$another',
    '$context',
    '$d',
    '$done',
    '$done[0]',
    '$e',
    '$failed',
    '$first',
    '$g',
    '$late',
    '$n',
    '$new',
    '$old',
    '$one',
    '$other',
    '$r',
    '$second',
    '$third',
    '$unused',
    '$v',
    '$view',
    '$w',
    '$x',
    '$y',
    '$z',
  ]);
  expect(named((step) => (step.verb === 'probe' ? step.name : undefined))).toEqual([
    'compiled-memory-stats',
    'completion-event',
    'contents-at-address',
    'contents-when-complete',
    'contents-when-ready',
    'device-assignment',
    'distinct-fingerprints',
    'dot-precision',
    'error-provoked',
    'every-function',
    'exchanged',
    'execute-device',
    'extension-executable-metadata',
    'extension-profiler-session',
    'extension-shardings',
    'fingerprints-of-one-shape',
    'immutable-host-memory',
    'late-argument',
    'made-of-zero-copy',
    'many-arguments',
    'older-execute-options',
    'op-forms',
    'optimized-program',
    'optimized-program-too-small',
    'overtaken',
    'second-holder',
    'subnormal-operands',
    'taken-after-use',
    'taken-argument-awaited',
    'taken-argument-executed',
    'taken-argument-read',
    'view-in-use',
  ]);
});
