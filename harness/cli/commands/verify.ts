import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { asJson } from '../../base/as-json.ts';
import { display } from '../../base/display.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import { textTable } from '../../base/text-table.ts';
import { RULES, UnreadableError } from '../../commands/verify/rules.ts';
import { exitCode } from '../../verdict/exit-codes.ts';
import { readable } from '../readable.ts';
import type { Done } from './options.ts';

interface VerifyOptions {
  format: 'text' | 'json';
}

const verifyHelp = (): string => {
  const rules = textTable(Object.entries(RULES), { indent: '  ' });
  return `
It trusts neither the bundle nor the working directory: no configuration file is read, and nothing is unpacked to disk.

Rules:
${rules.join('\n')}

Examples:
  $ pjrt-conformance verify bundle.zip
  $ pjrt-conformance verify bundle.zip --format json | jq -r '.violations[] | .rule, .where, .what'

Exit codes:
  0    All rules hold.
  1    A rule is violated; each line says which, where and how.
  2    The bundle cannot be read: it does not exist, is not an archive, has no manifest.json, or has a version that is too new.
`;
};

/** Adds `verify`. */
export function addVerify(program: Command, environment: CommandEnvironment, done: Done): void {
  program
    .command('verify')
    .description('check that a bundle is complete, unchanged and consistent, without trusting its contents')
    .argument('<bundle>', 'archive written by `bundle`')
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'json']).default('text'))
    .addHelpText('after', verifyHelp)
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
