import { describe, expect, test } from 'vitest';
import { Abi } from '../../../knowledge/abi/index.ts';
import type { DataFailure, PluginView } from '../plugin-view.ts';
import { parseRelease } from '../spec.ts';
import { predict } from './predict.ts';

const view = (dataFailures: DataFailure[], more: Partial<PluginView> = {}): PluginView => ({
  minor: 112,
  abilities: new Map(Abi.at(112).functions.map((name) => [name, 'works' as const])),
  answers: {},
  extensions: [{ name: 'Layouts', structSize: 80 }],
  exportsTensorflowInit: false,
  session: () => [{ stage: 'client' }],
  dataFailures,
  ...more,
});
const about = (plugin: PluginView, spec = 'jax@0.10.2') => {
  const { framework, release } = parseRelease(spec);
  return predict(framework, release, plugin);
};
const strides = (how: DataFailure['how'], more: Partial<DataFailure> = {}): DataFailure => ({
  case: 'buffers/host-strides:transposed',
  requirements: ['BUF-HOST-009'],
  how,
  ...more,
});

test('arrays that are wrong are an outcome of their own, with what they are about', () => {
  expect(about(view([strides('wrong'), strides('wrong', { case: 'b/c:d' })]))).toMatchObject({
    outcome: 'wrong',
    moment: 'first transfer',
    reason: 'strided uploads (2 cases, such as buffers/host-strides:transposed)',
    limits: [],
  });
  expect(about(view([]))).toMatchObject({ outcome: 'works' });
});

test('a framework that does not rely on it is not concerned', () => {
  expect(about(view([strides('wrong')]), 'pytorch-xla@2.9.0').outcome).not.toBe('wrong');
  expect(about(view([strides('wrong', { requirements: ['BUF-RAW-001'] })])).outcome).toBe('works');
});

describe('what gives no wrong array is a limit', () => {
  test.each([
    ['refused', 'strided uploads: PJRT_F returns UNIMPLEMENTED (buffers/host-strides:transposed)'],
    ['died', 'strided uploads: the process ends in PJRT_F (buffers/host-strides:transposed)'],
    ['other', 'strided uploads: they are not as they should be (buffers/host-strides:transposed)'],
  ] as const)('%s', (how, reason) => {
    const { outcome, limits } = about(view([strides(how, { call: 'PJRT_F', code: 'UNIMPLEMENTED' })]));
    expect({ outcome, limits }).toEqual({ outcome: 'limits', limits: [`when used: ${reason}`] });
  });
});

test('a lack of accuracy is a limit where profiles differ, and wrong where results are exact', () => {
  const of = (requirement: string) => about(view([strides('inaccurate', { requirements: [requirement] })])).outcome;
  expect([of('NUM-DOT-001'), of('NUM-MOV-001')]).toEqual(['limits', 'wrong']);
});

test('what a violation does to a framework, where it was measured', () => {
  const kinds = (requirement: string) => about(view([strides('other', { requirements: [requirement] })]));
  expect(kinds('RUN-OUT-004')).toMatchObject({ outcome: 'aborts', moment: 'first execution' });
  expect(kinds('EXE-OUT-003')).toMatchObject({
    outcome: 'refuses',
    moment: 'first compile',
    message: 'Could not find memory addressable by device',
  });
});

test('a feature that a platform does not get from the framework is not relied on', () => {
  const donated = strides('wrong', { requirements: ['RUN-DON-003'] });
  expect(about(view([donated], { platformName: 'tpu' })).outcome).toBe('wrong');
  expect(about(view([donated], { platformName: 'foo' })).outcome).toBe('works');
});
