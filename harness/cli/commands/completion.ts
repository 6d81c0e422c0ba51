import { readFileSync } from 'node:fs';
import { Argument, type Command } from 'commander';
import type { CommandEnvironment } from '../../base/environment.ts';
import { packagePath } from '../../base/paths.ts';
import { helpOf } from './options.ts';

const SCRIPTS = { bash: 'bash.sh', zsh: 'zsh.zsh', fish: 'fish.fish' } as const;
type Shell = keyof typeof SCRIPTS;

/** Adds `completion`, and `complete`, which the shell scripts call. */
export function addCompletion(program: Command, environment: CommandEnvironment): void {
  program
    .command('completion')
    .description('print the completion script for a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .addHelpText('after', helpOf('completion'))
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
