import { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { packagePath } from '../../harness/base/paths.ts';
import { quietEnvironment } from './cli.ts';
import type { Ended } from './command.ts';

/** A module of the built command, because workers started from sources would need a compiler. */
const built = <T>(name: string): Promise<T> =>
  import(pathToFileURL(packagePath('dist', 'cli', name)).href) as Promise<T>;

/** Runs the built command in this process, which saves its start; workers are still processes. */
export async function inProcess(
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
  signal = new AbortController().signal,
): Promise<Ended> {
  const [stdout, stderr] = [collector(), collector()];
  const environment = {
    cwd,
    env: { ...quietEnvironment(), ...env },
    argv: args,
    stdout: stdout.stream,
    stderr: stderr.stream,
    signal,
  };
  const { runProgram } = await built<typeof import('../../harness/cli/program.ts')>('program.cjs');
  const { printFailure: tellFailure } = await built<typeof import('../../harness/cli/failure.ts')>('failure.cjs');
  const status = await runProgram(environment).catch((error: unknown) => tellFailure(error, environment.stderr));
  return { status, stdout: stdout.text(), stderr: stderr.text() };
}

function collector(): { stream: NodeJS.WriteStream; text(): string } {
  let text = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  return { stream: stream as unknown as NodeJS.WriteStream, text: () => text };
}
