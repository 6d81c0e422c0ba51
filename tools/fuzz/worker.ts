import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { CommandOutput } from '../command-line/command.ts';
import type { Random as Rng } from './random.ts';
import type { Surface } from './surface.ts';
import { watchProcess } from './watch.ts';

/**
 * Reads inputs one after the other as the command would, while its parent enforces deadlines. Started with the numbers of the
 * inputs; sends what it is about to read, the answers, and what is wrong with them.
 */

export interface Work {
  seed: number;
  from: number;
  to: number;
  /** Names of kinds of files; default: all. */
  surfaces?: string[];
  /** One input of this many is also given to the built command, in a process of its own. */
  sample?: number;
  /** Module that exports the kinds of files as `SURFACES`, beside this one. */
  module?: string;
  /** A plugin, for readers that need one. */
  plugin?: string;
}

export type Message =
  | { type: 'reads'; index: number; surface: string }
  /** `ms`: CPU time; `words`: the answer without input-specific parts. */
  | { type: 'answered'; exitCode: number; ms: number; words: string }
  | { type: 'defect'; index: number; surface: string; fault: string; input: string }
  | { type: 'done' };

const { Sandbox } = await import('./sandbox.ts');
const { packagePath, programPath, workerProgram } = await import('./programs.ts');
// Temporary files go to the directory that TMPDIR named when this process started.
const sandbox = new Sandbox(tmpdir());
const watch = watchProcess({
  directory: sandbox.root,
  program: { path: programPath('worker/main'), instead: workerProgram() },
});

const { inputSeed, Random } = await import('./random.ts');
const { faultOf } = await import('./oracle.ts');
const { outputFault } = await import('./outputs.ts');
const { mutant } = await import('./mutate.ts');
const { wordsOf } = await import('./words.ts');
const { command } = await import('../command-line/command.ts');
const { turns } = await import('./surface.ts');

const MAX_COMMAND_MS = 60_000;

const send = (message: Message): void => void process.send!(message);

const work = JSON.parse(process.argv[2]!) as Work;
const { SURFACES } = (await import(work.module ?? './surfaces.ts')) as { SURFACES: readonly Surface[] };
const surfaces = SURFACES.filter(({ name }) => work.surfaces?.includes(name) ?? true);
const turn = turns(surfaces);
const env = sandbox.env;
for (const name of Object.keys(process.env)) delete process.env[name];
Object.assign(process.env, env);
process.chdir(sandbox.cwd);
try {
  const makers = new Map<Surface, (random: Rng) => Buffer>();
  for (const surface of surfaces) makers.set(surface, await makerOf(surface));
  const prototype = fingerprint();
  for (let index = work.from; index < work.to; index++) {
    const surface = turn[index % turn.length]!;
    send({ type: 'reads', index, surface: surface.name });
    const random = new Random(inputSeed(work.seed, index));
    const input = makers.get(surface)!(random);
    let fault = await tryInput(surface, input, random.unit(), Math.floor(index / turn.length));
    if (fingerprint() !== prototype) fault ??= 'the prototype of all objects was changed';
    if (fault !== undefined)
      send({ type: 'defect', index, surface: surface.name, fault, input: input.toString('base64') });
  }
} finally {
  process.chdir('/');
  sandbox.remove();
}
send({ type: 'done' });
process.disconnect();

async function makerOf(surface: Surface): Promise<(random: Rng) => Buffer> {
  const { corpus, maker, schema, syntax } = surface;
  if (maker) return maker({ sandbox, plugin: work.plugin, command: (args) => command(args, sandbox.cwd, env) });
  const [valid, words] = [corpus!(), schema === undefined ? undefined : wordsOf(schema)];
  return (random) => mutant(random, valid, syntax, words);
}

/** @param round how often its kind of file has been read */
async function tryInput(surface: Surface, input: Buffer, special: number, round: number): Promise<string | undefined> {
  const inProcess = (): Promise<CommandOutput> =>
    surface.read?.(sandbox.cwd, env) ?? command(surface.args, sandbox.cwd, env);
  const fault = await judged(surface, input, special, async () => {
    const began = process.cpuUsage();
    const output = await inProcess();
    send({ type: 'answered', exitCode: output.exitCode, ms: millisecondsSince(began), words: wordsIn(output) });
    return output;
  });
  if (fault !== undefined || !work.sample || round % work.sample !== 0) return fault;
  const ofBuilt = await judged(surface, input, special, async () => builtCommand(surface));
  return ofBuilt && `of the built command: ${ofBuilt}`;
}

/** Writes the input, has it read, and checks the answer and side effects. */
async function judged(
  surface: Surface,
  input: Buffer,
  special: number,
  read: () => Promise<CommandOutput>,
): Promise<string | undefined> {
  const path = join(sandbox.input, surface.file);
  rmSync(sandbox.input, { recursive: true, force: true });
  mkdirSync(dirname(path), { recursive: true });
  for (const [name, bytes] of Object.entries(surface.beside?.() ?? {})) writeFileSync(join(sandbox.input, name), bytes);
  if (special < 0.002) mkdirSync(path);
  else if (special < 0.004) symlinkSync(basename(surface.file), path);
  else if (special < 0.006) symlinkSync('/dev/zero', path);
  else if (special > 0.008) writeFileSync(path, input);
  const isFile = special > 0.008;
  sandbox.begin();
  watch.take();
  let fault: string | undefined;
  try {
    const output = await read();
    fault = faultOf(output, surface.file) ?? outputFault(sandbox.output);
    if (isFile) fault ??= surface.after?.(input, readFileSync(path), output);
  } catch (error) {
    fault = `an exception: ${(error as Error).stack ?? String(error)}`;
  }
  process.chdir(sandbox.cwd);
  const places = (isFile && surface.places?.(input, sandbox.cwd)) || [];
  const isPlace = (file: string | undefined): boolean => places.some((place) => file?.startsWith(place));
  const done = watch.take().filter(({ file }) => !isPlace(file));
  if (done.length > 0) fault = done.map(({ what }) => what).join('\n');
  const changes = sandbox.changes(places);
  if (changes !== undefined) fault ??= `files outside the output directory:\n${changes}`;
  return fault;
}

/** The answer of the built command. The sandbox records programs that it starts by name. */
function builtCommand({ args }: Surface): CommandOutput {
  const main = packagePath('dist', 'cli', 'main.js');
  const { status, signal, stdout, stderr } = watch.spawnSync(process.execPath, [main, ...args], {
    cwd: sandbox.cwd,
    env,
    encoding: 'utf8',
    timeout: MAX_COMMAND_MS,
    killSignal: 'SIGKILL',
    maxBuffer: 1 << 26,
  });
  if (status === null) throw new Error(`it ended with ${signal}`);
  return { exitCode: status, stdout, stderr };
}

function millisecondsSince(began: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}

function wordsIn({ stderr, exitCode }: CommandOutput): string {
  const [first = ''] = stderr.split('\n', 1);
  const words = first.replace(/"[^"]*"|'[^']*'/g, '…').replace(/\d+/g, 'N');
  return `${exitCode} ${words.slice(0, 120)}`;
}

function fingerprint(): string {
  const own = [Object.prototype, Array.prototype, String.prototype, Function.prototype];
  return own.map((of) => Object.getOwnPropertyNames(of).join()).join(';');
}
