import { type ByteSource, withFile } from '../../knowledge/binary/byte-source.ts';
import { fileKind, type Host, misfitText, unloadable } from '../../knowledge/binary/file-kind.ts';
import type { PluginFailure, StartProblem } from '../../model/plugin-facts.ts';

/**
 * Why this machine cannot load a file: its format, processor or type. What the loader says of such a file misleads: it
 * looks for a header of ELF in it, or passes over the file as if it was not there.
 */
export function notForHere(file: ByteSource, host: Host): string | undefined {
  const why = unloadable(fileKind(file), host);
  return why && `the file is ${misfitText(why)}`;
}

/** What may be behind the failed load of a library for this machine. */
export const HINTS: Partial<Record<StartProblem, string>> = {
  'undefined-symbol':
    'no library that the plugin is linked with defines it; if it is a function, `--binding lazy` loads the plugin all the same, as frameworks do',
  'missing-version': 'the plugin was built for newer system libraries than these',
  'missing-library':
    'a library that the plugin needs is not where the loader searches: `pjrt-conformance doctor` shows which, and where',
};

/** What the file says about itself, if that is why it does not load; else the loader's message with what may help. */
export function explainLoad(path: string, { message, problem }: PluginFailure): string {
  const why = withFile(path, (file) => notForHere(file, process));
  if (why !== undefined) return `${path}: ${why}`;
  const [first = '', ...more] = message.split('\n');
  const hint = problem && HINTS[problem];
  return [hint === undefined ? first : `${first} (${hint})`, ...more].join('\n');
}
