// A Slurm cluster of this machine alone, from the packages of the distribution: its own ports, keys and files.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { accessSync, constants, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism, hostname, totalmem, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const PROGRAMS = ['munged', 'slurmctld', 'slurmd', 'sbatch', 'scontrol', 'scancel'];
const SEARCH = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];
const POLL_MS = 200;
const DEADLINE_MS = 60_000;

const place = (program: string): string | undefined =>
  SEARCH.map((directory) => join(directory, program)).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

/** Why there can be no cluster here; undefined if there can. */
export function whyNoSlurm(): string | undefined {
  const missing = PROGRAMS.filter((program) => !place(program));
  if (missing.length > 0) return `${missing.join(', ')} not installed (apt-get install slurm-wlm munge)`;
  return process.getuid?.() === 0 ? undefined : 'slurmd starts jobs only as root';
}

/** A task of an array, as `scontrol show job` describes it: `JobState`, `Restarts`, `ExitCode` and others. */
type Task = Readonly<Record<string, string>>;

/** A running cluster. */
export interface Slurm {
  /** Submits a script as an array. @returns the id of the job */
  submit(script: string, options: readonly string[]): string;
  /** Runs scontrol or scancel. */
  control(program: 'scontrol' | 'scancel', args: readonly string[]): string;
  /** The tasks of an array, by their index. */
  tasks(job: string): Map<number, Task>;
  /** Waits until the tasks are as they should be. @throws if they never are */
  until(job: string, what: (tasks: Map<number, Task>) => boolean, deadlineMs?: number): Promise<Map<number, Task>>;
  /** Ends all jobs, and the processes of the cluster. */
  stop(): Promise<void>;
}

/**
 * Starts a cluster with as many tasks at a time as the machine has processors.
 * @param directory empty; the path of a socket is in it, so it must be short
 * @param env the environment of the jobs
 */
export async function startSlurm(directory: string, env: NodeJS.ProcessEnv = process.env): Promise<Slurm> {
  for (const part of ['state', 'spool', 'munge']) mkdirSync(join(directory, part), { mode: 0o755 });
  const conf = join(directory, 'slurm.conf');
  const [controller, daemon] = [await freePort(), await freePort()];
  writeFileSync(conf, configuration(directory, controller, daemon));
  const key = join(directory, 'munge', 'key');
  writeFileSync(key, randomBytes(128), { mode: 0o600 });
  const munge = (file: string): string => join(directory, 'munge', file);
  const children = [
    start('munged', [
      '--foreground',
      '--force',
      `--key-file=${key}`,
      `--socket=${munge('socket')}`,
      `--log-file=${munge('log')}`,
      `--pid-file=${munge('pid')}`,
      `--seed-file=${munge('seed')}`,
    ]),
  ];
  await pause(POLL_MS);
  children.push(start('slurmctld', ['-D', '-c', '-f', conf]), start('slurmd', ['-D', '-c', '-f', conf]));

  const command = (program: string, args: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync(place(program)!, args, {
      encoding: 'utf8',
      env: { ...env, SLURM_CONF: conf },
    });
    if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr || stdout}\n${logs(directory)}`);
    return stdout.trim();
  };
  const tasks = (job: string): Map<number, Task> => tasksOf(command('scontrol', ['show', 'job', '--oneliner', job]));
  const stop = async (): Promise<void> => {
    try {
      command('scancel', ['--full', '--signal=KILL', '--user', userInfo().username]);
      command('scancel', ['--user', userInfo().username]);
    } catch {
      // The cluster did not start, or has ended.
    }
    for (const child of children.reverse()) await end(child);
  };
  try {
    await poll(() => isUp(conf), `no node became idle\n${logs(directory)}`, DEADLINE_MS);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    submit: (script, options) => command('sbatch', ['--parsable', ...options, script]),
    control: command,
    tasks,
    until: async (job, what, deadlineMs = DEADLINE_MS) => {
      await poll(() => what(tasks(job)), `job ${job} is still as it was`, deadlineMs).catch((error: Error) => {
        const states = [...tasks(job)].map(([index, { JobState, Reason }]) => `${index}: ${JobState} ${Reason}`);
        throw new Error(`${error.message}: ${states.join(', ')}\n${logs(directory)}`);
      });
      return tasks(job);
    },
    stop,
  };
}

function configuration(directory: string, controller: number, daemon: number): string {
  const name = hostname().split('.')[0]!;
  const user = userInfo().username;
  return `ClusterName=one
SlurmctldHost=${name}(127.0.0.1)
SlurmctldPort=${controller}
SlurmdPort=${daemon}
AuthType=auth/munge
AuthInfo=socket=${join(directory, 'munge', 'socket')}
CredType=cred/munge
SlurmUser=${user}
SlurmdUser=${user}
StateSaveLocation=${join(directory, 'state')}
SlurmdSpoolDir=${join(directory, 'spool')}
SlurmctldPidFile=${join(directory, 'slurmctld.pid')}
SlurmdPidFile=${join(directory, 'slurmd.pid')}
SlurmctldLogFile=${join(directory, 'slurmctld.log')}
SlurmdLogFile=${join(directory, 'slurmd.log')}
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
KillWait=5
ReturnToService=2
NodeName=${name} NodeAddr=127.0.0.1 CPUs=${availableParallelism()} RealMemory=${Math.floor(totalmem() / 2 ** 20 / 2)} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`;
}

const start = (program: string, args: readonly string[]): ChildProcess =>
  spawn(place(program)!, args, { stdio: 'ignore' });

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(late);
}

/** A node without a job; asked with few words, because the controller answers only when it is up. */
function isUp(conf: string): boolean {
  const asked = spawnSync(place('scontrol')!, ['show', 'node', '--oneliner'], {
    encoding: 'utf8',
    env: { ...process.env, SLURM_CONF: conf },
    timeout: 10_000,
  });
  return asked.status === 0 && /\bState=IDLE\b/.test(asked.stdout);
}

async function poll(what: () => boolean, otherwise: string, deadlineMs: number): Promise<void> {
  const until = performance.now() + deadlineMs;
  while (!what()) {
    if (performance.now() > until) throw new Error(otherwise);
    await pause(POLL_MS);
  }
}

/** Lines of `scontrol show job --oneliner`; tasks that wait together have one line, without an index of their own. */
function tasksOf(text: string): Map<number, Task> {
  const tasks = new Map<number, Task>();
  for (const line of text.split('\n')) {
    const task = Object.fromEntries([...line.matchAll(/(\w+)=(\S*)/g)].map(([, name, value]) => [name!, value!]));
    if (/^\d+$/.test(task.ArrayTaskId ?? '')) tasks.set(Number(task.ArrayTaskId), task);
  }
  return tasks;
}

function logs(directory: string): string {
  const tail = (file: string): string => {
    try {
      return readFileSync(join(directory, file), 'utf8').split('\n').slice(-8).join('\n');
    } catch {
      return '';
    }
  };
  return ['slurmctld.log', 'slurmd.log', 'munge/log'].map((file) => `${file}:\n${tail(file)}`).join('\n');
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
