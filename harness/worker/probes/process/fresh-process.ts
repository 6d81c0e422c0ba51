import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { programPath } from '../../../base/paths.ts';
import { filesIn, scratchDirectory, scratchFile } from '../../../base/scratch.ts';
import { BREADCRUMB } from '../../../host/wire/breadcrumb-layout.ts';
import { Channel, WORKER_STDIO } from '../../../host/wire/channel.ts';
import type { WorkerSetup } from '../../../host/wire/protocol.ts';
import type { PluginFacts } from '../../../model/plugin-facts.ts';
import type { CaseContext } from '../../steps/context.ts';
import { CheckFailure, NotSupported } from '../../steps/outcome.ts';
import { oneOf, probe } from '../probe.ts';
import { killedOutside } from '../support/killed-outside.ts';
import { startNeighbour } from './neighbour-process.ts';

/** Nothing but static destructors runs between the farewell and the end of the process. */
const EXIT_GRACE_MS = 15_000;
/** Its output may be held open by processes that the plugin has left behind. */
const PIPE_GRACE_MS = 500;
/** How long, and how often, it is looked for processes that it has left behind. */
const SURVIVOR_GRACE_MS = 2000;
const SURVIVOR_LOOK_MS = 50;
const STDERR_LINES = 20;
const STDOUT_LIMIT = 16384;
const MARKER = 'fresh-process';

const entry = programPath('worker/main');

/** How a process of its own uses the plugin. */
interface Way {
  binding: 'now' | 'lazy';
  /** Whether it makes and destroys a client. */
  clients: boolean;
  /** Whether it asks the client for its platform. */
  asks: boolean;
  /** Whether it loads all plugins of this process instead of the first. */
  all?: true;
}

/**
 * A process of its own loads the plugin with a given binding, initializes it and exits. Whatever the run's own options
 * are, the other binding is tried as well.
 */
export const processWithoutClient = probe(
  'fresh-process-without-client',
  { binding: oneOf('now', 'lazy') },
  async (context, { binding }) => {
    const way: Way = { binding: binding, clients: false, asks: false };
    expectCleanLife(way, await live(context, way));
  },
);

/** A process of its own goes through the whole life of the plugin, and makes and destroys a client. */
export const processWithClient = probe('fresh-process-with-client', {}, async (context) => {
  const way: Way = { binding: 'now', clients: true, asks: false };
  const life = await live(context, way);
  expectCleanLife(way, life);
  if (life.stdout !== '')
    context.report({
      type: 'pjrt.ProcessChanged',
      message: 'a process that only made and destroyed a client has text in its standard output',
      detail: `text: ${life.stdout.slice(0, 200)}`,
      requirements: ['HYG-OUT-001'],
    });
  if (life.survivors > 0)
    context.report({
      type: 'pjrt.UncleanProcess',
      level: 'should',
      message: `a process that used the plugin has exited, but processes that it started still run (${life.survivors})`,
      requirements: ['HYG-CHD-001'],
    });
  if (life.files.length > 0)
    context.report({
      type: 'pjrt.ResourceLeak',
      level: 'should',
      message: `a process that used the plugin left ${life.files.length} files in the temporary directory`,
      detail: life.files.slice(0, 10).join('\n'),
      requirements: ['HYG-FIL-002'],
    });
});

/** A process of its own goes through the life of all plugins of this one, makes and destroys a client of each, and exits. */
export const processOfAll = probe('process-of-all', {}, async (context) => {
  const way: Way = { binding: 'now', clients: true, asks: false, all: true };
  const life = await live(context, way);
  // A plugin that creates no client in company does so in other cases too, and is judged there.
  if (life.failure?.stage === 'client') life.failure = undefined;
  expectCleanLife(way, life);
});

/** The same beside an idle process of the same program, which must still be there in the end. */
export const processBesideNeighbour = probe('fresh-process-beside-neighbour', {}, async (context) => {
  const way: Way = { binding: 'now', clients: true, asks: true };
  const neighbour = await startNeighbour();
  const life = await live(context, way);
  const killedBy = await neighbour.killedBy();
  neighbour.end();
  if (killedBy !== undefined) {
    throw new CheckFailure({
      type: 'pjrt.UncleanProcess',
      message: `a process that used the plugin ended another one, which it had not started, with ${killedBy}`,
      requirements: ['HYG-PRC-001'],
    });
  }
  expectCleanLife(way, life);
});

function expectCleanLife({ binding, clients }: Way, life: Life): void {
  const how = `a process that bound symbols ${binding === 'now' ? 'at once' : 'lazily'}`;
  const fail = (message: string): never => {
    throw new CheckFailure({ type: 'pjrt.UncleanProcess', message, ...(life.stderr ? { detail: life.stderr } : {}) });
  };
  const { failure } = life;
  if (failure?.stage === 'initialize') {
    // This process could initialize it; some devices belong to one process at a time.
    throw new NotSupported(`a second process beside this one cannot use the plugin: ${failure.message.split('\n')[0]}`);
  }
  if (failure?.stage === 'client') throw new NotSupported(`no client can be made: ${failure.message.split('\n')[0]}`);
  const outside = life.killed ? undefined : killedOutside({ signalCode: life.signal });
  if (outside !== undefined) throw new NotSupported(outside);
  if (failure) fail(`${how} failed to ${stageWord(failure.stage)}: ${failure.message.split('\n')[0]}`);
  if (!life.ready) fail(`${how} ${ending(life)} before the plugin was ready`);
  if (!life.stopped) fail(`${how} ${ending(life)} while it ${clients ? 'destroyed its client' : 'ended'}`);
  if (life.hung) fail(`${how} did not exit within ${EXIT_GRACE_MS / 1000} s after everything was done`);
  if (life.exitCode !== 0)
    fail(`${how} ${ending(life)} after everything was done: at exit, in a static destructor or a thread`);
}

interface Life {
  failure: PluginFacts['failure'];
  ready: boolean;
  stopped: boolean;
  hung: boolean;
  /** Whether it was ended from here. */
  killed: boolean;
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** How many processes it left behind. */
  survivors: number;
  /** What it left in the temporary directory. */
  files: string[];
}

const stageWord = (stage: NonNullable<PluginFacts['failure']>['stage']): string =>
  ({ load: 'load the library', version: 'use the version', initialize: 'initialize', client: 'make a client' })[stage];

const ending = (life: Life): string =>
  life.signal === null ? `exited with code ${life.exitCode}` : `died with ${life.signal}`;

async function live(context: CaseContext, { binding, clients, asks, all }: Way): Promise<Life> {
  context.instrument.recording?.beyond('the life of another process');
  const directory = scratchDirectory('conformance', { furnish: (made) => mkdirSync(join(made, 'temporary')) });
  const life: Life = {
    failure: undefined,
    ready: false,
    stopped: false,
    hung: false,
    killed: false,
    exitCode: null,
    signal: null,
    stdout: '',
    stderr: '',
    survivors: 0,
    files: [],
  };
  const temporary = join(directory, 'temporary');
  const before = groupOfThisProcess();
  const breadcrumb = scratchFile(BREADCRUMB.fileBytes);
  // In the process group of this worker, so that a missed deadline ends both.
  const child = spawn(process.execPath, [...process.execArgv, entry], {
    stdio: [...WORKER_STDIO, breadcrumb],
    env: { ...process.env, TMPDIR: temporary },
  });
  closeSync(breadcrumb);
  let grace: NodeJS.Timeout | undefined;
  const kill = (): void => {
    life.killed = true;
    child.kill('SIGKILL');
  };
  child.stdout!.on('data', (chunk: Buffer) => {
    if (life.stdout.length < STDOUT_LIMIT) life.stdout += chunk.toString('utf8');
  });
  child.stderr!.on('data', (chunk: Buffer) => {
    life.stderr = (life.stderr + chunk.toString('utf8')).slice(-16384);
  });
  const channel = new Channel(child, {
    message: (message) => {
      if (message.type === 'facts') life.failure = message.facts.failure ?? life.failure;
      else if (message.type === 'ready') life.ready = true;
      else if (message.type === 'stopped') {
        life.stopped = true;
        grace = setTimeout(() => {
          life.hung = true;
          kill();
        }, EXIT_GRACE_MS);
      }
    },
    // What it sends then is not heard: it never becomes ready.
    noise: kill,
    closed: () => {},
  });
  const setup: WorkerSetup = {
    plugins: all ? context.subjects.map((subject) => subject.setup) : [context.subjects[0]!.setup],
    binding,
    caller: {},
    clients,
    marker: MARKER,
  };
  channel.send({ type: 'setup', setup });
  channel.send({ type: 'prepare' });
  if (asks) channel.send({ type: 'inspect', part: 'platform' });
  channel.send({ type: 'stop' });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      life.exitCode = code;
      life.signal = signal;
      resolve();
    });
  });
  clearTimeout(grace);
  await Promise.race([closed, sleep(PIPE_GRACE_MS, undefined, { ref: false })]);
  child.stdout!.destroy();
  child.stderr!.destroy();
  channel.close();
  const survivors = (): number =>
    groupOfThisProcess().filter((pid) => !before.includes(pid) && pid !== child.pid).length;
  life.survivors = survivors();
  // A helper that sees the end of its parent needs a moment for its own.
  for (const end = performance.now() + SURVIVOR_GRACE_MS; life.survivors > 0 && performance.now() < end; ) {
    await sleep(SURVIVOR_LOOK_MS);
    life.survivors = survivors();
  }
  life.files = filesIn(temporary);
  rmSync(directory, { recursive: true, force: true });
  life.stdout = withoutMarkers(life.stdout).join('\n');
  life.stderr = withoutMarkers(life.stderr).slice(-STDERR_LINES).join('\n');
  return life;
}

/** The lines that the worker did not write itself to mark the boundaries of cases. */
const withoutMarkers = (text: string): string[] =>
  text.split('\n').filter((line) => line.trim() !== '' && !line.includes(MARKER));

/** The processes of the group of this one that have not ended; none where the system does not list them. */
function groupOfThisProcess(): number[] {
  if (process.platform !== 'linux') return [];
  const group = factsOf('self')?.group;
  return readdirSync('/proc').flatMap((name) => {
    const facts = /^\d+$/.test(name) ? factsOf(name) : undefined;
    return facts && facts.group === group && facts.state !== 'Z' && !isSymbolizer(name) ? [Number(name)] : [];
  });
}

/** What the runtimes of sanitizers start to find names for their reports, and leave to end by itself. */
function isSymbolizer(process: string): boolean {
  try {
    return /^(?:llvm-symbolizer|addr2line)/.test(readFileSync(`/proc/${process}/comm`, 'latin1'));
  } catch {
    return false;
  }
}

function factsOf(process: string): { state: string; group: number } | undefined {
  try {
    const text = readFileSync(`/proc/${process}/stat`, 'latin1');
    // The name in parentheses may hold anything.
    const [state, , group] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: state!, group: Number(group) };
  } catch {
    return undefined; // It has just ended.
  }
}
