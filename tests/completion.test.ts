import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import { quietEnvironment } from './support/cli.ts';

const MAIN = packagePath('dist', 'cli', 'main.js');

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-completion-'));
  const tool = join(directory, 'pjrt-conformance');
  writeFileSync(tool, `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
  chmodSync(tool, 0o755);
  writeFileSync(join(directory, 'pjrt-plugin-foo.so'), '');
  writeFileSync(join(directory, 'notes.txt'), '');
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const environment = (): NodeJS.ProcessEnv => ({
  ...quietEnvironment(),
  PATH: `${directory}${delimiter}${process.env.PATH}`,
  HOME: directory,
  TERM: 'dumb',
});

const installed = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0;

/** Output of a shell when these keys are typed. script(1) provides a terminal, which the line editor needs. */
function typedAt(shell: string, keys: string): string {
  const { stdout, error } = spawnSync('script', ['-qec', shell, '/dev/null'], {
    cwd: directory,
    encoding: 'utf8',
    input: `${keys}exit\n`,
    env: environment(),
  });
  if (error) throw new Error('this test needs script(1) of util-linux', { cause: error });
  return stdout;
}

/** Replaces the tool after completion: prints the arguments that it would have been called with. */
const SAY = `pjrt-conformance() { if [ "$1" = complete ]; then command pjrt-conformance "$@"; else echo "ran:$*"; fi; }\n`;

describe('bash', () => {
  /** Completions by bash of lines after TAB; one process for all. */
  const completed = (lines: readonly string[], breaks = ' \t\n"><=;|&(:'): string[][] => {
    const script = `
      source <(pjrt-conformance completion bash) || exit 9
      COMP_WORDBREAKS=$BREAKS
      for COMP_LINE; do
        COMP_POINT=\${#COMP_LINE}
        _pjrt_conformance
        printf '%s\\n' "\${COMPREPLY[@]}" --
      done`;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script, 'bash', ...lines], {
      cwd: directory,
      encoding: 'utf8',
      env: { ...environment(), BREAKS: breaks },
    });
    expect(stderr).toBe('');
    return stdout
      .split('--\n')
      .slice(0, -1)
      .map((part) => part.split('\n').filter(Boolean).sort());
  };

  test('replaces only what follows a : or =, offers files, and executes nothing in the line', () => {
    expect(
      completed([
        'pjrt-conformance insp',
        'pjrt-conformance --tests errors/contract:leak-',
        'pjrt-conformance --profile=sm',
        'pjrt-conformance --plugin=./no',
        'pjrt-conformance --plugin $(touch${IFS}pwned) --plugin `touch pwned` --plugin ./p',
      ]),
    ).toEqual([
      ['inspect'],
      ['leak-of-contexts'],
      ['smoke'],
      ['./notes.txt'],
      ['./pjrt-conformance', './pjrt-plugin-foo.so'],
    ]);
  });

  test('completes whole words if the user has removed : and = from the word breaks', () => {
    expect(
      completed(['pjrt-conformance --tests errors/contract:leak-', 'pjrt-conformance --profile=sm'], ' \t\n'),
    ).toEqual([['errors/contract:leak-of-contexts'], ['--profile=smoke']]);
  });

  test('is called by readline itself: TAB in a terminal', () => {
    const typed = `pjrt-conformance insp\t--no-f\t./pjrt-pl\t\n`;
    const rc = join(directory, 'rc');
    writeFileSync(rc, `source <(pjrt-conformance completion bash)\nPS1=\n${SAY}`);
    expect(typedAt(`bash --rcfile ${rc} -i`, typed)).toContain('ran:inspect --no-fetch ./pjrt-plugin-foo.so');
  });
});

test.skipIf(!installed('zsh'))('zsh (where it is installed): TAB in a terminal', () => {
  writeFileSync(
    join(directory, '.zshrc'),
    `autoload -U compinit && compinit -u -D\nsource <(pjrt-conformance completion zsh)\nPS1=\n${SAY}`,
  );
  const typed =
    'pjrt-conformance insp\t--no-f\t./pjrt-pl\t\npjrt-conformance --tests errors/contract:leak-\t--profile=sm\t\n';
  const printed = typedAt('zsh -i', typed);
  expect(printed).toContain('ran:inspect --no-fetch ./pjrt-plugin-foo.so');
  expect(printed).toContain('ran:--tests errors/contract:leak-of-contexts --profile=smoke');
});

test.skipIf(!installed('fish'))('fish (where it is installed)', () => {
  const completed = (line: string): string[] => {
    const script = `pjrt-conformance completion fish | source; complete -C '${line}'`;
    const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', script], {
      cwd: directory,
      encoding: 'utf8',
      env: environment(),
    });
    expect(stderr).toBe('');
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((found) => found.split('\t')[0]!);
  };
  expect(completed('pjrt-conformance insp')).toEqual(['inspect']);
  expect(completed('pjrt-conformance --profile=sm')).toEqual(['--profile=smoke']);
  expect(completed('pjrt-conformance --plugin ./pjrt-pl')).toEqual(['./pjrt-plugin-foo.so']);
});
