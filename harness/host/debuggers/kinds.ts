import type { StopAt } from '../wire/stop-at.ts';

/** A debugger in which a case can run. */
export type DebuggerName = 'gdb' | 'lldb' | 'rr';

/** A debugger that attaches to a worker, in the terminal of the user. */
interface Attaching {
  /** @param script path of its commands */
  args(pid: number, script: string): string[];
  /** Its commands once it has attached, one a line. */
  commands(stop: StopAt): string[];
}

/** A program in which workers are started, and which records what they do. */
export interface Recording {
  /** The words before the command that starts a worker. */
  prefix: readonly string[];
  /** The variable that says in which directory recordings are made. */
  directory: string;
  /** The command that plays the last one. */
  replay(directory: string): string;
  /** What it makes in the directory when it begins. */
  made: string;
}

/** How debuggers differ. */
interface DebuggerKind {
  attaching?: Attaching;
  recording?: Recording;
  /** How to get it. */
  install: string;
}

/** Signals of Node.js and of the C library, which are part of its work. */
const OF_NODE = ['SIGUSR1', 'SIGUSR2', 'SIGPIPE', 'SIGCHLD', 'SIGPROF', 'SIGWINCH'];
/** What worker/ffi/debugger-stop.ts calls, and where it has left the address of the function that is to be called. */
const STOP = 'pjrt_debugger_stop';
const FUNCTION = '*(void**)&pjrt_debugger_function';

const introduction = ({ call }: StopAt): string =>
  `No deadline passes while the debugger is here. The process goes on until ${call ?? 'the first call of the case'}.`;

export const DEBUGGERS: Readonly<Record<DebuggerName, DebuggerKind>> = {
  gdb: {
    install: 'apt install gdb, dnf install gdb',
    attaching: {
      args: (pid, script) => ['-q', '-p', String(pid), '-x', script],
      commands: (stop) => [
        // It has not attached, and says why: nobody needs it then.
        'if $_thread == 0',
        'quit 1',
        'end',
        'set breakpoint pending on',
        'set print thread-events off',
        ...[...OF_NODE, 'SIG32', 'SIG33', 'SIG34'].map((signal) => `handle ${signal} nostop noprint pass`),
        `break ${STOP}`,
        'commands',
        'silent',
        `${stop.call === undefined ? 'tbreak' : 'break'} *${FUNCTION}`,
        'continue',
        'end',
        `echo \\n${introduction(stop)}\\n`,
        'continue',
        // A process that has ended without a stop needs nobody.
        'if $_isvoid($_exitcode) == 0 || $_isvoid($_exitsignal) == 0',
        'quit',
        'end',
      ],
    },
  },
  lldb: {
    install: 'apt install lldb, dnf install lldb, xcode-select --install',
    attaching: {
      args: (pid, script) => ['-p', String(pid), '-s', script],
      commands: (stop) => [
        `process handle -p true -s false -n false ${OF_NODE.join(' ')}`,
        `breakpoint set -n ${STOP} -G true`,
        'breakpoint command add 1',
        `breakpoint set ${stop.call === undefined ? '-o true ' : ''}-a \`$arg1\``,
        'DONE',
        // It shows comments, and `script print` would need a Python.
        `# ${introduction(stop)}`,
        'continue',
      ],
    },
  },
  rr: {
    install: 'apt install rr, dnf install rr',
    recording: {
      prefix: ['record', '--'],
      directory: '_RR_TRACE_DIR',
      replay: (directory) => `rr replay ${directory}/latest-trace`,
      made: 'latest-trace',
    },
  },
};
