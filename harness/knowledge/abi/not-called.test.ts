import { expect, test } from 'vitest';
import { EXTENSIONS } from './extensions.ts';
import { makerOf, reasonNotToCall } from './not-called.ts';

test('there is a reason for exactly the functions that must not be called', () => {
  const functions = [...EXTENSIONS.values()].flatMap((extension) =>
    extension.slots.filter((s) => s.kind === 'function').map((slot) => ({ extension, slot })),
  );
  const odd = functions.filter(
    ({ extension, slot }) => (slot.probe === 'R') !== (reasonNotToCall(extension, slot) !== undefined),
  );
  expect(odd.map(({ extension, slot }) => `${extension.name}.${slot.name}`)).toEqual([]);
});

test('what makes the argument of a function is a function of the same extension', () => {
  for (const extension of EXTENSIONS.values()) {
    const names = extension.slots.map((s) => s.name);
    for (const slot of extension.slots) {
      const maker = makerOf(extension, slot);
      if (maker !== undefined) expect(names).toContain(maker);
    }
  }
  expect(makerOf({ name: 'PhaseCompile' }, { name: 'phase_compile_get_phase_names' })).toBe(
    'phase_compile_get_compiler',
  );
});
