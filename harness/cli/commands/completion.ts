import { readFileSync } from 'node:fs';
import { Argument, type Command } from 'commander';
import type { CommandEnvironment } from '../../base/environment.ts';
import { packagePath } from '../../base/paths.ts';

const SCRIPTS = { bash: 'bash.sh', zsh: 'zsh.zsh', fish: 'fish.fish' } as const;
type Shell = keyof typeof SCRIPTS;

const COMPLETION_HELP = `
Completes commands, options and their values: suites, cases, tags, requirements, plugins, profiles, report formats, files.
It needs an installed command (npm install -g pjrt-conformance, or node_modules/.bin on the PATH); it does not work with npx.

Examples:
  $ echo 'source <(pjrt-conformance completion bash)' >> ~/.bashrc
  $ echo 'source <(pjrt-conformance completion zsh)' >> ~/.zshrc             # after compinit
  $ pjrt-conformance completion fish > ~/.config/fish/completions/pjrt-conformance.fish

Exit codes:
  0    The script was printed.
  2    There is no script for this shell.
`;

/** Adds `completion`, and `complete`, which the shell scripts call. */
export function addCompletion(program: Command, environment: CommandEnvironment): void {
  program
    .command('completion')
    .description('print the completion script for a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .addHelpText('after', COMPLETION_HELP)
    .action((shell: Shell) => {
      environment.stdout.write(readFileSync(packagePath('templates', 'completion', SCRIPTS[shell]), 'utf8'));
    });
  program
    .command('complete', { hidden: true })
    .argument('[words...]', 'words after the name of the program, the last one unfinished')
    .action(async (words: string[]) => {
      const { complete } = await import('../completion/complete.ts');
      const { values, files } = await complete(program, words, environment);
      const lines = values.map(([value, description]) => `${value}\t${description}`);
      environment.stdout.write(`${[files ? 'files' : 'words', ...lines].join('\n')}\n`);
    });
}
