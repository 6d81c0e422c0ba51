import childProcess from 'node:child_process';
import fs, { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { CommandOutput } from '../command-line/command.ts';
import type { Surface } from './surface.ts';

/** Readers with one defect each, which the fuzzer must detect. */

const GOOD: CommandOutput = { exitCode: 0, stdout: '', stderr: '' };

const refusal = (stderr: string): CommandOutput => ({ exitCode: 2, stdout: '', stderr });

const broken = (
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
  broken(`writes ${name}`, (cwd) => {
    writeFileSync(join(cwd, 'out', name), text);
    return GOOD;
  });

export const SURFACES: readonly Surface[] = [
  broken('is sound', () => GOOD),
  broken('refuses soundly', () => refusal('error: in/a.yaml:1:1: unknown key')),
  broken('throws', () => {
    throw new TypeError('a is undefined');
  }),
  broken('rejects later', () => {
    void Promise.reject(new Error('nobody waits for this'));
    return new Promise((resolve) => setTimeout(resolve, 50, GOOD));
  }),
  broken('shows a stack', () => refusal(`error: in/a.yaml:1: odd\n${new Error('odd').stack}`)),
  broken('says no place', () => refusal('error: in/a.yaml: unknown key')),
  broken('says no file', () => refusal('error: unknown key')),
  broken('says one place of two', () => refusal('error: in/a.yaml:1:1: unknown key\nunknown value')),
  broken('says nothing', () => refusal('')),
  broken('ends oddly', () => ({ ...GOOD, exitCode: 9 })),
  broken('takes the processor', () => {
    for (;;);
  }),
  broken('waits', () => new Promise(() => setInterval(() => {}, 1000))),
  broken('exits', () => process.exit(0)),
  broken('takes all memory', () => {
    const all: unknown[] = [];
    for (;;) all.push(Array(2 ** 24).fill(all.length));
  }),
  broken('starts a process', () => {
    try {
      childProcess.execSync('true');
    } catch {
      // Does not show in what it throws.
    }
    return GOOD;
  }),
  broken('writes beside', (cwd) => {
    writeFileSync(join(cwd, 'beside'), '');
    return GOOD;
  }),
  broken('writes elsewhere, and takes it back', () => {
    const path = join(homedir(), '..', '..', 'pjrt-fuzz-elsewhere');
    writeFileSync(path, '');
    fs.rmSync(path);
    return GOOD;
  }),
  broken('changes the input', (cwd) => {
    writeFileSync(join(cwd, 'in', 'a.yaml'), 'changed');
    return GOOD;
  }),
  broken(
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
  broken('changes all objects', () => {
    (Object.prototype as Record<string, unknown>).polluted = true;
    return GOOD;
  }),
  written('broken.json', '{"a": '),
  written('broken.xml', '<a><b></a>'),
  written('broken.jsonl', '{"type":"footer"}\n'),
  written('report.html.1.tmp', ''),
];
