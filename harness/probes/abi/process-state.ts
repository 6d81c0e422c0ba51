import { mappingAt, readMappings } from '../../ffi/mappings.ts';
import { canReadProcessState, type ProcessState, readProcessState } from '../../ffi/process-state.ts';
import { Client } from '../../pjrt/client.ts';
import type { CaseContext } from '../../steps/context.ts';
import { NotSupported } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { wordOption } from './probe-options.ts';
import { runSoundCall } from './run-sound-call.ts';

/**
 * As this process was when the worker began: modules are evaluated before any plugin is mapped. Only cases with a
 * process of their own may look at it.
 */
const before: ProcessState | undefined = canReadProcessState ? readProcessState() : undefined;

/**
 * What belongs to the process is as it was before the plugin was loaded: after PJRT_Plugin_Initialize (`initialize`), or
 * after a client was made, used and destroyed as well (`work`).
 */
export const processState: Probe = (context, options) => {
  if (!before) throw new NotSupported('this system does not show the state of a process');
  const after = wordOption(options, 'after', ['initialize', 'work']);
  if (after === 'work') work(context);
  compare(context, before, readProcessState(), after === 'work' ? 'after a client worked' : 'after initialization');
};

/** Makes a client, lets it transfer, compile and run something, and destroys it. */
function work(context: CaseContext): void {
  const seat = context.seats[0]!;
  const client = Client.create(context.api, context.arena, seat.setup.options);
  // Sound calls use the shared client; in this process there is none, so the case's own takes its place.
  seat.client = client;
  try {
    for (const name of ['PJRT_Buffer_ToHostBuffer', 'PJRT_LoadedExecutable_Execute']) attempt(context, name);
    context.scope.dispose(() => {});
  } finally {
    seat.client = undefined;
    client.destroy();
  }
}

/** Work that the plugin does not offer leaves no traces either. */
function attempt(context: CaseContext, name: string): void {
  try {
    runSoundCall(context, name);
  } catch (error) {
    if (!(error instanceof NotSupported)) throw error;
  }
}

function compare(context: CaseContext, then: ProcessState, now: ProcessState, when: string): void {
  const report = (requirement: string, message: string, detail = ''): void =>
    context.report({
      type: 'pjrt.ProcessChanged',
      level: 'should',
      message: `${when} ${message}`,
      requirements: [requirement],
      ...(detail ? { detail } : {}),
    });

  const signals = [...now.signalHandlers].filter(([name, handler]) => handler !== then.signalHandlers.get(name));
  if (signals.length > 0) {
    report(
      'HYG-SIG-001',
      `the handlers of ${signals.map(([name]) => name).join(', ')} are not the ones that the process had`,
      signals
        .map(([name, handler]) => `${name}: ${whose(then.signalHandlers.get(name)!)} → ${whose(handler)}`)
        .join('\n'),
    );
  }
  if (now.roundingMode !== then.roundingMode) {
    report('HYG-FP-001', `the rounding mode is ${now.roundingMode}, it was ${then.roundingMode}`);
  }
  if (now.floatControl !== then.floatControl) {
    report('HYG-FP-001', `the floating-point unit is set to ${now.floatControl}, it was ${then.floatControl}`);
  }
  if (now.locale !== then.locale) report('HYG-LOC-001', `the locale is ${now.locale}, it was ${then.locale}`);
  if (now.workingDirectory !== then.workingDirectory) report('HYG-CWD-001', 'the working directory is another one');
  const variables = differing(then.environment, now.environment);
  if (variables.length > 0) report('HYG-ENV-001', `environment variables have changed: ${variables.join(', ')}`);
  if (now.umask !== then.umask) {
    report('HYG-LIM-001', `the umask is ${now.umask.toString(8)}, it was ${then.umask.toString(8)}`);
  }
  const limits = differing(then.limits, now.limits);
  if (limits.length > 0) report('HYG-LIM-001', `resource limits have changed: ${limits.join(', ')}`);
  const lost = [...then.descriptors].filter(([fd, target]) => isLasting(target) && now.descriptors.get(fd) !== target);
  if (lost.length > 0) {
    report('HYG-FD-001', `descriptors of the process are closed or replaced: ${lost.map(([fd]) => fd).join(', ')}`);
  }
  const born = now.children.filter((pid) => !then.children.includes(pid));
  if (born.length > 0) report('HYG-CHD-001', `${born.length} child processes have been started and still run`);
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
