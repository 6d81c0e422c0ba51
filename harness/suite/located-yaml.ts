import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml';
import { formatPath, type Position, type SuiteProblem } from './problem.ts';

/** Keys and indices from the root of a document. */
export type DocumentPath = readonly (string | number)[];

/** A YAML document as plain data, with the location of every value and key. */
export interface LocatedYaml {
  file: string;
  value: unknown;
  problems: SuiteProblem[];
  /** Location of the value at a path; of the nearest enclosing value if there is none. */
  at(path: DocumentPath): Position;
  /** Location of the key at the end of a path. */
  keyAt(path: DocumentPath): Position;
  /** A problem with the value at a path. */
  problem(path: DocumentPath, message: string, more?: Partial<SuiteProblem>): SuiteProblem;
  /** A plain scalar as written, because numbers lose `1.0` and `0.70`; undefined for anything else. */
  source(path: DocumentPath): string | undefined;
}

const MAX_DEPTH = 64;

/** Parses a YAML 1.2 document and reports what YAML allows but a suite must not contain. Never throws. */
export function parseYaml(text: string, file: string): LocatedYaml {
  const lines = new LineCounter();
  const reader = new Reader(file, lines);
  let documents: Document.Parsed[] = [];
  try {
    const parsed = parseAllDocuments(text, {
      lineCounter: lines,
      version: '1.2',
      prettyErrors: false,
      // The parser compares each key with all others; see readMap.
      uniqueKeys: false,
    });
    documents = [...parsed] as Document.Parsed[];
  } catch (error) {
    // The parser is recursive: extreme nesting exhausts the stack.
    reader.report([], 0, `cannot be parsed as YAML (${(error as Error).message})`);
  }
  const [first, second] = documents;
  const reportedLines = new Set<number>();
  for (const { code, message, pos } of documents.flatMap((d) => [...d.errors, ...d.warnings])) {
    // Errors after the first of a line are mostly consequences.
    const { line } = reader.place(pos[0]);
    if (reportedLines.has(line)) continue;
    reportedLines.add(line);
    reader.reportSyntax(pos[0], message, indexHelp(text, pos[0]) ?? YAML_HELP[code]);
  }
  if (first?.directives?.yaml.explicit && first.directives.yaml.version !== '1.2') {
    reader.report([], 0, `YAML ${first.directives.yaml.version} is not supported`, {
      expected: 'YAML 1.2, without a directive',
    });
  }
  if (second) reader.report([], second.range[0], 'a second YAML document', { expected: 'one document per file' });
  let value: unknown;
  if (first?.contents) {
    try {
      value = reader.read(first.contents, [], 0);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      reader.report([], 0, 'nested too deeply');
    }
  }
  const at = (path: DocumentPath): Position => reader.position(reader.values, path);
  return {
    file,
    value,
    problems: reader.problems,
    at,
    problem: (path, message, more) => ({ file, position: at(path), path: formatPath(path), message, ...more }),
    keyAt: (path) => (reader.keys.has(keyOf(path)) ? reader.position(reader.keys, path) : at(path)),
    source: (path) => reader.sources.get(keyOf(path)),
  };
}

const YAML_HELP: Partial<Record<string, string>> = {
  TAB_AS_INDENT: 'indent with spaces',
  BAD_INDENT: 'indent with spaces, the same number for all keys of a mapping',
};

/** `{on: $devices[1]}` is not YAML: brackets end a plain word inside braces. */
function indexHelp(text: string, offset: number): string | undefined {
  const reference = /\$\w+$/.exec(text.slice(Math.max(0, offset - 60), offset))?.[0];
  const index = /^\[\d+\]/.exec(text.slice(offset, offset + 12))?.[0];
  return reference && index ? `inside {} and [] write it in quotes: "${reference}${index}"` : undefined;
}

const PLAIN_TAGS = ['map', 'seq', 'str', 'int', 'float', 'bool', 'null'].map((name) => `tag:yaml.org,2002:${name}`);

const keyOf = (path: DocumentPath): string => JSON.stringify(path);

class Reader {
  readonly problems: SuiteProblem[] = [];
  readonly values = new Map<string, number>();
  readonly keys = new Map<string, number>();
  readonly sources = new Map<string, string>();
  readonly file: string;
  readonly lines: LineCounter;

  constructor(file: string, lines: LineCounter) {
    this.file = file;
    this.lines = lines;
  }

  report(path: DocumentPath, offset: number, message: string, rest: Partial<SuiteProblem> = {}): void {
    this.problems.push({ file: this.file, position: this.place(offset), path: formatPath(path), message, ...rest });
  }

  /** The text is no YAML here. */
  reportSyntax(offset: number, message: string, help: string | undefined): void {
    this.report([], offset, `not valid YAML: ${message}`, { kind: 'syntax', help });
  }

  place(offset: number): Position {
    const { line, col } = this.lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }

  position(from: Map<string, number>, path: DocumentPath): Position {
    const own = from.get(keyOf(path));
    if (own !== undefined) return this.place(own);
    for (let length = path.length; length >= 0; length--) {
      const offset = this.values.get(keyOf(path.slice(0, length)));
      if (offset !== undefined) return this.place(offset);
    }
    return this.place(0);
  }

  read(node: unknown, path: DocumentPath, depth: number): unknown {
    if (node === null || node === undefined) return null;
    const { range, tag, anchor } = node as Node & { anchor?: string };
    const offset = range?.[0] ?? 0;
    this.values.set(keyOf(path), offset);
    if (depth > MAX_DEPTH) {
      this.report(path, offset, `nested more than ${MAX_DEPTH} levels deep`);
      return null;
    }
    if (isAlias(node) || anchor !== undefined) {
      this.report(path, offset, 'YAML anchors and aliases are not part of the language', {
        help: 'share values with `sets`, share settings with `defaults`',
      });
      if (isAlias(node)) return null;
    }
    if (tag !== undefined && !PLAIN_TAGS.includes(tag)) {
      this.report(path, offset, `YAML tag ${tag} is not part of the language`);
    }
    if (isMap(node)) return this.readMap(node, path, depth);
    if (isSeq(node)) return node.items.map((item, index) => this.read(item, [...path, index], depth + 1));
    if (isScalar(node)) {
      if (node.type === 'PLAIN' && typeof node.value !== 'string') this.sources.set(keyOf(path), node.source ?? '');
      if (node.type === 'PLAIN' && this.checkPlain(node.source ?? '', node.value, path, offset))
        return node.source ?? '';
      return typeof node.value === 'bigint' ? Number(node.value) : node.value;
    }
    return null;
  }

  private readMap(node: { items: { key: unknown; value: unknown }[] }, path: DocumentPath, depth: number): unknown {
    const result: Record<string, unknown> = {};
    for (const { key, value } of node.items) {
      const offset = (key as Node | null)?.range?.[0] ?? this.values.get(keyOf(path)) ?? 0;
      if (!isScalar(key) || typeof key.value !== 'string') {
        // A flow list such as {[2, 3]}, or a number, is never valid as a key.
        this.report(path, offset, 'a key must be a name', {
          got: isScalar(key) ? String(key.source ?? key.value) : 'a list or mapping',
        });
        continue;
      }
      const name = key.value;
      const inner = [...path, name];
      this.keys.set(keyOf(inner), offset);
      if (name === '<<') {
        this.report(inner, offset, 'YAML merge keys are not part of the language', {
          help: 'share settings with `defaults`',
        });
      } else if (name === '__proto__') {
        this.report(inner, offset, 'unknown key "__proto__"');
      } else if (Object.hasOwn(result, name)) {
        this.reportSyntax(offset, 'Map keys must be unique', 'remove or rename one of the two');
      } else {
        result[name] = this.read(value, inner, depth + 1);
        if (!this.values.has(keyOf(inner))) this.values.set(keyOf(inner), offset);
      }
    }
    return result;
  }

  /**
   * Plain words that YAML reads as numbers with a meaning other than most readers expect, or with a loss of digits. True if
   * reported.
   */
  private checkPlain(source: string, value: unknown, path: DocumentPath, offset: number): boolean {
    if (typeof value !== 'number') return false;
    const before = this.problems.length;
    const say = (message: string, help: string): void => this.report(path, offset, message, { got: source, help });
    if (Number.isNaN(value)) say('unquoted YAML NaN', 'write "nan", with the quotes');
    else if (!Number.isFinite(value)) {
      say(
        /inf/i.test(source) ? 'unquoted YAML infinity' : 'number too large for a double',
        'write "inf" or "-inf", with the quotes',
      );
    } else if (/^[-+]?0[xob]/i.test(source)) {
      say('hexadecimal or octal number', `write ${value}, or quote it if bits are meant`);
    } else if (/^[-+]?0[0-9]/.test(source)) {
      say('number with a leading zero', `write ${value}, or quote it`);
    } else if (Object.is(value, -0)) {
      say('unquoted negative zero', 'write "-0", with the quotes');
    } else if (!/[.eE]/.test(source) && !Number.isSafeInteger(value)) {
      say('integer that a double cannot represent exactly', `write "${source}", with the quotes`);
    }
    return this.problems.length > before;
  }
}
