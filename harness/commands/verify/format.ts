import type { Verification } from './verify-bundle.ts';

/** The result of a verification, one line per violation. */
export function formatVerification(
  { violations, unlisted, files, events, cases, exitCode }: Verification,
  name: string,
): string {
  const rules = new Set(violations.map(({ rule }) => rule));
  if (rules.size === 0) {
    return `${name}: valid: ${files} files, ${events} events, ${cases} cases accounted for, exit code ${exitCode}\n`;
  }
  const lines = [...rules].flatMap((rule) => [
    ...violations
      .filter((violation) => violation.rule === rule)
      .map(({ where, what }) => `✗ ${rule}  ${where}: ${what}`),
    ...(unlisted[rule] ? [`✗ ${rule}  … ${unlisted[rule]} more`] : []),
  ]);
  return `${lines.join('\n')}\n${name}: not valid: ${rules.size} ${rules.size === 1 ? 'rule is' : 'rules are'} violated\n`;
}
