// Plants faults in the reference plugin, and reduces what they make go wrong in programs of recorded JAX sessions.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { packagePath } from '../../harness/base/paths.ts';
import { textTable } from '../../harness/base/text-table.ts';
import type { Reduced } from '../../harness/commands/reduce/reduce.ts';
import { pythonWithJax } from '../../tests/support/jax.ts';
import { referenceLibrary } from '../../tests/support/reference.ts';
import { buildFaults, registeredFaults } from '../mutation/library.ts';
import { runTool } from '../run-tool.ts';

const USAGE = `usage: check [--fault NAME]… [--faults N] [--cases DIR]
  --fault   this fault (repeatable); default: all of what programs compute, but for those that no recorded program meets
  --faults  stop after so many that a program met
  --cases   programs that are there already, instead of those of recordings of tests/record`;

const { values } = parseArgs({
  options: {
    fault: { type: 'string', multiple: true, default: [] },
    faults: { type: 'string' },
    cases: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const run = promisify(execFile);
const OUTPUT = packagePath('build', 'reduced');
const CLI = packagePath('dist', 'cli', 'main.js');
/** A program of more operations is no success. */
const FEW = 5;

async function command(args: readonly string[], env: Record<string, string>): Promise<{ code: number; out: string }> {
  try {
    const all = { ...process.env, TPU_SKIP_MDS_QUERY: '1', ...env };
    return { code: 0, out: (await run(process.execPath, [CLI, ...args], { env: all, maxBuffer: 1 << 28 })).stdout };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    if (code !== 1) throw new Error(`${args.join(' ')}: exit code ${code}\n${stderr}`);
    return { code, out: stdout };
  }
}

/** The programs of two sessions, recorded on the right plugin. */
async function recorded(plugin: string, python: string): Promise<string> {
  const cases = join(OUTPUT, 'cases');
  if (existsSync(cases)) return cases;
  for (const session of ['train', 'session']) {
    const trace = join(OUTPUT, `${session}.trace`);
    rmSync(trace, { recursive: true, force: true });
    const script = packagePath('tests', 'record', `${session}.py`);
    const env = { PJRT_NAMES_AND_LIBRARY_PATHS: `ref:${plugin}`, JAX_PLATFORMS: 'ref' };
    await command(['record', '-o', trace, '--', python, script], env);
    await command(['trace', 'programs', trace, '-o', join(cases, session)], {});
  }
  return cases;
}

async function main(): Promise<boolean> {
  mkdirSync(OUTPUT, { recursive: true });
  const base = await referenceLibrary();
  const python = pythonWithJax();
  const cases = values.cases ?? (await recorded(base, python));
  const plugin = await buildFaults();
  const names = values.fault.length > 0 ? values.fault : registeredFaults().filter((name) => /^numerics-/.test(name));
  const rows: string[][] = [];
  let few = 0;
  for (const name of names) {
    if (rows.length >= Number(values.faults ?? Infinity)) break;
    const directory = join(OUTPUT, name);
    rmSync(directory, { recursive: true, force: true });
    const env = { PJRT_FAULTS_BASE: base, PJRT_FAULT: name, PJRT_CONFORMANCE_PYTHON: python };
    const on = ['--plugin', plugin, '--oracle', base];
    const began = performance.now();
    const { out } = await command(['reduce', cases, ...on, '-o', directory, '--format', 'json'], env);
    const { failing, smallest, tried } = JSON.parse(out) as Reduced;
    // No program meets it.
    if (failing.length === 0) continue;
    const again =
      smallest &&
      (await command(['programs', directory, '--plugin', plugin, '--output', join(OUTPUT, 'run'), '--quiet'], env));
    const right =
      smallest &&
      (await command(['programs', directory, '--plugin', base, '--output', join(OUTPUT, 'run'), '--quiet'], env));
    const done = smallest && again?.code === 1 && right?.code === 0 && smallest.after.operations <= FEW;
    if (done) few++;
    const [before, after] = smallest ? [smallest.before, smallest.after] : [];
    const row = [
      name,
      String(failing.length),
      before ? `${before.operations} → ${after!.operations}` : '',
      before ? `${before.elements} → ${after!.elements}` : '',
      String(tried),
      `${Math.round((performance.now() - began) / 1000)} s`,
      again ? (again.code === 1 ? 'fails' : 'passes') : '',
      right ? (right.code === 0 ? 'passes' : 'fails') : '',
      (smallest?.operations ?? []).map((op) => op.replace('stablehlo.', '')).join(' '),
    ];
    rows.push(row);
    console.log(row.join('\t'));
  }
  const head = ['fault', 'failing', 'operations', 'elements', 'tried', 'time', 'fault', 'right', 'what is left'];
  console.log(textTable([head, ...rows]).join('\n'));
  console.log(`${few} of ${rows.length} end in a program of at most ${FEW} operations that fails in the same way`);
  return few >= 0.75 * rows.length;
}

await runTool(USAGE, values.help, main);
