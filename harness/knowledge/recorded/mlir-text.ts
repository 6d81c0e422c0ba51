/** The text of an MLIR module as tokens: enough to find functions, operations and constants, and no more. */

/** What a token is: a value (`%0#1`), a symbol (`@main`), a string, a word (also numbers), or one character. */
type TokenKind = 'value' | 'symbol' | 'string' | 'word' | 'character';

/** A piece of the text. */
export interface Token {
  kind: TokenKind;
  start: number;
  end: number;
  /** Whether only spaces are before it on its line. */
  first: boolean;
  /** Of a bracket: the index of the token that closes or opens it. */
  partner: number;
}

/** A text that is not understood: where, and what was expected there. */
export class RecordedModuleError extends Error {
  override name = 'RecordedModuleError';

  constructor(file: string, line: number, message: string) {
    super(`${file}:${line}: ${message}`);
  }
}

const OPENING = '([{<';
const CLOSING = ')]}>';

/** Words: operations with their dialect, types such as `20x20xf32`, attributes, block labels, numbers. */
const WORD = /[A-Za-z0-9_.$#!^-]/;
const VALUE = /%(?:\d+|[A-Za-z_$.-][\w$.-]*)(?:#\d+)?/y;
const SYMBOL = /@(?:[A-Za-z_][\w$.-]*|"(?:[^"\\]|\\.)*")/y;

/** The text of a module, its tokens, and how they are nested. */
export class MlirText {
  readonly file: string;
  readonly text: string;
  readonly tokens: Token[] = [];
  readonly #firstLine: number;

  /** @param firstLine line of the file where the text begins @throws RecordedModuleError */
  constructor(text: string, file: string, firstLine = 1) {
    this.file = file;
    this.text = text;
    this.#firstLine = firstLine;
    this.#scan();
    this.#match();
  }

  /** What the text says at a token. */
  of(index: number): string {
    const token = this.tokens[index];
    return token ? this.text.slice(token.start, token.end) : '';
  }

  /** Whether a token reads so. Cheaper than `of`: constants of megabytes are tokens too. */
  is(index: number, text: string): boolean {
    const token = this.tokens[index];
    return token !== undefined && token.end - token.start === text.length && this.text.startsWith(text, token.start);
  }

  /** Line of the file, from 1. */
  lineAt(position: number): number {
    let line = this.#firstLine;
    for (let at = this.text.indexOf('\n'); at >= 0 && at < position; at = this.text.indexOf('\n', at + 1)) line++;
    return line;
  }

  /** The error for what is not understood at a token. */
  error(index: number, message: string): RecordedModuleError {
    const token = this.tokens[index];
    return new RecordedModuleError(this.file, this.lineAt(token?.start ?? this.text.length), message);
  }

  /** The error for a token that should be something else. */
  expected(index: number, what: string): RecordedModuleError {
    const got = index < this.tokens.length ? JSON.stringify(this.of(index).slice(0, 40)) : 'the end';
    return this.error(index, `expected ${what}, got ${got}`);
  }

  #scan(): void {
    const { text, tokens } = this;
    let first = true;
    let at = 0;
    const add = (kind: TokenKind, end: number): void => {
      tokens.push({ kind, start: at, end, first, partner: -1 });
      first = false;
      at = end;
    };
    while (at < text.length) {
      const c = text[at]!;
      if (c === '\n') {
        first = true;
        at++;
      } else if (c === ' ' || c === '\t' || c === '\r') at++;
      else if (c === '/' && text[at + 1] === '/') {
        const end = text.indexOf('\n', at);
        at = end < 0 ? text.length : end;
      } else if (c === '"') add('string', this.#endOfString(at));
      else if (c === '%') add('value', this.#endOf(VALUE, at, 'a value such as %0'));
      else if (c === '@') add('symbol', this.#endOf(SYMBOL, at, 'a symbol such as @main'));
      else if (c === '-' && text[at + 1] === '>') add('word', at + 2);
      else if (c === '>' && text[at + 1] === '=') add('word', at + 2);
      else if (WORD.test(c)) add('word', this.#endOfWord(at));
      else add('character', at + 1);
    }
  }

  #endOfString(at: number): number {
    for (let end = this.text.indexOf('"', at + 1); end >= 0; end = this.text.indexOf('"', end + 1)) {
      let slashes = 0;
      while (this.text[end - 1 - slashes] === '\\') slashes++;
      if (slashes % 2 === 0) return end + 1;
    }
    throw new RecordedModuleError(this.file, this.lineAt(at), 'a string that does not end');
  }

  #endOf(pattern: RegExp, at: number, what: string): number {
    pattern.lastIndex = at;
    if (!pattern.test(this.text)) throw new RecordedModuleError(this.file, this.lineAt(at), `expected ${what}`);
    return pattern.lastIndex;
  }

  /** A word ends before an arrow: `f32->f32`. */
  #endOfWord(at: number): number {
    let end = at + 1;
    while (end < this.text.length && WORD.test(this.text[end]!)) {
      if (this.text[end] === '-' && this.text[end + 1] === '>') break;
      end++;
    }
    return end;
  }

  #match(): void {
    const open: number[] = [];
    for (const [i, token] of this.tokens.entries()) {
      if (token.kind !== 'character') continue;
      const c = this.text[token.start]!;
      if (OPENING.includes(c)) open.push(i);
      else if (CLOSING.includes(c)) {
        const from = open.pop();
        const wanted = from === undefined ? undefined : CLOSING[OPENING.indexOf(this.text[this.tokens[from]!.start]!)];
        if (from === undefined || wanted !== c)
          throw this.expected(i, wanted ? JSON.stringify(wanted) : 'no closing bracket');
        token.partner = from;
        this.tokens[from]!.partner = i;
      }
    }
    if (open.length > 0) throw this.error(open.at(-1)!, `${JSON.stringify(this.of(open.at(-1)!))} is not closed`);
  }

  /** The token after this one, or after what this one opens. */
  next(index: number): number {
    const { partner } = this.tokens[index]!;
    return partner > index ? partner + 1 : index + 1;
  }
}

/** Part of a file between lines `// -----`, as MLIR's tools split it. */
export interface Section {
  text: string;
  /** Line of the file where it begins. */
  line: number;
}

/** The modules in a file. */
export function sectionsOf(text: string): Section[] {
  const sections: Section[] = [];
  let from = 0;
  let line = 1;
  for (const { 0: separator, index } of text.matchAll(/^\/\/ -----.*$/gm)) {
    sections.push({ text: text.slice(from, index), line });
    line += lineEnds(text, from, index + separator.length);
    from = index + separator.length;
  }
  sections.push({ text: text.slice(from), line });
  return sections;
}

function lineEnds(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
