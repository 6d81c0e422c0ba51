import childProcess from 'node:child_process';
import fs, { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { CommandOutput } from '../command-line/command.ts';
import type { Surface } from './surface.ts';

/** Readers with one defect each, which the fuzzer must detect. */

const GOOD: CommandOutput = { exitCode: 0, stdout: '', stderr: '' };

const refusal = (stderr: string): CommandOutput => ({ exitCode: 2, stdout: '', stderr });

const invalid = (
  name: string,
  read: (cwd: string) => CommandOutput | Promise<CommandOutput>,
  more: Partial<Surface> = {},
): Surface => ({
  name,
  file: 'a.yaml',
  syntax: 'yaml',
  corpus: () => [Buffer.from('a: 1\n')],
  args: [],
  read: async (cwd) => read(cwd),
  ...more,
});

const written = (name: string, text: string): Surface =>
  invalid(`writes ${name}`, (cwd) => {
    writeFileSync(join(cwd, 'out', name), text);
    return GOOD;
  });

export const SURFACES: readonly Surface[] = [
  invalid('is valid', () => GOOD),
  invalid('refuses properly', () => refusal('error: in/a.yaml:1:1: unknown key')),
  invalid('throws', () => {
    throw new TypeError('a is undefined');
  }),
  invalid('rejects later', () => {
    void Promise.reject(new Error('nobody waits for this'));
    return new Promise((resolve) => setTimeout(resolve, 50, GOOD));
  }),
  invalid('shows a stack', () => refusal(`error: in/a.yaml:1: odd\n${new Error('odd').stack}`)),
  invalid('says no place', () => refusal('error: in/a.yaml: unknown key')),
  invalid('says no file', () => refusal('error: unknown key')),
  invalid('says one place of two', () => refusal('error: in/a.yaml:1:1: unknown key\nunknown value')),
  invalid('says nothing', () => refusal('')),
  invalid('ends oddly', () => ({ ...GOOD, exitCode: 9 })),
  invalid('takes the processor', () => {
    for (;;);
  }),
  invalid('waits', () => new Promise(() => setInterval(() => {}, 1000))),
  invalid('exits', () => process.exit(0)),
  invalid('takes all memory', () => {
    const all: unknown[] = [];
    for (;;) all.push(Array(2 ** 24).fill(all.length));
  }),
  invalid('starts a process', () => {
    try {
      childProcess.execSync('true');
    } catch {
      // Does not show in what it throws.
    }
    return GOOD;
  }),
  invalid('writes beside', (cwd) => {
    writeFileSync(join(cwd, 'beside'), '');
    return GOOD;
  }),
  invalid('writes elsewhere, and takes it back', () => {
    const path = join(homedir(), '..', '..', 'pjrt-fuzz-elsewhere');
    writeFileSync(path, '');
    fs.rmSync(path);
    return GOOD;
  }),
  invalid('changes the input', (cwd) => {
    writeFileSync(join(cwd, 'in', 'a.yaml'), 'changed');
    return GOOD;
  }),
  invalid(
    'changes the log that it refuses',
    (cwd) => {
      writeFileSync(join(cwd, 'in', 'a.yaml'), 'changed');
      return refusal('error: in/a.yaml:1: torn');
    },
    {
      places: (_, cwd) => [join(cwd, 'in')],
      after: (input, now) => (now.equals(input) ? undefined : 'the log was changed'),
    },
  ),
  invalid('changes all objects', () => {
    (Object.prototype as Record<string, unknown>).polluted = true;
    return GOOD;
  }),
  written('invalid.json', '{"a": '),
  written('invalid.xml', '<a><b></a>'),
  written('invalid.jsonl', '{"type":"footer"}\n'),
  written('report.html.1.tmp', ''),
];
