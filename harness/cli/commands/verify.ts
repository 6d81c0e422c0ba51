import { type Command, Option } from 'commander';
import { RULES } from '../../verify/rules.ts';
import type { Surroundings } from '../surroundings.ts';
import type { VerifyOptions } from '../verify.ts';
import type { Done } from './done.ts';

const verifyHelp = (): string => {
  const width = Math.max(...Object.keys(RULES).map((name) => name.length));
  const rules = Object.entries(RULES).map(([name, text]) => `  ${name.padEnd(width)}  ${text}`);
  return `
It trusts neither the bundle nor the place where it is called: no configuration file is read, and nothing is unpacked to disk.

Rules:
${rules.join('\n')}

Examples:
  $ pjrt-conformance verify bundle.zip
  $ pjrt-conformance verify bundle.zip --format json | jq -r '.violations[] | .rule, .where, .what'

Exit codes:
  0    Every rule holds.
  1    A rule is broken; each line says which, where and how.
  2    It cannot be read: no file, no archive, no manifest, or a version that is too new.
`;
};

/** `verify`: its options and help. */
export function addVerify(program: Command, around: Surroundings, done: Done): void {
  program
    .command('verify')
    .description('whether a bundle is complete, unchanged and consistent; trusts nothing that is in it')
    .argument('<bundle>', 'archive that `bundle` wrote')
    .addOption(new Option('--format <format>', 'output').choices(['text', 'json']).default('text'))
    .addHelpText('after', verifyHelp)
    .action(async (bundle: string, options: VerifyOptions) => {
      const { verify } = await import('../verify.ts');
      done(await verify(bundle, options, around));
    });
}
