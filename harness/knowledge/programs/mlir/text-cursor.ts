import { ProgramError } from '../program.ts';

/** White space and comments. */
const SPACE = /(?:[ \t\r\n\f\v]+|\/\/[^\n]*)+/y;
const WORD = /[A-Za-z_][\w$.]*/y;
const SYMBOL = /@[A-Za-z_][\w$.]*/y;
const ALIAS = /[!#][A-Za-z_\d][\w$.]*/y;
/** What neither opens, closes nor separates anything, nor begins a string or a comment. */
const PLAIN = /[^"/()[\]{}<>,=-]+/y;
/** The same where only braces count. */
const PLAIN_IN_BRACES = /[^"/{}]+/y;
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' };
/** As deep as brackets nest in what is skipped. */
const DEEPEST = 1000;

/** A place in MLIR text. White space and comments before a token are skipped. */
export class TextCursor {
  pos = 0;
  readonly text: string;
  private readonly file: string;

  constructor(text: string, file: string) {
    this.text = text;
    this.file = file;
  }

  /** Whether only white space and comments are left. */
  get done(): boolean {
    this.match(SPACE);
    return this.pos >= this.text.length;
  }

  /** Whether the text continues with this. */
  at(token: string): boolean {
    this.match(SPACE);
    return this.text.startsWith(token, this.pos);
  }

  /** Reads this if it comes next. */
  accept(token: string): boolean {
    if (!this.at(token)) return false;
    this.pos += token.length;
    return true;
  }

  expect(token: string, what = `'${token}'`): void {
    if (!this.accept(token)) this.fail(what);
  }

  /** A name without quotes, with the dots in it: `func.func`. */
  word(): string | undefined {
    return this.token(WORD);
  }

  /** The word that comes next, which is not read. */
  peekWord(): string | undefined {
    const start = this.pos;
    const word = this.word();
    this.pos = start;
    return word;
  }

  /** A string in quotes, with its escapes resolved. */
  string(): string | undefined {
    this.match(SPACE);
    const start = this.pos;
    return this.skipString() ? unquote(this.text.slice(start, this.pos)) : undefined;
  }

  /** `@name` or `@"name"`, without the sign. */
  symbol(): string | undefined {
    return this.at('@"') && this.accept('@') ? this.string() : this.token(SYMBOL)?.slice(1);
  }

  /** `!name` or `#name`: an alias, or what begins a type or an attribute of a dialect. */
  alias(): string | undefined {
    return this.token(ALIAS);
  }

  /** A regular expression with the flag `y`. */
  token(pattern: RegExp): string | undefined {
    this.match(SPACE);
    return this.match(pattern);
  }

  /** Skips from an opening bracket to the one that closes it; returns what it skipped, brackets included. */
  balanced(open: keyof typeof CLOSING & string): string {
    this.match(SPACE);
    const start = this.pos;
    this.expect(open);
    this.skip(open === '{' ? ['}'] : [CLOSING[open]!], start);
    this.pos += 1;
    return this.text.slice(start, this.pos);
  }

  /** Skips up to one of these characters outside of brackets; returns what it skipped. */
  until(ends: readonly string[]): string {
    this.match(SPACE);
    const start = this.pos;
    this.skip(ends, start);
    return this.text.slice(start, this.pos);
  }

  /** Throws: the text has something other than what was expected. */
  fail(expected: string, pos: number = this.pos): never {
    const { text, file } = this;
    const before = text.slice(0, pos);
    const line = before.split('\n').length;
    const column = pos - before.lastIndexOf('\n');
    const found = text.slice(pos, pos + 100).split('\n')[0]!;
    const shown =
      pos >= text.length ? 'the end of the file' : `'${found.length > 30 ? `${found.slice(0, 30)}…` : found}'`;
    throw new ProgramError(`${file}:${line}:${column}: expected ${expected}, found ${shown}`);
  }

  /** Constants can be strings of many megabytes, too long for a regular expression. */
  private skipString(): boolean {
    const { text } = this;
    if (text[this.pos] !== '"') return false;
    for (let end = this.pos; ; ) {
      end = text.indexOf('"', end + 1);
      if (end < 0) this.fail('a string that ends');
      let escapes = 0;
      while (text[end - 1 - escapes] === '\\') escapes += 1;
      if (escapes % 2 === 0) {
        this.pos = end + 1;
        return true;
      }
    }
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.pos;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.pos += found.length;
    return found;
  }

  /**
   * To one of the ends outside of brackets. Inside braces of a region `<` and `>` are not brackets: only attributes and types
   * have them in pairs, and braces are what a region is closed by.
   */
  private skip(ends: readonly string[], start: number): void {
    const { text } = this;
    const braces = ends.length === 1 && ends[0] === '}';
    const open: string[] = [];
    while (this.pos < text.length) {
      if (this.match(braces ? PLAIN_IN_BRACES : PLAIN) !== undefined || this.match(SPACE) !== undefined) continue;
      const char = text[this.pos]!;
      if (open.length === 0 && ends.includes(char) && !(char === '>' && this.inOperator())) return;
      if (this.skipString()) continue;
      if (braces ? char === '{' : CLOSING[char] !== undefined) {
        if (open.length === DEEPEST) this.fail(`at most ${DEEPEST} nested brackets`);
        open.push(CLOSING[char]!);
      } else if (char === open.at(-1) && !(char === '>' && this.inOperator())) open.pop();
      this.pos += 1;
    }
    this.fail(ends.map((end) => `'${end}'`).join(' or '), this.pos >= text.length ? start : this.pos);
  }

  /** Whether the `>` here belongs to `->` or `>=`. */
  private inOperator(): boolean {
    return this.text[this.pos - 1] === '-' || this.text[this.pos + 1] === '=';
  }
}

/** The text of a string in quotes. MLIR escapes as `\n`, `\t`, `\\`, `\"` and two hexadecimal digits. */
export function unquote(quoted: string): string {
  const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', '\\': '\\', '"': '"' };
  return quoted
    .slice(1, -1)
    .replace(/\\([0-9A-Fa-f]{2}|.)/gs, (_, code: string) =>
      code.length === 2 ? String.fromCharCode(Number.parseInt(code, 16)) : (escapes[code] ?? code),
    );
}
