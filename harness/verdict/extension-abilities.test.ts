import { expect, test } from 'vitest';
import { extensionNamed } from '../knowledge/abi/index.ts';
import type { PluginFacts } from '../model/plugin-facts.ts';
import { extensionAbilities } from './extension-abilities.ts';

const facts = (more: Partial<PluginFacts>): PluginFacts => ({
  name: 'p',
  path: '/p.so',
  sha256: '',
  sizeBytes: 1,
  ...more,
});

function node(
  name: string,
  structSize?: number,
  nullSlots: string[] = [],
): NonNullable<PluginFacts['extensions']>[number] {
  const { type, size, knownSizes, slots } = extensionNamed(name);
  return { type, name, structSize: structSize ?? size!, knownSizes: [...knownSizes], slots: slots.length, nullSlots };
}

const matrix = (more: Partial<PluginFacts>) =>
  Object.fromEntries(
    extensionAbilities(facts(more)).flatMap(({ name, slots }) => slots.map((s) => [`${name}.${s.name}`, s.ability])),
  );

test('a slot is absent, null, not called, untried, or as its answers show', () => {
  expect(
    matrix({
      extensions: [node('FFI', 40, ['user_data_add']), node('Gpu_Custom_Call'), node('MemoryDescriptions')],
      answers: {
        'FFI.type_register': ['OK', 'INVALID_ARGUMENT'],
        'MemoryDescriptions.PJRT_MemoryDescription_Kind': ['UNIMPLEMENTED'],
        // The function of the C API is a different one.
        PJRT_DeviceDescription_MemoryDescriptions: ['OK'],
      },
    }),
  ).toEqual({
    'FFI.type_register': 'works',
    'FFI.user_data_add': 'null',
    'FFI.register_handler': 'absent',
    'Gpu_Custom_Call.custom_call': 'not-called',
    'MemoryDescriptions.PJRT_DeviceDescription_MemoryDescriptions': 'untried',
    'MemoryDescriptions.PJRT_MemoryDescription_Kind': 'unimplemented',
  });
});

test.each([
  ['fails', ['INTERNAL']],
  ['dies', ['DEATH']],
  ['hangs', ['HANG']],
])('a slot that %s', (ability, answers) => {
  expect(
    matrix({ extensions: [node('HostMemoryAllocator')], answers: { 'HostMemoryAllocator.allocate': answers } }),
  ).toEqual({ 'HostMemoryAllocator.allocate': ability });
});

test('a function that takes what another one creates is not called if that one creates nothing', () => {
  const extensions = [node('PhaseCompile', undefined, ['phase_compile_get_compiler'])];
  const [{ slots }] = extensionAbilities(facts({ extensions })) as unknown as [{ slots: unknown[] }];
  expect(slots).toContainEqual({
    name: 'phase_compile_get_phase_names',
    ability: 'not-called',
    reason: 'it takes what phase_compile_get_compiler creates, which is NULL',
  });
  // Nothing has requested the names, so the function that releases them is untried.
  expect(slots).toContainEqual({ name: 'phase_compile_c_buffers_destroy', ability: 'untried' });
});

test('functions of an unknown extension are not called', () => {
  const extensions = [
    { type: 99, name: 'unknown 99', structSize: 40, knownSizes: [], slots: 2, nullSlots: ['slot 1'] },
  ];
  expect(extensionAbilities(facts({ extensions }))).toEqual([
    {
      type: 99,
      name: 'unknown 99',
      slots: [
        { name: 'slot 0', ability: 'not-called', reason: 'the extension is unknown' },
        { name: 'slot 1', ability: 'null' },
      ],
    },
  ]);
});

test('a slot that must not be called has a reason', () => {
  const [{ slots }] = extensionAbilities(facts({ extensions: [node('Triton')] })) as unknown as [{ slots: unknown[] }];
  expect(slots).toEqual([{ name: 'compile', ability: 'not-called', reason: expect.stringContaining('Triton module') }]);
});
