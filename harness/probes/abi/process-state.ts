import { mappingAt, readMappings } from '../../ffi/mappings.ts';
import { type ProcessState, readProcessState } from '../../ffi/process-state.ts';
import { Client } from '../../pjrt/client.ts';
import { AbsentError, PjrtError } from '../../pjrt/errors.ts';
import type { CaseContext } from '../../steps/context.ts';
import { NotSupported } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { runSoundCall } from './run-sound-call.ts';
import { SOUND_CALLS } from './sound-calls.ts';

/** What belongs to the process is as it was before the plugin was loaded. Only a process of its own can show it. */
export const stateAfterInitialize: Probe = (context) => compareWithStart(context, () => {});

/** It is so, too, after a client was made, every function tried on it, and destroyed. */
export const stateAfterWork: Probe = (context) => compareWithStart(context, (journal) => work(context, journal));

function compareWithStart(context: CaseContext, act: (journal: Journal) => void): void {
  const before = context.instrument.processAtStart;
  if (!before) throw new NotSupported('this system does not show the state of a process');
  const journal = new Journal(before);
  journal.look('PJRT_Plugin_Initialize');
  act(journal);
  for (const change of journal.changes()) {
    context.report({ type: 'pjrt.ProcessChanged', level: 'should', ...change });
  }
}

/** Creates a client, calls everything that can be called with valid arguments, and destroys it. */
function work(context: CaseContext, journal: Journal): void {
  const seat = context.seats[0]!;
  const client = Client.create(context.api, context.arena, seat.setup.options);
  journal.look('PJRT_Client_Create');
  // Valid calls use the shared client; in this process there is none, so the case's own replaces it.
  seat.client = client;
  try {
    for (const name of Object.keys(SOUND_CALLS)) {
      if (name.startsWith('PJRT_Client_Create') || !context.api.has(name)) continue;
      attempt(context, name);
      journal.look(name);
    }
    context.scope.dispose(() => {});
  } finally {
    seat.client = undefined;
    client.destroy();
  }
  journal.look('PJRT_Client_Destroy');
}

/** Work that the plugin does not offer, or that fails, leaves no traces either; whether it should fail does not matter here. */
function attempt(context: CaseContext, name: string): void {
  try {
    runSoundCall(context, name);
  } catch (error) {
    if (![NotSupported, AbsentError, PjrtError].some((kind) => error instanceof kind)) throw error;
  }
}

interface Change {
  message: string;
  requirements: [string];
  detail?: string;
  call?: string;
}

/** Looks at the process again and again, and remembers after which call something was first not as before. */
class Journal {
  readonly #then: ProcessState;
  readonly #first = new Map<string, string>();
  #last: Change[] = [];

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

  /** What is different at the last look. */
  changes(): Change[] {
    return this.#last.map((change) => {
      const call = this.#first.get(change.requirements[0])!;
      return { ...change, message: `since ${call} ${change.message}`, call };
    });
  }
}

function changesBetween(then: ProcessState, now: ProcessState): Change[] {
  const changes: Change[] = [];
  const add = (requirement: string, message: string, detail = ''): void => {
    changes.push({ message, requirements: [requirement], ...(detail ? { detail } : {}) });
  };
  const signals = [...now.signalHandlers].filter(([name, handler]) => handler !== then.signalHandlers.get(name));
  if (signals.length > 0) {
    add(
      'HYG-SIG-001',
      `the handlers of ${signals.map(([name]) => name).join(', ')} are not the ones that the process had`,
      signals
        .map(([name, handler]) => `${name}: ${whose(then.signalHandlers.get(name)!)} → ${whose(handler)}`)
        .join('\n'),
    );
  }
  if (now.roundingMode !== then.roundingMode) {
    add('HYG-FP-001', `the rounding mode is ${now.roundingMode}, it was ${then.roundingMode}`);
  } else if (now.floatControl !== then.floatControl) {
    add('HYG-FP-001', `the floating-point unit is set to ${now.floatControl}, it was ${then.floatControl}`);
  }
  if (now.locale !== then.locale) add('HYG-LOC-001', `the locale is ${now.locale}, it was ${then.locale}`);
  if (now.workingDirectory !== then.workingDirectory) add('HYG-CWD-001', 'the working directory has changed');
  const variables = differing(then.environment, now.environment);
  if (variables.length > 0) add('HYG-ENV-001', `environment variables have changed: ${variables.join(', ')}`);
  const limits = [...(now.umask === then.umask ? [] : ['umask']), ...differing(then.limits, now.limits)];
  if (limits.length > 0) add('HYG-LIM-001', `limits of the process have changed: ${limits.join(', ')}`);
  const lost = [...then.descriptors].filter(([fd, target]) => isLasting(target) && now.descriptors.get(fd) !== target);
  if (lost.length > 0) {
    add('HYG-FD-001', `descriptors of the process are closed or replaced: ${lost.map(([fd]) => fd).join(', ')}`);
  }
  const born = now.children.filter((pid) => !then.children.includes(pid));
  if (born.length > 0) add('HYG-CHD-001', `${born.length} child processes have been started and still run`);
  return changes;
}

/** Node opens and closes sockets and files as it goes; standard streams and pipes to the parent stay. */
const isLasting = (target: string): boolean => /^(?:pipe:|\/dev\/|anon_inode:)/.test(target);

const differing = (then: Record<string, string>, now: Record<string, string>): string[] =>
  [...new Set([...Object.keys(then), ...Object.keys(now)])].filter((key) => then[key] !== now[key]).sort();

/** Whose code a signal handler is. */
function whose(handler: bigint): string {
  if (handler === 0n) return 'default';
  if (handler === 1n) return 'ignored';
  const file = mappingAt(readMappings() ?? [], handler)?.file ?? '';
  return `a function of ${file.slice(file.lastIndexOf('/') + 1) || 'unknown memory'}`;
}
