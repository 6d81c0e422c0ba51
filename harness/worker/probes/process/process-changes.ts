import { mappingAt, readMappings } from '../../ffi/mappings.ts';
import { type ProcessState, signalName } from '../../ffi/process-state.ts';

/** A difference between two looks at the process, with the requirement that a plugin violates if it made it. */
export interface Change {
  message: string;
  requirements: [string];
  detail?: string;
  call?: string;
}

/** What is different. */
export function changesBetween(then: ProcessState, now: ProcessState): Change[] {
  const changes: Change[] = [];
  const add = (requirement: string, message: string, detail = ''): void => {
    changes.push({ message, requirements: [requirement], ...(detail ? { detail } : {}) });
  };
  const signals = [...now.signalHandlers].filter(([name, handler]) => {
    const before = then.signalHandlers.get(name)!;
    return handler !== before && !(isNodes(before) && isNodes(handler));
  });
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
    add('HYG-FP-001', `floating-point numbers are rounded ${now.roundingMode}, before ${then.roundingMode}`);
  } else if (now.floatControl !== then.floatControl) {
    add('HYG-FP-001', `the floating-point unit is set to ${now.floatControl}, it was ${then.floatControl}`);
  }
  if (now.locale !== then.locale) add('HYG-LOC-001', `the locale is ${now.locale}, it was ${then.locale}`);
  if (now.workingDirectory !== then.workingDirectory)
    add('HYG-CWD-001', 'the working directory is another one', `${then.workingDirectory} → ${now.workingDirectory}`);
  const variables = differing(then.environment, now.environment);
  if (variables.names.length > 0)
    add('HYG-ENV-001', `environment variables have changed: ${variables.names.join(', ')}`, variables.lines.join('\n'));
  const limits = differing({ umask: octal(then.umask), ...then.limits }, { umask: octal(now.umask), ...now.limits });
  if (limits.names.length > 0) add('HYG-LIM-001', `limits of the process have changed: ${limits.lines.join('; ')}`);
  const lost = [...then.descriptors].filter(([fd, target]) => isLasting(target) && now.descriptors.get(fd) !== target);
  if (lost.length > 0) {
    add(
      'HYG-FD-001',
      `descriptors of the process are closed or replaced: ${lost.map(([fd]) => fd).join(', ')}`,
      lost.map(([fd, target]) => `${fd}: ${target} → ${now.descriptors.get(fd) ?? 'closed'}`).join('\n'),
    );
  }
  addThreads(then, now, add);
  if (now.priority !== then.priority)
    add('HYG-SCH-001', `the calling thread has the priority ${now.priority}, it had ${then.priority}`);
  const armed = now.timers.filter((timer) => !then.timers.includes(timer));
  if (armed.length > 0) add('HYG-TMR-001', `a timer of the process is set: ${armed.join(', ')}`);
  const born = now.children.filter((pid) => !then.children.includes(pid));
  if (born.length > 0) add('HYG-CHD-001', `${born.length} child processes have been started and still run`);
  return changes;
}

/**
 * Threads that were there before the plugin, and still are. Nobody can block signals for another thread, which blocks them for a moment
 * itself when it starts one, or when an emulator handles a fault of it; and processors that the parent has lost too were taken from outside.
 */
function addThreads(
  then: ProcessState,
  now: ProcessState,
  add: (requirement: string, message: string, detail?: string) => void,
): void {
  for (const [property, requirement, what, show] of [
    ['blockedSignals', 'HYG-SIG-002', 'other signals are blocked', signalsIn],
    ['processors', 'HYG-SCH-001', 'other processors are allowed', String],
    ['name', 'HYG-THR-002', 'there are other names', String],
  ] as const) {
    if (property === 'processors' && now.parentProcessors !== then.parentProcessors) continue;
    const changed = [...then.threadStates].flatMap(([id, before]) => {
      const after = property === 'blockedSignals' && id !== process.pid ? undefined : now.threadStates.get(id);
      return after && after[property] !== before[property]
        ? [`${show(before[property])} → ${show(after[property])}`]
        : [];
    });
    if (changed.length > 0)
      add(
        requirement,
        `${what} for ${changed.length} of the threads that the process had before`,
        [...new Set(changed)].join('\n'),
      );
  }
}

/** Node opens and closes sockets and files as it goes; standard streams and pipes to the parent stay. */
const isLasting = (target: string): boolean => /^(?:pipe:|\/dev\/|anon_inode:)/.test(target);

/** What differs by name, and a line for each with the values before and after. */
function differing(then: Record<string, string>, now: Record<string, string>): { names: string[]; lines: string[] } {
  const names = [...new Set([...Object.keys(then), ...Object.keys(now)])]
    .filter((key) => then[key] !== now[key])
    .sort();
  const value = (of: string | undefined): string => (of === undefined ? 'not set' : of.replace(/ {2,}/g, ' '));
  return { names, lines: names.map((name) => `${name}: ${value(then[name])} → ${value(now[name])}`) };
}

const octal = (mask: number): string => `0${mask.toString(8).padStart(3, '0')}`;

/** A mask of signals as the system writes it, by the names of the signals. */
function signalsIn(mask: string): string {
  const bits = BigInt(`0x${mask || '0'}`);
  const names = Array.from({ length: 64 }, (_, i) => i + 1).filter((signal) => (bits >> BigInt(signal - 1)) & 1n);
  return names.length === 0 ? 'none' : names.map(signalName).join(', ');
}

const fileOf = (handler: bigint): string => mappingAt(readMappings() ?? [], handler)?.file ?? '';

/** ThreadSanitizer stands in front of every handler. */
const IN_FRONT = /\/lib(?:tsan\.so|clang_rt\.tsan)/;

/** Node handles SIGCHLD while it has children; else it is the default. */
function isNodes(handler: bigint): boolean {
  if (handler === 0n) return true;
  const file = fileOf(handler);
  return file === process.execPath || IN_FRONT.test(file);
}

/** Whose code a signal handler is. */
export function whose(handler: bigint): string {
  if (handler === 0n) return 'default';
  if (handler === 1n) return 'ignored';
  const file = fileOf(handler);
  return `a function of ${file.slice(file.lastIndexOf('/') + 1) || 'unknown memory'}`;
}
