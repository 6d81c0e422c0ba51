import { loadProgram } from '../../../knowledge/programs/programs.ts';
import { floatControlsOfOtherThreads, type ProcessState, readProcessState } from '../../ffi/process-state.ts';
import type { Buffer } from '../../pjrt/buffer.ts';
import { Client } from '../../pjrt/client.ts';
import { AbsentError, PjrtError } from '../../pjrt/errors.ts';
import type { LoadedExecutable } from '../../pjrt/executable.ts';
import type { CaseContext } from '../../steps/context.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { runValidCall } from '../../steps/run-valid-call.ts';
import { VALID_CALLS } from '../../steps/valid-calls.ts';
import { number, optional, probe, program } from '../probe.ts';
import { hashed } from '../support/checks.ts';
import { compileFor, upload } from '../support/client-work.ts';
import { type Change, changesBetween } from './process-changes.ts';

/** What belongs to the process is as it was before the plugin was loaded. Only a process of its own can show it. */
export const stateAfterInitialize = probe('state-after-initialize', {}, (context) =>
  compareWithStart(context, async () => {}),
);

/**
 * It is so, too, after a client was made, every function tried on it, programs run several times, also on other threads,
 * and the client destroyed.
 */
export const stateAfterWork = probe('state-after-work', { rounds: optional(number, 1) }, (context, { rounds }) =>
  compareWithStart(context, (journal) =>
    withClient(context, journal, async (client) => {
      await validCalls(context, journal);
      await attempt(() => runs(context, client, PROGRAM, rounds, journal));
      await attempt(() => runs(context, client, PROGRAM_OF_DOUBLES, 1, journal));
    }),
  ),
);

/** The same of one program only, for plugins with slow compilers. */
export const stateAfterProgram = probe(
  'state-after-program',
  { program, rounds: optional(number, 1) },
  (context, { program, rounds }) =>
    compareWithStart(context, (journal) =>
      withClient(context, journal, (client) => attempt(() => runs(context, client, program, rounds, journal))),
    ),
);

async function compareWithStart(context: CaseContext, act: (journal: Journal) => Promise<void>): Promise<void> {
  const before = context.instrument.processAtStart;
  if (!before) throw new NotSupported('this system does not show the state of a process');
  const journal = new Journal(before);
  journal.look('PJRT_Plugin_Initialize');
  await act(journal);
  for (const change of journal.changes()) {
    context.report({ type: 'pjrt.ProcessChanged', level: 'should', ...change });
  }
}

/** Creates a client, does something with it, and destroys it. */
async function withClient(
  context: CaseContext,
  journal: Journal,
  act: (client: Client) => Promise<void>,
): Promise<void> {
  const subject = context.subjects[0]!;
  const client = Client.create(context.api, context.arena, subject.setup.options);
  journal.look('PJRT_Client_Create');
  // Valid calls use the shared client; in this process there is none, so the case's own replaces it.
  subject.client = client;
  try {
    await act(client);
    context.scope.dispose(() => {});
  } finally {
    subject.client = undefined;
    client.destroy();
  }
  journal.look('PJRT_Client_Destroy');
}

/** Calls everything that can be called with valid arguments. */
async function validCalls(context: CaseContext, journal: Journal): Promise<void> {
  for (const name of Object.keys(VALID_CALLS)) {
    if (name.startsWith('PJRT_Client_Create') || !context.api.has(name)) continue;
    await attempt(() => void runValidCall(context, name));
    journal.look(name);
  }
}

const PROGRAM = 'misc/add_one';
const PROGRAM_OF_DOUBLES = 'binary/add_f64';
const LANES = 8;

/**
 * Compiles a program, sends its inputs and runs it several times, in the end on other threads, and looks at the process after
 * each call.
 */
async function runs(
  context: CaseContext,
  client: Client,
  program: string,
  rounds: number,
  journal: Journal,
): Promise<void> {
  const { arena, scope } = context;
  const executable = scope.own(compileFor(context, client, program));
  journal.look('PJRT_Client_Compile');
  const send = () =>
    loadProgram(program).inputs.map(({ dtype, shape }) => scope.own(upload(arena, client, hashed(dtype, shape))));
  for (let round = 0; round < rounds; round++) {
    const inputs = send();
    journal.look('PJRT_Client_BufferFromHostBuffer');
    const { outputs } = executable.execute(arena, [inputs]);
    journal.look('PJRT_LoadedExecutable_Execute');
    for (const output of outputs.flat()) scope.own(output).awaitReady();
  }
  await runOnOtherThreads(context, executable, send(), journal);
}

/** Runs a program on other threads, whose floating-point units are to stay as this thread had its own. */
async function runOnOtherThreads(
  context: CaseContext,
  executable: LoadedExecutable,
  inputs: Buffer[],
  journal: Journal,
): Promise<void> {
  const { arena, scope } = context;
  const ends = await Promise.allSettled(
    Array.from({ length: LANES }, async () => {
      const run = await executable.executeAsync(arena, [inputs], { events: true });
      for (const event of run.events) await scope.own(event).awaitAsync();
      for (const output of run.outputs.flat()) output.destroy();
    }),
  );
  if (await journal.lookAtOtherThreads('PJRT_LoadedExecutable_Execute'))
    context.instrument.recording?.beyond('the floating-point units of other threads');
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
}

/** Work that the plugin does not offer, or that fails, leaves no traces either; whether it should fail does not matter here. */
async function attempt(run: () => void | Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (![NotSupported, AbsentError, PjrtError].some((kind) => error instanceof kind)) throw error;
  }
}

/** Looks at the process again and again, and remembers after which call something was first not as before. */
class Journal {
  readonly #then: ProcessState;
  readonly #first = new Map<string, string>();
  #last: Change[] = [];
  #elsewhere: Change[] = [];

  constructor(then: ProcessState) {
    this.#then = then;
  }

  look(call: string): void {
    this.#last = changesBetween(this.#then, readProcessState());
    const open = new Set(this.#last.map((c) => c.requirements[0]));
    for (const requirement of open) if (!this.#first.has(requirement)) this.#first.set(requirement, call);
    // What was put back was nobody's harm.
    for (const requirement of this.#first.keys()) if (!open.has(requirement)) this.#first.delete(requirement);
  }

  /** The threads on which calls were made other than this one. @returns whether something is different there */
  async lookAtOtherThreads(call: string): Promise<boolean> {
    const others = [...(await floatControlsOfOtherThreads())].filter((control) => control !== this.#then.floatControl);
    if (others.length === 0) return false;
    const message = `after ${call} on another thread its floating-point unit is set to ${others[0]}, not to ${this.#then.floatControl}`;
    this.#elsewhere = [{ message, requirements: ['HYG-FP-001'], call }];
    return true;
  }

  /** What is different at the last look. */
  changes(): Change[] {
    const here = this.#last.map((change) => {
      const call = this.#first.get(change.requirements[0])!;
      return { ...change, message: `since ${call} ${change.message}`, call };
    });
    return [...here, ...this.#elsewhere];
  }
}
