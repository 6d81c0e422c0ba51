// Measures which functions torch_tpu calls, and when, for tools/frameworks/torch-tpu.json: `trace-torch-tpu.ts PYTHON`.
// PYTHON has torch and torch_tpu. The plugins ignore create options that they do not know: torch_tpu sends one of libtpu's.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';
import { scratchDirectory } from '../../harness/base/scratch.ts';
import { habitsOf, type Watched, type WatchedPair, watchedIn } from '../compat/calls.ts';
import { loadDesign } from '../designs/design.ts';
import { buildDesigns, environmentOf } from '../designs/plugin.ts';
import { buildFaults } from '../mutation/library.ts';
import { resolveHere } from '../resolve-here.ts';

const FILE = packagePath('tools', 'frameworks', 'torch-tpu.json');
const SESSION = packagePath('tools', 'frameworks', 'torch_tpu_session.py');

const [python] = process.argv.slice(2);
if (python === undefined) {
  console.error('usage: trace-torch-tpu.ts PYTHON');
  process.exit(2);
}

const library = await buildFaults();
const designs = await buildDesigns();

async function watch(env: Record<string, string>): Promise<Watched> {
  const directory = scratchDirectory('torch-tpu');
  try {
    const log = join(directory, 'log');
    const child = spawn(python!, [SESSION, log], {
      cwd: directory,
      env: {
        PATH: process.env.PATH,
        HOME: directory,
        TMPDIR: directory,
        TPU_LIBRARY_PATH: library,
        PJRT_FAULT: 'trace',
        PJRT_FAULTS_TRACE: log,
        ...env,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr = (stderr + chunk).slice(-10_000);
    });
    const code = await new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', resolve);
    });
    if (code !== 0) throw new Error(`torch_tpu ended with ${code}: ${stderr}`);
    return watchedIn(readFileSync(log, 'utf8'));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const pairs: WatchedPair[] = [];
for (const base of ['xla-cpu', 'xla-cpu-106']) {
  const plugin = (await resolveHere(base)).library;
  pairs.push({
    onCpu: await watch({ PJRT_FAULTS_BASE: plugin }),
    notOnCpu: await watch({ PJRT_FAULTS_BASE: designs, ...environmentOf(loadDesign('no-pointers'), plugin) }),
  });
}
const { $comment, release, sources } = JSON.parse(readFileSync(FILE, 'utf8'));
const calls = {
  release: release.version,
  status: 'measured',
  command: 'npx tsx tools/frameworks/trace-torch-tpu.ts PYTHON',
  ...habitsOf(pairs),
};
writeFileSync(FILE, `${JSON.stringify({ $comment, sources, release, calls }, null, 1)}\n`);
