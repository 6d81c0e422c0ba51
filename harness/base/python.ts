/** The user's own Python, for libraries that the harness has no replacement for, and for plugins. Nothing is installed. */
import { spawnSync } from 'node:child_process';

/** A Python of the user's, and the versions of the libraries that it can import. */
export interface Python {
  command: string;
  libraries: Readonly<Record<string, string>>;
}

/** Names the Python to use; without it, the first of `COMMANDS` that runs. */
const PYTHON_VARIABLE = 'PJRT_CONFORMANCE_PYTHON';
const COMMANDS = ['python3', 'python'];

/** Looks without importing, which takes seconds for some. */
const LOOK = `
import importlib.metadata as metadata, importlib.util as util, json, sys
assert sys.version_info >= (3, 8)
names = [name for name in ('numpy', 'torch', 'jax', 'jaxlib') if util.find_spec(name)]
def version(name):
    try: return metadata.version(name)
    except Exception: return ''
print(json.dumps({name: version(name) for name in names}))
`;

let found: { python: Python | undefined } | undefined;

/** The Python to use. It is looked for once in a process. */
function python(): Python | undefined {
  const named = process.env[PYTHON_VARIABLE];
  found ??= { python: firstOf(named === undefined || named === '' ? COMMANDS : [named]) };
  return found.python;
}

/** The Python that has a library, or why there is none. */
export function pythonWith(library: string): Python | { missing: string } {
  const known = python();
  if (known === undefined) return { missing: `Python 3.8 or newer, as python3 on PATH or in $${PYTHON_VARIABLE}` };
  if (known.libraries[library] !== undefined) return known;
  return { missing: `a Python with ${library}; ${known.command} has none ($${PYTHON_VARIABLE} names another)` };
}

/** A Python as a shared library. */
export interface SharedPython {
  version: string;
  executable: string;
  library: string;
}

/** Distributions that are moved after they were built name a LIBDIR that is not there. */
const LOOK_FOR_LIBRARY = `
import json, os, sys, sysconfig
value = lambda name: sysconfig.get_config_var(name) or ''
places = [value('LIBDIR'), os.path.join(value('LIBDIR'), value('MULTIARCH')), os.path.join(sys.base_prefix, 'lib')]
files = [os.path.join(place, value(name)) for place in places for name in ('INSTSONAME', 'LDLIBRARY')]
libraries = [file for file in files if '.so' in file or file.endswith('.dylib')]
print(json.dumps({'version': '%d.%d' % sys.version_info[:2], 'executable': sys.executable,
                  'library': next(filter(os.path.isfile, libraries), None)}))
`;

/** The user's Python as a library, or why there is none. @param version the only one that will do, as in `3.12` */
export function sharedPython(version?: string): SharedPython | { missing: string } {
  const named = process.env[PYTHON_VARIABLE];
  const usual = version === undefined ? COMMANDS : [...COMMANDS, `python${version}`];
  const others: string[] = [];
  for (const command of named === undefined || named === '' ? usual : [named]) {
    const { status, stdout } = spawnSync(command, ['-c', LOOK_FOR_LIBRARY], {
      stdio: ['ignore', 'pipe', 'ignore'],
      encoding: 'utf8',
    });
    if (status !== 0) continue;
    const seen = JSON.parse(stdout) as Omit<SharedPython, 'library'> & { library: string | null };
    const { library, ...about } = seen;
    if (library !== null && (version ?? about.version) === about.version) return { ...about, library };
    others.push(`${command} is ${about.version}${library === null ? ' without one' : ''}`);
  }
  const wanted = `no Python ${version === undefined ? '' : `${version} `}with a shared library is here`;
  return { missing: `${wanted}${others.length > 0 ? ` (${others.join(', ')})` : ''}` };
}

function firstOf(commands: readonly string[]): Python | undefined {
  for (const command of commands) {
    const { status, stdout } = spawnSync(command, ['-c', LOOK], {
      stdio: ['ignore', 'pipe', 'ignore'],
      encoding: 'utf8',
    });
    if (status === 0) return { command, libraries: JSON.parse(stdout) as Record<string, string> };
  }
  return undefined;
}
