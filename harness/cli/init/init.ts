import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { stringify } from 'yaml';
import type { CommandEnvironment } from '../../base/environment.ts';
import { NPX, TARBALL, TOOL } from '../../base/tool.ts';
import { UsageError } from '../../base/usage-error.ts';
import { isLibraryName } from '../../host/plugins/plugin-name.ts';
import { writeFileAtomically } from '../../report/index.ts';
import { CONFIG_NAME, repositoryRoot } from '../config/find.ts';
import { readConfigFile } from '../config/read.ts';
import { CI_NAMES, CI_SYSTEMS, type CiName, type CiSystem, detectCi, fillTemplate } from './ci.ts';

/** Parsed options of `init`. */
export interface InitOptions {
  plugin?: string;
  /** Default: the systems that the repository seems to use. */
  ci?: CiName | 'none';
  force?: boolean;
}

/** In the first lines of every workflow that `init` writes. No other workflow is ever overwritten. */
const OURS = 'Written by `pjrt-conformance init`';

const EXAMPLE_PLUGIN = 'build/pjrt-plugin-foo.so';
const BUILD_DIRECTORIES = ['.', 'build', 'bazel-bin', 'dist', 'lib', 'out', 'target/release'];
const REPORTS = 'reports/conformance';

interface Plan {
  /** Text of each file to write, by path relative to the working directory. */
  files: Map<string, string>;
  /** Existing files that are left unchanged. */
  kept: string[];
  next: string[];
}

/** `init`: writes a configuration file and a workflow. Checks everything before writing anything. */
export function init(options: InitOptions, environment: CommandEnvironment): void {
  const { cwd } = environment;
  const root = repositoryRoot(cwd) ?? cwd;
  const plan: Plan = { files: new Map(), kept: [], next: [] };
  const { output } = planConfig(options, cwd, plan);
  const ci = chosenCi(options.ci, root, plan);
  if (ci) planWorkflow(CI_SYSTEMS[ci], { cwd, root, output, force: options.force === true }, plan);
  if (plan.files.size === 0) {
    throw new UsageError(`nothing to do, because these files exist: ${plan.kept.join(', ')}; --force overwrites them`);
  }
  for (const [file, text] of plan.files) writeFileAtomically(join(cwd, file), (write) => write(text));
  const lines = [
    ...[...plan.files.keys()].map((file) => `wrote  ${file}`),
    ...plan.kept.map((file) => `kept   ${file} (--force overwrites it)`),
    '',
    'Next:',
    ...plan.next.map((step, index) => `  ${index + 1}. ${step}`),
  ];
  environment.stdout.write(`${lines.join('\n')}\n`);
}

/** Plans the configuration file; returns where its reports go. */
function planConfig({ plugin, force }: InitOptions, cwd: string, plan: Plan): { output: string | undefined } {
  let output: string | undefined = REPORTS;
  if (existsSync(join(cwd, CONFIG_NAME)) && !force) {
    if (plugin !== undefined) {
      throw new UsageError(
        `${CONFIG_NAME} already exists: write \`plugin: ${plugin}\` into it, or use --force to overwrite it`,
      );
    }
    plan.kept.push(CONFIG_NAME);
    output = (readConfigFile(join(cwd, CONFIG_NAME), cwd).value as { output?: string }).output;
  } else {
    const found = plugin === undefined ? librariesIn(cwd) : [plugin];
    const chosen = found.length === 1 ? found[0]! : EXAMPLE_PLUGIN;
    plan.files.set(CONFIG_NAME, fillTemplate('pjrt-conformance.yaml', { plugin: stringify(chosen).trim() }));
    if (found.length !== 1) {
      const seen = found.length > 1 ? ` (there are ${found.slice(0, 5).join(', ')})` : '';
      plan.next.push(`put the path of your plugin into ${CONFIG_NAME}, in place of ${EXAMPLE_PLUGIN}${seen}`);
    }
  }
  plan.next.push('try it: npx pjrt-conformance');
  return { output };
}

/** Shared libraries with pjrt in their name, in the usual build directories. */
function librariesIn(cwd: string): string[] {
  return BUILD_DIRECTORIES.flatMap((directory) => {
    let names: string[] = [];
    try {
      names = readdirSync(join(cwd, directory));
    } catch {
      // The directory does not exist.
    }
    const libraries = names.filter((name) => isLibraryName(name) && /pjrt/i.test(name)).sort();
    return libraries.map((name) => (directory === '.' ? `./${name}` : `${directory}/${name}`));
  });
}

function chosenCi(asked: InitOptions['ci'], root: string, plan: Plan): CiName | undefined {
  if (asked === 'none') return undefined;
  if (asked !== undefined) return asked;
  const found = detectCi(root);
  if (found.length === 1) return found[0];
  const seen = found.length > 1 ? `this repository has ${found.join(' and ')}` : 'no CI system was detected';
  plan.next.push(
    `${seen}: npx pjrt-conformance init --ci ${(found.length > 1 ? found : CI_NAMES).join('|')} writes a workflow`,
  );
  return undefined;
}

interface Place {
  cwd: string;
  root: string;
  output: string | undefined;
  force: boolean;
}

function planWorkflow(system: CiSystem, { cwd, root, output, force }: Place, plan: Plan): void {
  const below = relative(root, cwd);
  const at = (path: string): string => (below === '' ? path : `${below}/${path}`);
  if (!/^[\w./-]*$/.test(below) || !/^[\w./-]*$/.test(output ?? '')) {
    throw new UsageError(
      `the directories ${JSON.stringify(below)} and ${JSON.stringify(output)} cannot be written into a workflow unchanged; --ci none writes the configuration only, and docs/ci.md has the workflow`,
    );
  }
  const command = [
    NPX,
    ...(below === '' ? [] : [`--config ${at(CONFIG_NAME)}`]),
    ...(output === undefined ? [`--output ${at(REPORTS)}`] : []),
  ].join(' ');
  const reports = at(output ?? REPORTS).replace(/\/+$/, '');
  const isOurs = (file: string): boolean =>
    readFileSync(join(root, file), 'utf8').split('\n', 2).join('\n').includes(OURS);
  const theirs = existsSync(join(root, system.file)) && !isOurs(system.file);
  const place = theirs ? system.beside?.file : system.file;
  if (place === undefined)
    throw new UsageError(`${system.file} is there, but was not written by init: rename it first`);
  const shown = relative(cwd, join(root, place));
  if (existsSync(join(root, place)) && !(force && isOurs(place))) {
    plan.kept.push(shown);
    return;
  }
  plan.files.set(shown, fillTemplate(join('ci', system.template), { tool: NPX, tarball: TARBALL, command, reports }));
  if (!existsSync(join(root, TARBALL))) {
    const steps = 'npm ci && npm pack';
    plan.next.push(
      `commit ${TARBALL} at the root of the repository (\`${steps}\` in that of ${TOOL.name} makes it): the package is not in the npm registry yet`,
    );
  }
  plan.next.push(`have ${shown} build your plugin before the tests (${system.title}), and commit`);
  if (theirs && system.beside)
    plan.next.push(`${basename(system.file)} is yours and was not changed: ${system.beside.use}`);
}
