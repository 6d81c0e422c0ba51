import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';
import { scratchDirectory } from '../../harness/base/scratch.ts';
import { recorderLibrary } from '../../harness/commands/record/recorder-library.ts';
import { pythonWithJax } from '../../tests/support/jax.ts';
import { resolveHere } from '../resolve-here.ts';

/** Blocks of each mode, by turns. */
const BLOCKS = 120;

/** What is recorded, and how many times as much processor time the program may need at most. */
export const MODES = [
  {
    name: 'pass',
    what: 'calls that are passed on',
    // Of a training nothing but its compilations is recorded.
    settings: { PROGRAMS_ONLY: '1' },
    most: { thread: 1.03, process: 1.02 },
  },
  {
    name: 'hashes',
    what: 'digests of host data',
    settings: { PROGRAMS_ONLY: '0', KEEP: 'hashes' },
    most: { thread: 1.2, process: 1.06 },
  },
  {
    name: 'all',
    what: 'all host data',
    settings: { PROGRAMS_ONLY: '0', KEEP: 'all' },
    most: { thread: 1.35, process: 1.1 },
  },
] as const;
type Mode = (typeof MODES)[number]['name'];

interface Block {
  block: number;
  mode: Mode | 'none';
  thread: number;
  process: number;
}

type Costs = Record<Mode, { thread: number; process: number }>;

/** Processor time of blocks of a training beside that of blocks without the recorder: medians of ratios. */
export async function measureRecorder(spec: string): Promise<{ blocks: number; costs: Costs }> {
  const { library } = await resolveHere(spec);
  const directory = scratchDirectory('bench');
  try {
    const variables: Record<string, Record<string, string>> = {};
    for (const { name, settings } of MODES) {
      const trace = join(directory, name);
      mkdirSync(join(trace, 'blobs'), { recursive: true });
      copyFileSync(recorderLibrary(), join(directory, `${name}.so`));
      const named = Object.entries(settings).map(([key, value]) => [`PJRT_CONFORMANCE_RECORD_${key}`, value]);
      variables[name] = { PJRT_CONFORMANCE_RECORD: trace, ...Object.fromEntries(named) };
    }
    const modes = MODES.map(({ name }) => `${name}=${join(directory, `${name}.so`)}`);
    const script = [packagePath('tools', 'bench', 'recorder.py'), library, String(BLOCKS), ...modes];
    const { status, signal, stdout, stderr } = spawnSync(pythonWithJax(), script, {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      env: { ...process.env, MODES: JSON.stringify(variables) },
    });
    if (status !== 0) throw new Error(`the training ended with ${signal ?? status}:\n${stderr.slice(-4000)}`);
    const measured = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Block);
    return { blocks: BLOCKS, costs: costsOf(measured) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function costsOf(measured: readonly Block[]): Costs {
  const ratio = (mode: Mode, kind: 'thread' | 'process'): number => {
    const without = new Map(measured.filter((one) => one.mode === 'none').map((one) => [one.block, one[kind]]));
    const ratios = measured.filter((one) => one.mode === mode).map((one) => one[kind] / without.get(one.block)!);
    return ratios.sort((a, b) => a - b)[ratios.length >> 1]!;
  };
  const both = MODES.map(({ name }) => [name, { thread: ratio(name, 'thread'), process: ratio(name, 'process') }]);
  return Object.fromEntries(both) as Costs;
}
