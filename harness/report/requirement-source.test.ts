import { expect, test } from 'vitest';
import { loadRequirements } from '../suite/requirements.ts';
import { sourceLink } from './requirement-source.ts';

test.each([
  ['pjrt_c_api.h, PJRT_Api: the head', 'https://github.com/openxla/xla/blob/main/xla/pjrt/c/pjrt_c_api.h'],
  [
    'pjrt_c_api_layouts_extension.h',
    'https://github.com/openxla/xla/blob/main/xla/pjrt/c/pjrt_c_api_layouts_extension.h',
  ],
  ['pjrt_client.h, PjRtClient', 'https://github.com/openxla/xla/blob/main/xla/pjrt/pjrt_client.h'],
  ['xla/pjrt/pjrt_api.cc, LoadPjrtPlugin', 'https://github.com/openxla/xla/blob/main/xla/pjrt/pjrt_api.cc'],
  ['StableHLO spec, add', 'https://github.com/openxla/stablehlo/blob/main/docs/spec.md'],
  ['JAX turns these texts into strings', undefined],
])('%s', (source, link) => expect(sourceLink(source)).toBe(link));

test('nearly all requirements with a source have a link', () => {
  const sources = [...loadRequirements().values()].flatMap(({ source }) => source ?? []);
  const linked = sources.filter((source) => sourceLink(source) !== undefined);
  expect(linked.length / sources.length).toBeGreaterThan(0.85);
});
