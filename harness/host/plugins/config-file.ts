import { readFile, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { type Document, isMap, isScalar, LineCounter, type Node, parseDocument, type Scalar, visit } from 'yaml';
import { jsonErrorOffset } from '../../base/json-syntax.ts';
import { systemReason } from '../../base/system-reason.ts';
import type { DocumentPath, LocatedYaml } from '../../suite/located-yaml.ts';
import { formatPath, formatProblem, type Position, type SuiteProblem } from '../../suite/problem.ts';
import { errnoOf, messageOf, PluginError } from './plugin-error.ts';

/** A JSON or YAML file parsed with integers as bigint, and the line of each value. */
export type ConfigFile = Pick<LocatedYaml, 'file' | 'value' | 'at' | 'keyAt' | 'problem'>;

const offsetOf = (document: Document, path: DocumentPath, key: boolean): number => {
  const parent = path.length === 0 ? document.contents : document.getIn(path.slice(0, -1), true);
  if (key && isMap(parent)) {
    const pair = parent.items.find((item) => String(item.key) === String(path.at(-1)));
    const range = (pair?.key as Node | undefined)?.range;
    if (range) return range[0];
  }
  const node = (path.length === 0 ? document.contents : document.getIn(path, true)) as Node | undefined | null;
  if (node?.range) return node.range[0];
  return path.length === 0 ? 0 : offsetOf(document, path.slice(0, -1), false);
};

/** The first key that is repeated in its mapping. */
const repeatedKey = (document: Document): Scalar | undefined => {
  let found: Scalar | undefined;
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (isScalar(key) && seen.has(key.value)) found ??= key;
        if (isScalar(key)) seen.add(key.value);
      }
      return found && visit.BREAK;
    },
  });
  return found;
};

/** Parses the text of a configuration file; `.json` must be strict JSON. Throws with `file:line:col`. */
export const parseConfig = (file: string, text: string): ConfigFile => {
  const lines = new LineCounter();
  const place = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const refuse = (offset: number, message: string): PluginError =>
    new ManifestError({ file, position: place(offset), path: '', message });
  const isJson = extname(file) === '.json';
  const document = parseDocument(text, {
    intAsBigInt: true,
    lineCounter: lines,
    prettyErrors: false,
    strict: true,
    // The parser compares each key with all others; see repeatedKey.
    uniqueKeys: false,
    ...(isJson ? { schema: 'json' as const } : {}),
  });
  if (isJson) {
    const offset = jsonErrorOffset(text);
    if (offset !== undefined) {
      const found = offset >= text.length ? 'end of the file' : JSON.stringify(text[offset]);
      throw refuse(offset, `not valid JSON: unexpected ${found}`);
    }
  }
  const problem = document.errors[0];
  if (problem) throw refuse(problem.pos[0], problem.message.trim());
  const repeated = repeatedKey(document);
  if (repeated) throw refuse(repeated.range![0], 'Map keys must be unique');
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    // The parser gives no location: report the first alias, or the whole file for an alias bomb.
    const [, alias] = / alias .*: (.+)$/.exec(messageOf(error)) ?? [];
    const offset = alias === undefined ? 0 : Math.max(0, text.indexOf(`*${alias}`));
    throw refuse(offset, messageOf(error));
  }
  const at = (path: DocumentPath): Position => place(offsetOf(document, path, false));
  return {
    file,
    value,
    at,
    keyAt: (path) => place(offsetOf(document, path, true)),
    problem: (path, message, more) => ({ file, position: at(path), path: formatPath(path), message, ...more }),
  };
};

/** A problem with a manifest; the message has it in one line. */
export class ManifestError extends PluginError {
  readonly problem: SuiteProblem;

  constructor(problem: SuiteProblem) {
    const { expected, got: _, help, ...rest } = problem;
    const more = help === undefined ? expected && `, expected ${expected}` : `; ${help}`;
    super('manifest-invalid', `${formatProblem(rest)}${more ?? ''}`);
    this.problem = problem;
  }
}

/** Reads and parses a configuration file. */
export const readConfig = async (file: string): Promise<ConfigFile> => {
  let text: string;
  try {
    const facts = await stat(file);
    // Reading a device may never end, and opening a pipe may block.
    if (!facts.isFile() && !facts.isDirectory()) throw new Error('not a file');
    text = await readFile(file, 'utf8');
  } catch (error) {
    const errno = errnoOf(error);
    const failed = (code: PluginError['code'], what: string): PluginError =>
      new PluginError(code, `${file}: ${what}`, undefined, { paths: [file] });
    if (errno === 'ENOENT') throw failed('plugin-not-found', 'no such file');
    if (errno === 'EISDIR') throw failed('manifest-invalid', 'is a directory, expected a manifest');
    throw failed('plugin-unreadable', `cannot be read: ${systemReason(error)}`);
  }
  return parseConfig(file, text.replace(/^\uFEFF/, ''));
};
