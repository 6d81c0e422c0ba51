/** An example of a help text. */
export interface Example {
  /** The line as one would type it. */
  line: string;
  /** The words after the name of the command. */
  words: string[];
}

/** The examples of a help text: lines that begin with a prompt, without what they say of themselves. */
export function examplesOf(help: string): Example[] {
  return [...help.matchAll(/^ {2}\$ (.+)$/gm)].map(([, text]) => {
    const line = text!.replace(/\s+#.*$/, '');
    const [, called = ''] = /pjrt-conformance(?: (.*?))?(?: (?:\||>|>>|&&) .*)?$/.exec(line) ?? [];
    return { line, words: called.split(/\s+/).filter(Boolean) };
  });
}
