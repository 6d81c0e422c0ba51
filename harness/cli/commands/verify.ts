import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { asJson } from '../../base/as-json.ts';
import { display } from '../../base/display.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import { textTable } from '../../base/text-table.ts';
import { RULES, UnreadableError } from '../../commands/verify/rules.ts';
import { exitCode } from '../../verdict/exit-codes.ts';
import { readable } from '../readable.ts';
import { type Done, helpOf } from './options.ts';

interface VerifyOptions {
  format: 'text' | 'json';
}

/** The rules with their meaning. */
const rulesHelp = (): string => textTable(Object.entries(RULES), { indent: '  ' }).join('\n');

/** Adds `verify`. */
export function addVerify(program: Command, environment: CommandEnvironment, done: Done): void {
  program
    .command('verify')
    .description('check that a bundle is complete, unchanged and consistent, without trusting its contents')
    .argument('<bundle>', 'archive written by `bundle`')
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'json']).default('text'))
    .addHelpText('after', helpOf('verify', { rules: rulesHelp }))
    .action(async (bundle: string, options: VerifyOptions) => {
      done(await verify(bundle, options, environment));
    });
}

/** Verifies a bundle and prints its problems. @returns the exit code: 0 complete and consistent, 1 not, 2 unreadable */
export async function verify(
  bundle: string,
  { format }: VerifyOptions,
  environment: CommandEnvironment,
): Promise<number> {
  const path = resolve(environment.cwd, bundle);
  const [{ verifyBundle }, { formatVerification }] = await Promise.all([
    import('../../commands/verify/verify-bundle.ts'),
    import('../../commands/verify/format.ts'),
  ]);
  try {
    const found = await verifyBundle(path);
    const text =
      format === 'json' ? asJson(found) : readable(formatVerification(found, display(environment.cwd, path)));
    environment.stdout.write(text);
    return found.violations.length > 0 ? 1 : 0;
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    environment.stderr.write(`error: ${readable(error.message)}\n`);
    return exitCode('usage');
  }
}
