import { Command } from 'commander';
import { expect, test } from 'vitest';
import { withDeadlines } from './options.ts';

const command = (): Command =>
  withDeadlines(
    new Command('run')
      .exitOverride()
      .configureOutput({ writeErr: () => {} })
      .action(() => {}),
  );
const parsed = (...words: string[]): Command => command().parse(words, { from: 'user' });
const given = (...words: string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(parsed(...words).opts()).filter(([, value]) => value !== undefined));

test('--timeout sets deadlines by name; the last value of each counts, in the old spelling too', () => {
  expect(given('--timeout', 'case=30s,client=25m')).toEqual({ timeoutCase: 30_000, timeoutClient: 1_500_000 });
  expect(given('--timeout=case=30s', '--timeout', 'case=1m, exit=5')).toEqual({
    timeoutCase: 60_000,
    timeoutExit: 5000,
  });
  expect(given('--timeout-load', '2s', '--timeout', 'first=500ms')).toEqual({ timeoutLoad: 2000, timeoutFirst: 500 });
  expect(given('--timeout', 'call=1s', '--timeout-call', '2s')).toEqual({ timeoutCall: 2000 });
});

test('they count as given on the command line, and --timeout itself does not', () => {
  const { timeout, timeoutCase } = Object.fromEntries(
    ['timeout', 'timeoutCase'].map((name) => [name, parsed('--timeout', 'case=30s').getOptionValueSource(name)]),
  );
  expect([timeout, timeoutCase]).toEqual([undefined, 'cli']);
});

test.each([
  ['30s', 'case=30s,client=25m: a time for case, call, first, client, load, exit'],
  ['cas=30s', 'did you mean "case"?'],
  ['case=soon', 'a time such as 500ms'],
  ['case=1s,', 'case=30s,client=25m'],
  ['constructor=1s', 'case=30s,client=25m'],
])('--timeout %s is refused', (text, why) => expect(() => parsed('--timeout', text)).toThrow(why));

test('the help has one option for all', () => {
  const help = command().helpInformation();
  expect(help).toContain('--timeout <deadlines>');
  expect(help).not.toContain('--timeout-');
});
