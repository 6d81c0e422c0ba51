import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { packagePath } from '../harness/base/paths.ts';
import { quietEnvironment } from './support/cli.ts';
import { githubFaults } from './support/github-parser.ts';
import { buildHostile } from './support/hostile.ts';

interface Step {
  id?: string;
  if?: string;
  uses?: string;
  shell?: string;
  run?: string;
  env?: Record<string, string>;
}
interface Action {
  inputs: Record<string, { description: string; default: string }>;
  outputs: Record<string, { value: string }>;
  runs: { using: string; steps: Step[] };
}

const TEXT = readFileSync(packagePath('action.yml'), 'utf8');
const action = parse(TEXT) as Action;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-action-'));
  // A fake npx: prints the requested package and runs the built command.
  mkdirSync(join(directory, 'bin'));
  const npx = join(directory, 'bin', 'npx');
  writeFileSync(
    npx,
    `#!/bin/sh\necho "$3 $4" > '${directory}/asked'\nshift 4\nexec '${process.execPath}' '${packagePath('dist', 'cli', 'main.js')}' "$@"\n`,
  );
  chmodSync(npx, 0o755);
  // A fake npm: packs without building.
  const npm = join(directory, 'bin', 'npm');
  writeFileSync(
    npm,
    `#!/bin/sh\necho "$PWD: $*" >> '${directory}/built'\nif [ "$1" = pack ]; then echo packed.tgz; fi\n`,
  );
  chmodSync(npm, 0o755);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Executes the script of the action as the runner does: inputs in the environment, `bash -e`. */
function perform(inputs: Record<string, string>) {
  const step = action.runs.steps.find(({ id }) => id === 'run')!;
  const values = Object.fromEntries(
    Object.entries(step.env!).map(([name, expression]) => {
      const input = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(expression)![1]!;
      return [name, inputs[input] ?? action.inputs[input]!.default];
    }),
  );
  const output = join(directory, 'github-output');
  writeFileSync(output, '');
  const { status, stdout, stderr } = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run!], {
    cwd: directory,
    encoding: 'utf8',
    env: {
      ...quietEnvironment(),
      ...values,
      GITHUB_OUTPUT: output,
      GITHUB_ACTION_PATH: packagePath(),
      RUNNER_TEMP: join(directory, 'temp'),
      GITHUB_STEP_SUMMARY: join(directory, 'summary.md'),
      PATH: `${join(directory, 'bin')}${delimiter}${process.env.PATH}`,
    },
  });
  return { status, stdout, stderr, outputs: readFileSync(output, 'utf8') };
}

const HOSTILE = `--suites=${packagePath('tests', 'suites')}\n--suite\nhostile\n\n--workers=1`;

test("is valid for GitHub's parser", async () => {
  expect(await githubFaults('action', TEXT)).toEqual([]);
  expect(await githubFaults('action', TEXT.replace('using: composite', 'usingg: composite'))).not.toEqual([]);
});

test('no script contains an expression: inputs cannot become code', () => {
  const scripts = action.runs.steps.flatMap(({ run }) => run ?? []);
  expect(scripts).toHaveLength(1);
  expect(scripts.join('')).not.toContain('${{');
  for (const step of action.runs.steps.filter(({ run }) => run)) expect(step.shell).toBe('bash');
  expect(action.runs.steps.at(-1)!.if).toMatch(/^always\(\)/);
});

test('runs the plugin, fails by the exit code, and outputs it with the directory of the reports', async () => {
  const good = perform({ plugin: await buildHostile('toy'), args: HOSTILE });
  expect([good.status, good.outputs]).toEqual([0, 'exit-code=0\nreports=reports/conformance\n']);
  expect(readFileSync(join(directory, 'asked'), 'utf8')).toBe(
    `${join(directory, 'temp', 'packed.tgz')} pjrt-conformance\n`,
  );
  const [install, build, pack] = readFileSync(join(directory, 'built'), 'utf8').split('\n');
  expect([install, build]).toEqual([`${packagePath()}: ci`, `${packagePath()}: run build`]);
  expect(pack).toMatch(/: pack --silent --ignore-scripts --pack-destination .*temp$/);
  expect(existsSync(join(directory, 'reports', 'conformance', 'junit.xml'))).toBe(true);
  expect(readFileSync(join(directory, 'summary.md'), 'utf8')).toContain('hostile');

  const bad = perform({ plugin: await buildHostile('segv-in-compile'), args: HOSTILE, output: 'out', version: '1.2' });
  expect([bad.status, bad.outputs]).toEqual([1, 'exit-code=1\nreports=out\n']);
  expect(readFileSync(join(directory, 'asked'), 'utf8')).toBe('pjrt-conformance@1.2 pjrt-conformance\n');
  expect(readFileSync(join(directory, 'built'), 'utf8').split('\n')).toHaveLength(4);
});

test.each<[string, Record<string, string>]>([
  ['a plugin', { plugin: `"; touch "${'$'}{PWD}/pwned"; #$(touch pwned)\`touch pwned\`` }],
  ['arguments', { args: '$(touch pwned)\n`touch pwned`\n; touch pwned\n"; touch pwned; "' }],
  ['an output', { output: '$(touch pwned)' }],
  ['a version', { version: '1.0; touch pwned' }],
  ['an output of two lines', { output: 'a\nexit-code=0' }],
])('input %s is not executed', (_, inputs) => {
  const { status, outputs } = perform(inputs);
  expect(status).not.toBe(0);
  expect(existsSync(join(directory, 'pwned'))).toBe(false);
  expect(outputs).not.toContain('exit-code=0');
});
