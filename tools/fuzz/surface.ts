import type { Told } from './command.ts';
import type { Syntax } from './mutate.ts';
import type { Random } from './random.ts';
import type { Sandbox } from './sandbox.ts';

/** A kind of file that users hand to the command. */
export interface Surface {
  name: string;
  /** Name of the input. */
  file: string;
  syntax: Syntax;
  /** Sound files of the kind, to be changed. */
  corpus?(): Buffer[];
  /** The schema of such files: what it names is put in too. */
  schema?: string;
  /** Makes inputs, where there is more to it than changing a sound file. */
  maker?(ground: Ground): Maker | Promise<Maker>;
  /** Files that stand beside the input, by name. */
  beside?(): Record<string, Buffer>;
  /** The command line that reads it. */
  args: readonly string[];
  /** Reads it by the function that the command calls, where the command itself would do much else each time. */
  read?(cwd: string, env: NodeJS.ProcessEnv): Promise<Told>;
  /** Where the command may write beside the output folder, because the input says so. */
  places?(input: Buffer, cwd: string): string[];
  /** What is wrong with the input after the command, where that may change it. */
  after?(input: Buffer, now: Buffer, told: Told): string | undefined;
  /** It takes many times as long as others, so that its turn comes half as often. */
  slow?: true;
}

export type Maker = (random: Random) => Buffer;

/** Where inputs are made. */
export interface Ground {
  sandbox: Sandbox;
  plugin: string | undefined;
  command(args: readonly string[]): Promise<Told>;
}

/** In which order kinds of files have their turn, again and again. */
export const turns = (surfaces: readonly Surface[]): Surface[] => {
  const quick = surfaces.filter(({ slow }) => !slow);
  return [...surfaces, ...quick];
};
