import { spawn } from 'node:child_process';
import { NotSupported } from '../../steps/outcome.ts';

/** A Python of the user's, and the versions of the libraries that it can import. */
export interface Python {
  command: string;
  libraries: Readonly<Record<string, string>>;
}

/** Names the Python to use; without it, the first of `COMMANDS` that runs. */
const VARIABLE = 'PJRT_CONFORMANCE_PYTHON';
const COMMANDS = ['python3', 'python'];

/** Looks without importing, which takes seconds for some. */
const LOOK = `
import importlib.metadata as metadata, importlib.util as util, json, sys
assert sys.version_info >= (3, 8)
names = [name for name in ('numpy', 'torch', 'jax') if util.find_spec(name)]
def version(name):
    try: return metadata.version(name)
    except Exception: return ''
print(json.dumps({name: version(name) for name in names}))
`;

let found: Promise<Python | undefined> | undefined;

/** The Python that has a library. It is looked for once in a process. @throws NotSupported if there is none */
export async function pythonWith(library: string): Promise<Python> {
  const named = process.env[VARIABLE];
  found ??= firstOf(named === undefined || named === '' ? COMMANDS : [named]);
  const python = await found;
  if (python === undefined) throw new NotSupported(`needs Python 3.8 or newer, as python3 on PATH or in $${VARIABLE}`);
  if (python.libraries[library] === undefined) {
    throw new NotSupported(`needs a Python with ${library}; ${python.command} has none ($${VARIABLE} names another)`);
  }
  return python;
}

async function firstOf(commands: readonly string[]): Promise<Python | undefined> {
  for (const command of commands) {
    const libraries = await look(command);
    if (libraries) return { command, libraries };
  }
  return undefined;
}

/** What it can import; undefined if it does not run, or is too old. */
function look(command: string): Promise<Record<string, string> | undefined> {
  return new Promise((resolve) => {
    const child = spawn(command, ['-c', LOOK], { stdio: ['ignore', 'pipe', 'ignore'] });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
    });
    child.once('error', () => resolve(undefined));
    child.once('close', (code) => resolve(code === 0 ? (JSON.parse(text) as Record<string, string>) : undefined));
  });
}
