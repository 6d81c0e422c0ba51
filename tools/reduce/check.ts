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
import { buildFaults } from '../mutation/library.ts';
import { runTool } from '../run-tool.ts';

const USAGE = `usage: check [--fault NAME]…
  --fault   only this fault (repeatable)`;

const { values } = parseArgs({
  options: { fault: { type: 'string', multiple: true, default: [] }, help: { type: 'boolean', default: false } },
});

/** Faults, and the largest recorded program of one device that meets each. */
const MET: readonly [program: string, faults: readonly string[]][] = [
  [
    'train/006-jit__normal',
    ['tail-of-negate', 'tail-of-iota', 'tail-of-select', 'tail-of-compare', 'tail-of-abs', 'outputs-are-zeros'],
  ],
  ['session/006-jit__uniform', ['tail-of-maximum', 'tail-of-bitcast_convert', 'tail-of-or']],
  ['session/009-jit_threefry2x32', ['random-words-one-bit-short', 'outputs-swapped', 'tail-of-shift_right_logical']],
  [
    'train/007-jit_step',
    [
      'matmul-in-tf32',
      'matmul-accumulates-in-bf16',
      'matmul-last-column-dropped',
      'tail-of-subtract',
      'tail-of-transpose',
      'tail-of-reduce',
      'tail-of-divide',
      'outputs-are-arguments',
    ],
  ],
  ['session/003-jit_running', ['tail-of-while', 'tail-of-dynamic_update_slice']],
  ['session/039-jit__lambda', ['tail-of-reduce_window']],
  ['session/021-jit__lambda', ['complex-parts-swapped']],
];

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

/** How a program that was written ends, with the results that are beside it. */
async function ending(directory: string, plugin: string, env: Record<string, string>): Promise<number> {
  return (await command(['programs', directory, '--plugin', plugin, '--output', join(OUTPUT, 'run'), '--quiet'], env))
    .code;
}

async function main(): Promise<boolean> {
  mkdirSync(OUTPUT, { recursive: true });
  const base = await referenceLibrary();
  const python = pythonWithJax();
  const cases = await recorded(base, python);
  const plugin = await buildFaults();
  const all = MET.flatMap(([program, faults]) => faults.map((name) => ({ program, fault: `numerics-${name}` })));
  const rows: string[][] = [];
  let few = 0;
  for (const { program, fault } of all) {
    if (values.fault.length > 0 && !values.fault.includes(fault)) continue;
    const directory = join(OUTPUT, fault);
    rmSync(directory, { recursive: true, force: true });
    const env = { PJRT_FAULTS_BASE: base, PJRT_FAULT: fault, PJRT_CONFORMANCE_PYTHON: python };
    const began = performance.now();
    const on = ['--plugin', plugin, '--oracle', base, '-o', directory, '--format', 'json'];
    const { out } = await command(['reduce', `${join(cases, program)}.mlirbc`, ...on], env);
    const seconds = Math.round((performance.now() - began) / 1000);
    const { smallest, tried, left } = JSON.parse(out) as Reduced;
    if (!smallest) {
      rows.push([fault, program, 'none', '', String(tried), `${seconds} s`, '', left[0]?.reason ?? 'it does not fail']);
    } else {
      const { before, after, operations } = smallest;
      const ends = [await ending(directory, plugin, env), await ending(directory, base, env)];
      const same = ends.join() === '1,0';
      if (same && after.operations <= FEW) few++;
      rows.push([
        fault,
        program,
        `${before.operations} → ${after.operations}`,
        `${before.elements} → ${after.elements}`,
        String(tried),
        `${seconds} s`,
        same ? 'fails' : ends.join(),
        operations.map((op) => op.replace('stablehlo.', '')).join(' '),
      ]);
    }
    console.log(rows.at(-1)!.join('\t'));
  }
  const head = ['fault', 'program', 'operations', 'elements', 'tried', 'time', 'again', 'what is left'];
  console.log(textTable([head, ...rows]).join('\n'));
  console.log(`${few} of ${rows.length} end in a program of at most ${FEW} operations that fails in the same way`);
  return few === rows.length;
}

await runTool(USAGE, values.help, main);
