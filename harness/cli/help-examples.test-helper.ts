/** An example from a help text. */
export interface Example {
  /** The line as typed. */
  line: string;
  /** The words after the command name, up to another command behind `--`. */
  words: string[];
}

/** The examples of a help text: lines that begin with a prompt, without their comments. */
export function examplesOf(help: string): Example[] {
  return [...help.matchAll(/^ {2}\$ (.+)$/gm)].map(([, text]) => {
    const line = text!.replace(/\s+#.*$/, '');
    const [, called = ''] = /pjrt-conformance(?: (.*?))?(?: (?:\||>|>>|&&) .*)?$/.exec(line) ?? [];
    return {
      line,
      words: called
        .replace(/(?:^| )-- .*$/, '')
        .split(/\s+/)
        .filter(Boolean),
    };
  });
}
