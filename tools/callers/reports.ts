export type TestResult = 'pass' | 'fail' | 'skip' | 'unsupported';

/** Readers of the results of tests, by the form that a caller's tests write. */
export const REPORTS = { 'go test -json': goTests, 'pypjrt.conform --json': pypjrtChecks };

/** The tests without subtests. One that never ended, because the process died in it, failed. */
function goTests(text: string): Map<string, TestResult> {
  const results = new Map<string, TestResult>();
  for (const line of text.split('\n').filter((one) => one.startsWith('{'))) {
    const { Action: action, Test: test } = JSON.parse(line) as { Action: string; Test?: string };
    if (test === undefined) continue;
    if (action === 'run') results.set(test, 'fail');
    if (action === 'pass' || action === 'fail' || action === 'skip') results.set(test, action);
  }
  const names = [...results.keys()];
  const parents = names.filter((name) => names.some((other) => other.startsWith(`${name}/`)));
  for (const name of parents) results.delete(name);
  return results;
}

function pypjrtChecks(text: string): Map<string, TestResult> {
  if (!text.startsWith('{')) return new Map();
  const { checks } = JSON.parse(text) as { checks: { id: string; result: TestResult }[] };
  return new Map(checks.map(({ id, result }) => [id, result]));
}
