import childProcess from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import type { Random as Rng } from './random.ts';
import type { Surface } from './surfaces.ts';

/**
 * Reads inputs, one after the other, as the command would; its parent looks at the clock. Started with the numbers of the
 * inputs; sends what it is about to read, and what it found.
 */

export interface Work {
  seed: number;
  from: number;
  to: number;
  surfaces?: string[];
  /** Every so many inputs one is also given to the built command, in a process of its own. */
  sample?: number;
}

export type Message =
  | { type: 'reads'; index: number; surface: string }
  | { type: 'defect'; index: number; surface: string; fault: string; input: string }
  | { type: 'done'; refused: number; accepted: number };

const { spawnSync } = childProcess;
const spawned: string[] = [];
for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const) {
  // Whoever imports these from now on gets what only writes down that it was called.
  (childProcess as unknown as Record<string, unknown>)[name] = (...args: unknown[]) => {
    spawned.push(`${name} ${JSON.stringify(args.slice(0, 2))}`);
    throw new Error(`nothing may be started: ${name}`);
  };
}
syncBuiltinESMExports();

const { inputSeed, Random } = await import('./random.ts');
const { mutant } = await import('./mutate.ts');
const { faultOf } = await import('./oracle.ts');
const { Sandbox } = await import('./sandbox.ts');
const { SURFACES } = await import('./surfaces.ts');
const { command } = await import('./command.ts');
const { packagePath } = await import('../../harness/paths.ts');

const MAX_COMMAND_MS = 60_000;

const send = (message: Message): void => void process.send!(message);

const work = JSON.parse(process.argv[2]!) as Work;
const surfaces = SURFACES.filter(({ name }) => work.surfaces?.includes(name) ?? true);
const makers = new Map(
  surfaces.map((surface) => {
    const corpus = surface.corpus();
    return [surface, surface.maker?.() ?? ((random: Rng) => mutant(random, corpus, surface.syntax))];
  }),
);
const sandbox = new Sandbox();
const env = sandbox.env;
for (const name of Object.keys(process.env)) delete process.env[name];
Object.assign(process.env, env);
process.chdir(sandbox.cwd);
const prototype = fingerprint();
let refused = 0;
let accepted = 0;
try {
  for (let index = work.from; index < work.to; index++) {
    const surface = surfaces[index % surfaces.length]!;
    send({ type: 'reads', index, surface: surface.name });
    const fault = await tryInput(surface, index);
    if (fault === undefined) continue;
    send({ type: 'defect', index, surface: surface.name, ...fault });
  }
} finally {
  process.chdir('/');
  sandbox.remove();
}
send({ type: 'done', refused, accepted });
process.disconnect();

async function tryInput(surface: Surface, index: number): Promise<{ fault: string; input: string } | undefined> {
  const random = new Random(inputSeed(work.seed, index));
  const path = join(sandbox.input, surface.file);
  rmSync(sandbox.input, { recursive: true, force: true });
  mkdirSync(sandbox.input);
  for (const [name, bytes] of Object.entries(surface.beside?.() ?? {})) writeFileSync(join(sandbox.input, name), bytes);
  const input = makers.get(surface)!(random);
  const special = random.unit();
  if (special < 0.002) mkdirSync(path);
  else if (special < 0.004) symlinkSync(surface.file, path);
  else if (special < 0.006) symlinkSync('/dev/zero', path);
  else if (special > 0.001) writeFileSync(path, input);
  sandbox.begin();
  let fault: string | undefined;
  try {
    const told = await (surface.read?.(sandbox.cwd, env) ?? command(surface.args, sandbox.cwd, env));
    if (told.exitCode === 2) refused++;
    else accepted++;
    fault = faultOf(told, surface.file);
  } catch (error) {
    fault = `an exception: ${(error as Error).stack ?? String(error)}`;
  }
  // Surfaces take turns, so that multiples of the sample must not fall on one of them.
  if (work.sample && Math.floor(index / surfaces.length) % work.sample === 0) fault ??= realFault(surface);
  const changes = sandbox.changes();
  if (changes !== undefined) fault ??= `files outside the output folder:\n${changes}`;
  if (spawned.length > 0) fault ??= `a process would have been started: ${spawned.splice(0).join('; ')}`;
  if (fingerprint() !== prototype) fault ??= 'the prototype of all objects was changed';
  return fault === undefined ? undefined : { fault, input: input.toString('base64') };
}

/** What is wrong with the answer of the built command. What it starts by name, the sandbox writes down. */
function realFault(surface: Surface): string | undefined {
  const main = packagePath('dist', 'cli', 'main.js');
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [main, ...surface.args], {
    cwd: sandbox.cwd,
    env,
    encoding: 'utf8',
    timeout: MAX_COMMAND_MS,
    killSignal: 'SIGKILL',
    maxBuffer: 1 << 26,
  });
  if (status === null) return `the command ended with ${signal}`;
  const fault = faultOf({ exitCode: status, stdout, stderr }, surface.file);
  return fault && `of the command itself: ${fault}`;
}

function fingerprint(): string {
  const own = [Object.prototype, Array.prototype, String.prototype, Function.prototype];
  return own.map((of) => Object.getOwnPropertyNames(of).join()).join(';');
}
