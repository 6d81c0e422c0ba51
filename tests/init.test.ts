import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { packagePath } from '../harness/base/paths.ts';
import { readConfigFile } from '../harness/cli/config/read.ts';
import { CI_NAMES, CI_SYSTEMS, type CiName, type CiSystem, fillTemplate } from '../harness/cli/init/ci.ts';
import { EXIT_CODES } from '../harness/verdict/exit-codes.ts';
import { command as builtCommand } from './support/command.ts';
import { githubFaults } from './support/github-parser.ts';
import { buildHostile } from './support/hostile.ts';

let toy: string;
beforeAll(async () => {
  toy = await buildHostile('toy');
});

let repository: string;
beforeEach(() => {
  repository = mkdtempSync(join(tmpdir(), 'pjrt-init-'));
  mkdirSync(join(repository, '.git'));
});
afterEach(() => rmSync(repository, { recursive: true, force: true }));

const command = (args: readonly string[], directory = '') => builtCommand(args, join(repository, directory));

const init = (args: readonly string[] = [], directory?: string) => command(['init', ...args], directory);
const read = (file: string): string => readFileSync(join(repository, file), 'utf8');
const write = (file: string, text: string): void => {
  mkdirSync(join(repository, file, '..'), { recursive: true });
  writeFileSync(join(repository, file), text);
};

describe('templates', () => {
  const filled = (name: CiName): string =>
    fillTemplate(join('ci', CI_SYSTEMS[name].template), {
      tool: 'npx x',
      tarball: 'x.tgz',
      command: 'npx --yes x@1.2.3',
      reports: 'out/reports',
    });

  test('there is one for every system, and no other', () => {
    const templates = CI_NAMES.map((name) => CI_SYSTEMS[name].template).sort();
    expect(readdirSync(packagePath('templates', 'ci')).sort()).toEqual(templates);
  });

  test.each(CI_NAMES)('%s: fails by the command, and keeps the reports and the JUnit file of failed runs', (name) => {
    const text = filled(name);
    expect(text.split('\n', 2).join()).toContain('Written by `pjrt-conformance init`');
    expect(text.match(/npx --yes x@1\.2\.3/g)).toHaveLength(1);
    expect(text).not.toMatch(/\|\| true|continue-on-error|allow_failure|returnStatus/);
    expect(text).toMatch(/out\/reports\/(merged\/)?junit\.xml/);
    if (CI_SYSTEMS[name].template.endsWith('.yml')) expect(parse(text)).toBeTypeOf('object');
  });

  test('github: a pull request runs once', () => {
    expect(parse(filled('github')).on).toEqual({ push: { branches: ['main', 'master'] }, pull_request: null });
  });

  test('the configuration shows every option that decides what fails a run', () => {
    const text = fillTemplate('pjrt-conformance.yaml', { version: '1.2.3', plugin: 'a.so' });
    for (const key of ['expectations', 'strict', 'accept-known']) expect(text).toContain(`# ${key}: `);
  });

  test("github: valid for GitHub's parser", async () => {
    expect(await githubFaults('workflow', filled('github'))).toEqual([]);
    expect(await githubFaults('workflow', filled('github').replace('runs-on', 'runs-onn'))).not.toEqual([]);
  });

  test('Where each system expects its steps.', () => {
    const gitlab = parse(filled('gitlab'))['pjrt-conformance'];
    expect(gitlab.artifacts).toMatchObject({ when: 'always', reports: { junit: 'out/reports/junit.xml' } });
    const [run, wait, annotate] = parse(filled('buildkite')).steps;
    expect(run.commands).toEqual(['npx --yes x@1.2.3']);
    expect([wait.continue_on_failure, Object.keys(annotate.plugins[0])[0]]).toEqual([true, 'junit-annotate#v2.7.0']);
    const azure = parse(filled('azure')).steps as { task?: string; publish?: string; condition?: string }[];
    for (const step of azure.filter(({ task, publish }) => publish ?? task?.startsWith('Publish'))) {
      expect(step.condition).toBe('always()');
    }
    const circle = parse(filled('circleci')).jobs['pjrt-conformance'].steps.map((s: object | string) =>
      typeof s === 'string' ? s : Object.keys(s)[0],
    );
    expect(circle).toEqual(['checkout', 'run', 'store_test_results', 'store_artifacts']);
    const jenkins = filled('jenkins').replace(/\/\/.*$/gm, '');
    expect(jenkins.match(/[{(]/g)).toHaveLength(jenkins.match(/[})]/g)!.length);
    expect(jenkins).toMatch(/^\s*pipeline \{\s+agent any/);
    expect(jenkins).toMatch(/post \{\s+always \{\s+junit testResults: 'out\/reports\/junit\.xml', /);
    expect(jenkins).toContain('skipMarkingBuildUnstable: true');
  });

  test('kubernetes: every pod has what --shard auto reads, and a verdict does not run it again', () => {
    const job = parse(filled('kubernetes'));
    expect(job).toMatchObject({ apiVersion: 'batch/v1', kind: 'Job', spec: { completionMode: 'Indexed' } });
    const { completions, backoffLimitPerIndex, podFailurePolicy, template } = job.spec;
    const [container] = template.spec.containers;
    const env = new Map<string, { value?: string; valueFrom?: object }>(
      container.env.map((variable: { name: string }) => [variable.name, variable]),
    );
    expect(env.get('JOB_COMPLETIONS')!.value).toBe(String(completions));
    expect(env.get('JOB_UID')!.valueFrom).toEqual({
      fieldRef: { fieldPath: "metadata.labels['batch.kubernetes.io/controller-uid']" },
    });
    // Both demand restartPolicy Never, by the documentation of Jobs.
    expect([backoffLimitPerIndex, template.spec.restartPolicy]).toEqual([3, 'Never']);
    const [, verdicts] = podFailurePolicy.rules;
    expect(verdicts.onExitCodes.containerName).toBe(container.name);
    const verdictCodes = EXIT_CODES.map(({ code }) => code).filter((code) => code > 0 && code < 128);
    expect(verdicts.onExitCodes.values).toEqual(verdictCodes);
    expect(container.command.at(-1)).toBe('exec npx --yes x@1.2.3 --shard auto');
    const volumes = template.spec.volumes.map(({ name }: { name: string }) => name);
    expect(container.volumeMounts.map(({ name }: { name: string }) => name)).toEqual(volumes);
  });

  test('the configuration matches its schema, also with every key that it shows', () => {
    const text = fillTemplate('pjrt-conformance.yaml', { version: '1.2.3', plugin: 'a.so' });
    const all = text.replace(/^# ((?: {2})?(?!yaml-)[a-z][a-z_-]*:(?: .*)?)$/gm, '$1');
    expect(all.length).toBeLessThan(text.length - 15);
    for (const [name, content] of Object.entries({ text, all })) {
      write(`${name}.yaml`, content);
      expect(readConfigFile(join(repository, `${name}.yaml`), repository).value, name).toMatchObject({
        plugin: 'a.so',
      });
    }
  });
});

describe('init', () => {
  test('writes a working configuration in a repository with a plugin', () => {
    write('.github/CODEOWNERS', '');
    mkdirSync(join(repository, 'build'));
    writeFileSync(join(repository, 'build', 'pjrt-plugin-toy.so'), readFileSync(toy));
    const { status, stdout, stderr } = init();
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatchInlineSnapshot(`
      "wrote  pjrt-conformance.yaml
      wrote  .github/workflows/pjrt-conformance.yml

      Next:
        1. try it: npx pjrt-conformance
        2. commit pjrt-conformance-0.1.0.tgz at the root of the repository (\`npm ci && npm pack\` in that of pjrt-conformance makes it): the package is not in the npm registry yet
        3. have .github/workflows/pjrt-conformance.yml build your plugin before the tests (GitHub Actions), and commit
      "
    `);
    expect(read('pjrt-conformance.yaml')).toContain('plugin: build/pjrt-plugin-toy.so\n');
    const { steps } = parse(read('.github/workflows/pjrt-conformance.yml')).jobs.conformance;
    const [, words = ''] = /^npx --yes --package \.\/pjrt-conformance-[\d.]+\.tgz pjrt-conformance(.*)$/.exec(
      steps.find((s: { run?: string }) => s.run).run,
    )!;
    const run = command([...words.split(' ').filter(Boolean), '--tests', 'client/queries:platform-name']);
    expect([run.status, run.stderr]).toEqual([0, '']);
    const upload = steps.find((s: { uses?: string }) => s.uses?.includes('upload')).with.path as string;
    expect(existsSync(join(repository, upload, 'junit.xml'))).toBe(true);
  });

  test('keeps existing files, and overwrites only what it has written itself', () => {
    expect(init(['--ci', 'gitlab', '--plugin', 'a.so']).status).toBe(0);
    write('pjrt-conformance.yaml', 'plugin: mine.so\noutput: mine/out\n');
    const again = init(['--ci', 'gitlab']);
    expect([again.status, again.stderr]).toEqual([2, expect.stringContaining('--force overwrites them')]);
    const more = init(['--ci', 'buildkite']);
    expect(more.stdout).toContain('kept   pjrt-conformance.yaml');
    expect(read('.buildkite/pipeline.yml')).toContain('artifact_paths: mine/out/**/*');
    expect(read('pjrt-conformance.yaml')).toContain('mine.so');
    expect(init(['--ci', 'gitlab', '--plugin', 'b.so']).stderr).toContain('write `plugin: b.so` into it');
    expect(init(['--ci', 'gitlab', '--plugin', 'b.so', '--force']).status).toBe(0);
    expect(read('pjrt-conformance.yaml')).toContain('plugin: b.so\n');
  });

  test.each(CI_NAMES.filter((name) => name !== 'github'))('does not change a workflow of the user: %s', (name) => {
    const { file, beside }: CiSystem = CI_SYSTEMS[name];
    write(file, '# theirs\n');
    const { status, stdout } = init(['--ci', name, '--force']);
    expect([status, read(file)]).toEqual([0, '# theirs\n']);
    expect(read(beside!.file)).toContain('npx --yes --package ./pjrt-conformance-');
    expect(stdout).toContain(beside!.use);
  });

  test.each<[string, () => void, RegExp]>([
    ['by files', () => write('.buildkite/x.yml', ''), /^wrote {2}\.buildkite\/pipeline\.yml$/m],
    [
      'by the host of the repository',
      () => write('.git/config', '[remote "origin"]\n\turl = git@gitlab.example.com:a/b.git\n'),
      /^wrote {2}\.gitlab-ci\.yml$/m,
    ],
    ['not at all', () => {}, /no CI system was detected: .*--ci github\|gitlab\|jenkins/],
    [
      'not when there are two',
      () => {
        write('Jenkinsfile', '');
        write('.circleci/config.yml', '');
      },
      /this repository has jenkins and circleci: npx pjrt-conformance init --ci jenkins\|circleci/,
    ],
  ])('recognises the CI %s', (_, make, message) => {
    make();
    expect(init().stdout).toMatch(message);
  });

  test('below the root of a repository, the workflow goes to the root and names the file', () => {
    mkdirSync(join(repository, 'plugins', 'foo'), { recursive: true });
    expect(init(['--ci', 'github', '--plugin', 'a.so'], 'plugins/foo').status).toBe(0);
    const workflow = read('.github/workflows/pjrt-conformance.yml');
    expect(workflow).toContain('--config plugins/foo/pjrt-conformance.yaml\n');
    expect(workflow).toContain('path: plugins/foo/reports/conformance/\n');
  });

  test('unusual directory names are not injected into a workflow', () => {
    const strange = 'a $(touch x) "b"';
    mkdirSync(join(repository, strange));
    const { status, stderr } = init(['--ci', 'github'], strange);
    expect([status, stderr]).toEqual([2, expect.stringContaining('cannot be written into a workflow unchanged')]);
    expect(readdirSync(join(repository, strange))).toEqual([]);
  });
});
