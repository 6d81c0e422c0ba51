import type { Output } from './environment.ts';
import { redact } from './redact.ts';

// Some readers compare texts without format characters and marks.
const UNSEEN = String.raw`\p{Cf}\p{Mn}`;

/** `##[group]`, `##vso[…]`, `##teamcity[…]`: Azure Pipelines, TeamCity and GitHub find them anywhere in a line. */
const BRACKETS = new RegExp(String.raw`(#[${UNSEEN}]*#[${UNSEEN}\w]*)(?=\[)`, 'gu');
/** Sections of GitLab and Travis CI. */
const SECTIONS = /(section_(?:start|end)|travis_(?:fold|time))(?=:)/g;
/** `::error::` of GitHub, at the beginning of a line. */
const COLONS = new RegExp(String.raw`^((?:\x1b\[[\d;?]*[A-Za-z]|[^\S\r\n]|[${UNSEEN}])*:[${UNSEEN}]*)(?=:)`, 'gmu');
/** Groups of Buildkite. */
const GROUPS = /^(---|\+\+\+|~~~|\^\^\^)(?=[ \t])/gm;

/** A text in which no CI system that reads the output finds a command. The marks stay, but no longer whole. */
export const withoutCommands = (text: string): string =>
  text.replace(BRACKETS, '$1 ').replace(SECTIONS, '$1 ').replace(COLONS, '$1 ').replace(GROUPS, '$1|');

/** More of a line than any command has before its text. */
const LONGEST_MARK = 64;

/** The streams of the command: whatever is written, no credential is shown, and no CI system obeys the text of a plugin. */
export class GuardedOutput implements Output {
  readonly #stream: Output;
  /** What the current line has so far. */
  #line = '';

  constructor(stream: Output) {
    this.#stream = stream;
  }

  get isTTY(): boolean {
    return this.#stream.isTTY === true;
  }

  get columns(): number | undefined {
    return this.#stream.columns;
  }

  write(text: string): unknown {
    // A mark may be written in pieces. It is never changed before its last character, so what was written stands.
    const all = this.#line + redact(text);
    const before = withoutCommands(this.#line).length;
    const line = all.slice(all.lastIndexOf('\n') + 1);
    this.#line = line.length > LONGEST_MARK ? `…${line.slice(-LONGEST_MARK)}` : line;
    return this.#stream.write(withoutCommands(all).slice(before));
  }

  /** Writes a line that the CI system is to obey. */
  command(line: string): unknown {
    return this.#stream.write(`${redact(line)}\n`);
  }
}
