import { expect, test } from 'vitest';
import { type Crash, conclude, type Repeat } from './crash-inquiry.ts';

const crash: Crash = {
  result: {
    status: 'crash',
    findings: [
      {
        type: 'pjrt.Crash',
        level: 'must',
        message: 'the process died with SIGSEGV in PJRT_X',
        call: 'PJRT_X',
        requirements: ['CLI-NAM-001'],
      },
    ],
    durationMs: 1,
    nativeMs: 0,
    calls: 1,
    inFlight: 'PJRT_X',
    signal: 'SIGSEGV',
  },
  guard: 'none',
};

const finding = (...repeats: Repeat[]) => findingOf(crash, repeats);

/** First finding of the inquiry with these repetitions. */
function findingOf(of: Crash, repeats: readonly Repeat[]) {
  let now = of;
  for (const [i, repeat] of repeats.entries()) {
    const end = conclude(now, repeat);
    if (!('guard' in end)) {
      expect(i).toBe(repeats.length - 1);
      return end.result.findings[0]!;
    }
    now = end;
  }
  throw new Error('no conclusion');
}

test('a crash without guard pages too is a crash of the call', () => {
  expect(finding('same call')).toEqual(crash.result.findings[0]);
});

test('a crash that only guard pages after the structs cause is an overrun of a struct', () => {
  expect(finding('survived', 'same call')).toMatchObject({
    type: 'pjrt.MemoryOverrun',
    message: 'the process died with SIGSEGV in PJRT_X, which reads or writes past the struct_size of its arguments',
    requirements: ['ABI-ARGS-002', 'CLI-NAM-001'],
  });
});

test.each<[Repeat[]]>([
  [['survived', 'survived', 'same call']],
  [['survived', 'survived', 'elsewhere']],
  [['survived', 'elsewhere', 'elsewhere']],
])('after %j something reads past the data of a call, perhaps on another thread', (repeats) => {
  expect(finding(...repeats)).toMatchObject({
    type: 'pjrt.MemoryOverrun',
    message: expect.stringMatching(
      /^the process died with SIGSEGV in PJRT_X, because the plugin reads past the end of data/,
    ),
    requirements: ['CLI-NAM-001'],
  });
});

test.each<[Repeat[]]>([[['survived', 'same call']], [['survived', 'survived', 'same call']]])(
  'after %j what is only a warning stays one',
  (repeats) => {
    const should = {
      ...crash,
      result: { ...crash.result, findings: [{ ...crash.result.findings[0]!, level: 'should' as const }] },
    };
    expect(finding(...repeats)).toMatchObject({ level: 'must' });
    expect(findingOf(should, repeats)).toMatchObject({ type: 'pjrt.MemoryOverrun', level: 'should' });
  },
);

test.each<[Repeat[], string]>([
  [['elsewhere'], 'the process died in a different place'],
  [['survived', 'survived', 'survived'], 'did not happen again'],
  [['survived', 'elsewhere', 'survived'], 'did not happen again'],
])('after %j the call may not be the cause', (repeats, words) => {
  expect(finding(...repeats)).toMatchObject({ type: 'pjrt.Crash', detail: expect.stringContaining(words) });
});
