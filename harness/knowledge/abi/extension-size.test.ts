import { expect, test } from 'vitest';
import { extensionSize } from './extension-size.ts';
import { EXTENSIONS, extensionNamed } from './extensions.ts';

const LAYOUTS = extensionNamed('Layouts').type;

test('the size of the newest header', () => {
  const { type, size } = extensionNamed('Layouts');
  const meaning = extensionSize(type, size!);
  expect(meaning).toMatchObject({ fit: 'newest', lacks: [] });
  expect(meaning).not.toHaveProperty('until');
});

test('an older size: which days, which version, which slots are not there', () => {
  expect(extensionSize(LAYOUTS, 72)).toMatchObject({
    fit: 'older',
    since: '2025-10-20',
    minor: expect.any(Number),
    until: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    lacks: ['PJRT_Layouts_PJRT_Executable_GetParameterLayouts'],
  });
});

test('sizes that no header had', () => {
  expect(extensionSize(LAYOUTS, 88)).toEqual({ fit: 'longer', lacks: [] });
  expect(extensionSize(LAYOUTS, 60)).toMatchObject({ fit: 'other' });
  expect(extensionSize(LAYOUTS, 60).lacks.length).toBeGreaterThan(2);
  expect(extensionSize(9999, 24)).toEqual({ fit: 'none', lacks: [] });
});

// libtpu 0.0.52 has both; no published header does.
test.each([
  ['PhaseCompile', 192],
  ['TpuTopology', 280],
])('%s of %i bytes is newer than the headers, and lacks nothing', (name, size) => {
  expect(extensionSize(extensionNamed(name).type, size)).toEqual({ fit: 'longer', lacks: [] });
});

test('every published size is found', () => {
  for (const { type, size: newest, knownSizes } of EXTENSIONS.values()) {
    if (newest === undefined) continue;
    for (const size of knownSizes) expect(['newest', 'older']).toContain(extensionSize(type, size).fit);
  }
});
