import { closeSync, openSync, readSync } from 'node:fs';
import { bytesInMemory } from '../../knowledge/binary/byte-source.ts';
import { fileKind, type Host, misfitText, unloadable } from '../../knowledge/binary/file-kind.ts';
import type { PluginFailure, StartProblem } from '../../model/plugin-facts.ts';

/**
 * Says what may be behind a failed load, from the beginning of the file (64 bytes or more) and what the loader says.
 * @returns undefined where the message says everything
 */
export function loadHint(problem: StartProblem | undefined, head: Uint8Array, host: Host): string | undefined {
  const why = unloadable(fileKind(bytesInMemory(head)), host);
  if (why !== undefined) return `the file is ${misfitText(why)}`;
  return problem && HINTS[problem];
}

const HINTS: Partial<Record<StartProblem, string>> = {
  'undefined-symbol':
    'no library that the plugin is linked with defines it; if it is a function, `--binding lazy` loads the plugin all the same, as frameworks do',
  'missing-version': 'the plugin was built for newer system libraries than these',
  'missing-library':
    'a library that the plugin needs is not where the loader searches: `pjrt-conformance doctor` shows which, and where',
};

/** The loader's message with what the file says about itself. */
export function explainLoad(path: string, { message, problem }: PluginFailure): string {
  const head = Buffer.alloc(64);
  const fd = openSync(path, 'r');
  const length = readSync(fd, head);
  closeSync(fd);
  const [first = '', ...more] = message.split('\n');
  const hint = loadHint(problem, head.subarray(0, length), process);
  return [hint === undefined ? first : `${first} (${hint})`, ...more].join('\n');
}
