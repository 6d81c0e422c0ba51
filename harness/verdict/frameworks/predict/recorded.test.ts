import { expect, test } from 'vitest';
import { Abi } from '../../../knowledge/abi/index.ts';
import type { DataFailure, PluginView, RecordedResult } from '../plugin-view.ts';
import type { Prediction } from '../prediction.ts';
import { parseRelease } from '../spec.ts';
import { predict } from './predict.ts';

const predicted = (spec: string, recorded: PluginView['recorded']): Prediction => {
  const { framework, release } = parseRelease(spec);
  return predict(framework, release, {
    minor: 112,
    abilities: new Map(Abi.at(112).functions.map((name) => [name, 'works' as const])),
    answers: {},
    extensions: [{ name: 'Layouts', structSize: 80 }],
    exportsTensorflowInit: false,
    session: () => [{ stage: 'client' }],
    dataFailures: [],
    recorded,
  });
};
const played = (how?: DataFailure['how'], release = '0.10.2'): RecordedResult => ({
  framework: 'jax',
  release,
  script: 'train',
  ...(how && { failure: { case: 'framework/sessions:s', requirements: [], how, call: 'PJRT_F', code: 'INTERNAL' } }),
});

test.each([
  [
    'died',
    'aborts',
    'the process ends in PJRT_F where the calls of a small script are made again (framework/sessions:s)',
  ],
  ['wrong', 'wrong', 'results are wrong where the calls of a small script are made again (framework/sessions:s)'],
] as const)('a session that %s decides', (how, outcome, reason) => {
  expect(predicted('jax@0.10.2', [played(how)])).toMatchObject({ outcome, reason, moment: 'when used' });
});

test.each(['refused', 'other', 'inaccurate'] as const)('a session whose calls are %s is a limit', (how) => {
  expect(predicted('jax@0.10.2', [played(how)]).outcome).toBe('limits');
});

test('the nearest release that was recorded counts, and no other framework', () => {
  const recorded = [played('wrong', '0.6.2'), played(undefined, '0.10.2')];
  expect(predicted('jax@0.7.0', recorded).outcome).toBe('wrong');
  const { outcome, facts } = predicted('jax@0.11.0', recorded);
  expect(outcome).toBe('works');
  expect(facts.at(-1)).toBe('the recorded calls of 1 small script with JAX 0.10.2 give what they gave (train)');
  expect(predicted('pytorch-xla@2.9.0', recorded).outcome).not.toBe('wrong');
});

test('what was not tried for want of time is said', () => {
  expect(predicted('jax@0.10.2', 'slow').facts.at(-1)).toBe(
    'what jax@0.10.2 was recorded doing in small scripts was not tried, because compilations take long; `--profile sessions` does',
  );
});
