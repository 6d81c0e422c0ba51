import { counted } from '../../base/counted.ts';
import type { PluginFacts, PluginFailure, StartProblem } from '../../model/plugin-facts.ts';
import { type Finding, finding } from './finding.ts';

/** Result of loading a plugin and creating a client in a worker. */
interface Attempt {
  facts: PluginFacts;
  /** Set when the process did not live through it. */
  death?: { signal?: string; exitCode?: number; killedFor?: string; call?: string };
  /** Last lines of what the plugin wrote to stderr. */
  stderr: string[];
  /** Why the devices of the client could not be listed. */
  noDevices?: string;
}

type Stage = PluginFailure['stage'];

const STAGES: Record<Stage, string> = {
  load: 'it is not loaded',
  version: 'its API version is refused',
  initialize: 'PJRT_Plugin_Initialize fails',
  client: 'PJRT_Client_Create fails',
};

/** The attempt as findings: how far it got, and what stopped it, in the plugin's own words. */
export function startFindings(attempt: Attempt): Finding[] {
  const { facts, death } = attempt;
  const { failure, apiVersion, devices } = facts;
  const findings: Finding[] = [];
  if (apiVersion) {
    const version = `API ${apiVersion.major}.${apiVersion.minor}`;
    const newer = facts.versionStanding === 'newer' ? ', newer than this tool knows' : '';
    findings.push(finding('load', 'ok', `it is loaded: ${version}${newer}`));
  }
  if (failure) findings.push(death ? died(attempt, failure.message) : failed(attempt, failure));
  // What happens after a client was had is for the suites.
  else if (death) findings.push({ ...died(attempt, ''), ...(devices ? { severity: 'warning' } : {}) });
  else if (!devices && attempt.noDevices !== undefined) findings.push(unlisted(attempt.noDevices));
  if (devices && !failure) {
    const kinds = [...new Set(devices.map((d) => d.kind))].join(', ');
    const count = counted(devices.length, 'device');
    const what = `a client is created: platform ${facts.platformName ?? 'unknown'}, ${count}${kinds ? ` (${kinds})` : ''}`;
    findings.push(finding('client', 'ok', what));
  }
  return findings;
}

function failed({ stderr }: Attempt, { stage, message, code, problem }: PluginFailure): Finding {
  const [first = '', ...more] = message.split('\n');
  const evidence = [...more, ...stderr.map((line) => `stderr: ${line}`)];
  const what = `${STAGES[stage]}${code ? ` with ${code}` : ''}: ${first}`;
  return finding(stage, 'error', what, evidence, (problem && NEXT_FOR[problem]) ?? NEXT[stage]);
}

const NEXT: Record<Stage, string> = {
  load: 'see the message of the loader above',
  version: 'build the plugin with a newer header of the C API; `inspect` shows what the file is',
  initialize: "the message is the plugin's own; see its documentation",
  client: "the message is the plugin's own; create options are set with --option name=value",
};

const NEXT_FOR: Partial<Record<StartProblem, string>> = {
  'no-entry-point':
    'export it: extern "C" const PJRT_Api* GetPjrtApi(), with default visibility and in the version script',
  'no-table': 'GetPjrtApi must return the address of a table that lives as long as the process',
  'needs-python':
    'install Python as a shared library (Debian: libpython3.X; pyenv: --enable-shared), or name the program of one in PJRT_CONFORMANCE_PYTHON',
  'short-table': 'set PJRT_Api.struct_size to PJRT_Api_STRUCT_SIZE',
};

function unlisted(reason: string): Finding {
  const [what = '', ...evidence] = reason.split('\n');
  const next = 'every framework first lists the devices, their descriptions and kinds';
  return finding('devices', 'error', what, evidence, next);
}

const SIGNALS: Readonly<Record<string, string>> = {
  SIGABRT:
    'a failed check or an uncaught C++ exception ends a process this way; the last lines of stderr usually say which',
  SIGSEGV: 'an invalid pointer was used; `ulimit -c unlimited` and a debugger on the core file show where',
  SIGBUS: 'memory of a vanished file or device was used, or an address was not aligned',
  SIGILL:
    'an instruction that this CPU does not support (was the plugin built for a newer one?), or a trap inserted by the compiler',
  SIGFPE: 'an integer was divided by zero',
  SIGKILL: 'the kernel sends it when memory runs out (see dmesg), or another process calls kill',
};

/** Whether a message is about a Python that is not there. */
const ofPython = (lines: readonly string[]): boolean =>
  lines.some((line) => /\b_?Py(?:[A-Z]\w*)?_\w|Fatal Python error|Python interpreter/.test(line));

function died({ death = {}, stderr }: Attempt, message: string): Finding {
  const [first = '', ...more] = message.split('\n');
  const { signal, exitCode, killedFor, call } = death;
  const how = first || `the process ended by itself (${killedFor ?? signal ?? `exit code ${exitCode}`})`;
  const lines = more.length > 0 ? more : stderr;
  const next = ofPython(lines)
    ? 'it may need a Python process: `--host python` runs it in one'
    : killedFor
      ? 'raise --timeout if it has to compile or to wait for hardware; otherwise use a debugger to see where it waits'
      : signal === undefined
        ? exitCode === 127
          ? 'a function was missing when it was called; `--binding now` says which'
          : 'a plugin must return an error; it must never end the process of its consumer'
        : SIGNALS[signal];
  const evidence = [...(call ? [`call in progress: ${call}`] : []), ...lines.map((line) => `stderr: ${line}`)];
  return finding('death', 'error', how, evidence, next);
}
