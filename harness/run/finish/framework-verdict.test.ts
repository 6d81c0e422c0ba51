import { expect, test } from 'vitest';
import { eventFault } from '../../report/validate-event.ts';
import { parseRelease } from '../../verdict/frameworks/spec.ts';
import { asVerdict } from './framework-verdict.ts';

test('the verdict of a plugin without a client says that this is why nothing is known', () => {
  const verdict = asVerdict({
    ...parseRelease('jax@0.10.2'),
    prediction: {
      outcome: 'unknown',
      moment: 'client creation',
      reason: 'the plugin creates no client here (NOT_FOUND: no device); everything that can be checked is fine',
      limits: ['when used: a'],
      limitFacts: [{ moment: 'when used', about: 'PJRT_A', outcome: 'limits' }],
      facts: [],
      untried: ['a session'],
      noClient: 'NOT_FOUND: no device',
    },
    window: { standing: 'inside', text: '' } as Parameters<typeof asVerdict>[0]['window'],
  });
  expect(verdict).toMatchObject({
    outcome: 'unknown',
    noClient: 'NOT_FOUND: no device',
    limitFacts: [{ about: 'PJRT_A' }],
  });
  expect(eventFault({ type: 'framework', verdict })).toBeUndefined();
});
