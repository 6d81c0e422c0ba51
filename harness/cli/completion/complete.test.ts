import { expect, test } from 'vitest';
import { createProgram } from '../program.ts';
import { complete } from './complete.ts';

const { stdout, stderr } = process;
const environment = { cwd: '/', env: {}, argv: [], stdout, stderr, signal: new AbortController().signal };
const program = createProgram(environment, () => {});

test.each<[string, string[], string[]]>([
  ['commands', ['co'], ['words', 'coexist', 'compare', 'compat', 'completion', 'corpus', 'coverage']],
  ['options of the default command', ['--strict'], ['words', '--strict', '--strict-expectations']],
  ['options of a command', ['inspect', '--t'], ['words', '--timeout']],
  ['choices', ['run', '--binding', ''], ['words', 'lazy', 'now']],
  ['a value after =', ['--profile=sm'], ['words', 'smoke']],
  ['suites and what is above them', ['--suite', 'buffers/host-l'], ['words', 'buffers/host-layout']],
  ['requirements', ['list', '--requirement', 'HYG-PRC-00'], ['words', 'HYG-PRC-001']],
  ['report formats', ['--report', 'ma'], ['words', 'markdown']],
  [
    'plugins, and files',
    ['--plugin', 'xla-c'],
    ['files', 'xla-cpu', 'xla-cpu-106', 'xla-cpu-115', 'xla-cuda13', 'xla-cuda13-115'],
  ],
  ['a plugin as an argument', ['doctor', '--no-fetch', 'lib'], ['files', 'libtpu']],
  ['shells', ['completion', ''], ['words', 'bash', 'fish', 'zsh']],
  ['files', ['report', 'x'], ['files']],
  ['runs to compare', ['compare', 'x'], ['files']],
  ['runs of one side', ['compare', '--old', 'x'], ['files']],
  ['a run to compare with', ['--baseline', 'x'], ['files']],
  ['formats of comparisons', ['compare', '--report', 'j'], ['words', 'json', 'junit']],
  ['runs of a trend', ['trend', 'x'], ['files']],
  ['formats of trends', ['trend', '--report', 'h'], ['words', 'html']],
  ['formats to print', ['compare', '--format', 'te'], ['words', 'text']],
  ['frameworks', ['compat', '--needs', 'j'], ['words', 'jax']],
  ['nothing after a number', ['--workers', ''], ['words']],
  ['nothing for words that are only typed', ['--plugin', '$(touch pwned)', '--profile', 'nothing'], ['words']],
])('offers %s', async (_, words, expected) => {
  const { values, files } = await complete(program, words, environment);
  expect([files ? 'files' : 'words', ...values.map(([value]) => value).sort()]).toEqual(expected);
});
