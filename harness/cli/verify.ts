import { resolve } from 'node:path';
import { UnreadableError, type Verification, verifyBundle } from '../verify/index.ts';
import { display } from './display.ts';
import { readable } from './readable.ts';
import type { Surroundings } from './surroundings.ts';

export interface VerifyOptions {
  format: 'text' | 'json';
}

/**
 * `verify`: whether a bundle is complete and consistent.
 * @returns the exit code: 0 it is, 1 it is not, 2 it cannot be read
 */
export async function verify(bundle: string, { format }: VerifyOptions, around: Surroundings): Promise<number> {
  const path = resolve(around.cwd, bundle);
  try {
    const found = await verifyBundle(path);
    const text =
      format === 'json' ? `${JSON.stringify(found, null, 2)}\n` : readable(told(found, display(around.cwd, path)));
    around.stdout.write(text);
    return found.violations.length > 0 ? 1 : 0;
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    const name = error.message.includes(bundle) ? '' : `${display(around.cwd, path)}: `;
    around.stderr.write(`error: ${readable(name + error.message)}\n`);
    return 2;
  }
}

function told({ violations, untold, files, events, cases, exitCode }: Verification, name: string): string {
  const rules = new Set(violations.map(({ rule }) => rule));
  if (rules.size === 0) {
    return `${name}: good: ${files} files, ${events} events, ${cases} cases accounted for, exit code ${exitCode}\n`;
  }
  const lines = [...rules].flatMap((rule) => [
    ...violations
      .filter((violation) => violation.rule === rule)
      .map(({ where, what }) => `✗ ${rule}  ${where}: ${what}`),
    ...(untold[rule] ? [`✗ ${rule}  … ${untold[rule]} more`] : []),
  ]);
  return `${lines.join('\n')}\n${name}: not good: ${rules.size} ${rules.size === 1 ? 'rule is' : 'rules are'} broken\n`;
}
