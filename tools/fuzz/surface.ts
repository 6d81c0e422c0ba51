import type { CommandOutput } from '../command-line/command.ts';
import type { Syntax } from './mutate.ts';
import type { Random } from './random.ts';
import type { Sandbox } from './sandbox.ts';

/** A kind of file that users pass to the command. */
export interface Surface {
  name: string;
  /** Name of the input. */
  file: string;
  syntax: Syntax;
  /** Valid files of the kind, as seeds. */
  corpus?(): Buffer[];
  /** The schema of such files: names in it are inserted too. */
  schema?: string;
  /** Makes inputs, if changing a seed is not enough. */
  maker?(ground: Ground): Maker | Promise<Maker>;
  /** Files beside the input, by name. */
  beside?(): Record<string, Buffer>;
  /** The command line that reads it. */
  args: readonly string[];
  /** Reads it with the function that the command calls, if the command itself would do much else each time. */
  read?(cwd: string, env: NodeJS.ProcessEnv): Promise<CommandOutput>;
  /** Where the input lets the command write besides the output directory. */
  places?(input: Buffer, cwd: string): string[];
  /** What is wrong with the input after the command, if the command may change it. */
  after?(input: Buffer, now: Buffer, output: CommandOutput): string | undefined;
  /** It is much slower than others, so it runs half as often. */
  slow?: true;
}

export type Maker = (random: Random) => Buffer;

/** Where inputs are made. */
export interface Ground {
  sandbox: Sandbox;
  plugin: string | undefined;
  command(args: readonly string[]): Promise<CommandOutput>;
}

/** Order of the kinds of files, repeated. */
export const turns = (surfaces: readonly Surface[]): Surface[] => {
  const quick = surfaces.filter(({ slow }) => !slow);
  return [...surfaces, ...quick];
};
