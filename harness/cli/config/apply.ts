import { isAbsolute, relative, resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { parseOptionArgument } from '../../host/plugins/options.ts';
import { PluginError } from '../../host/plugins/plugin-error.ts';
import { looksLikePath, splitNamedPath } from '../../host/plugins/plugin-name.ts';
import type { DocumentPath, LocatedYaml } from '../../suite/located-yaml.ts';
import { type SuiteProblem, show, throwIfAny } from '../../suite/problem.ts';
import { CONFIG_KEYS, type ConfigKey } from './keys.ts';
import { type Slot, slotOf } from './slot.ts';

/** What a command took from the configuration file. */
export interface ConfigUse {
  /** Path as the user would type it. */
  file: string;
  /** Keys that took effect. */
  keys: string[];
  /** Keys that do not apply because the command line names another plugin. */
  leftOut: string[];
}

/** The options that came from the file. */
export type ConfigPlaces = Map<string, ConfigPlace>;

interface ConfigPlace {
  /** `file:line:column`. */
  place: string;
  /** The paths from the file, as the command has them. */
  paths: string[];
}

/** Base of paths in the file, and the working directory of the command. */
interface Places {
  directory: string;
  cwd: string;
}

/**
 * Adds the options and arguments of the file that the command line does not give. Values go through the parsers of the
 * options, so that both are read alike.
 * @throws SuiteError with the location of every value that an option rejects
 */
export function applyConfig(
  command: Command,
  document: LocatedYaml,
  places: Places,
): { use: ConfigUse; from: ConfigPlaces } {
  const use: ConfigUse = { file: document.file, keys: [], leftOut: [] };
  const from: ConfigPlaces = new Map();
  const problems: SuiteProblem[] = [];
  for (const [name, entry] of Object.entries(CONFIG_KEYS)) {
    const slot = slotOf(command, name);
    const path = entry.key.split('.');
    const value = slot && valueAt(document.value, path);
    if (!slot || value === undefined) continue;
    // Options written for one plugin must never be applied to another.
    const another = slotOf(command, 'plugin')?.given && valueAt(document.value, ['plugin']) !== undefined;
    if (entry.form === 'options' && another) {
      use.leftOut.push(entry.key);
      continue;
    }
    if (entry.form === undefined && slot.given) continue;
    const source: Source = { value, path, document, places };
    try {
      slot.set(fromFile(entry, slot, source));
      use.keys.push(entry.key);
      const { line, column } = document.at(path);
      const paths = entry.path ? [slot.value()].flat().filter((one) => typeof one === 'string') : [];
      from.set(name, { place: `${document.file}:${line}:${column}`, paths });
    } catch (error) {
      if (!(error instanceof Misfit)) throw error;
      problems.push(document.problem(error.path, error.message, { got: show(valueAt(document.value, error.path)) }));
    }
  }
  throwIfAny(problems);
  return { use, from };
}

/** A value of the file and its location. */
interface Source {
  value: unknown;
  path: DocumentPath;
  document: LocatedYaml;
  places: Places;
}

/** A value that its option rejects. */
class Misfit extends Error {
  readonly path: DocumentPath;

  constructor(path: DocumentPath, message: string) {
    super(message);
    this.path = path;
  }
}

/** The value of an option or argument, merged from the file and the command line. */
function fromFile(entry: ConfigKey, slot: Slot, source: Source): unknown {
  const given = slot.given ? (slot.value() as string[]) : [];
  if (entry.form === 'options') return createOptions(source, given);
  refuseLineEnds(source.value, source.path);
  if (entry.form === 'reports') return [...reportArguments(source), ...given];
  const { value, path, document, places } = source;
  if (typeof value === 'boolean') return value;
  const texts = Array.isArray(value) ? value.map(String) : [document.source(path) ?? String(value)];
  const { parse } = slot;
  try {
    const words = entry.path ? texts.map((text) => placed(entry, text, places)) : texts;
    return parse ? words.reduce<unknown>((previous, text) => parse(text, previous), undefined) : words[0];
  } catch (error) {
    throw error instanceof InvalidArgumentError ? new Misfit(path, error.message) : error;
  }
}

/** Names, patterns and paths have no line ends. A YAML block adds one by mistake, which would break messages across lines. */
function refuseLineEnds(value: unknown, path: DocumentPath): void {
  if (typeof value === 'string' && /[\r\n]/.test(value))
    throw new Misfit(path, 'contains a line break, expected one line');
  if (typeof value !== 'object' || value === null) return;
  for (const [key, element] of Object.entries(value)) {
    refuseLineEnds(element, [...path, Array.isArray(value) ? Number(key) : key]);
  }
}

function valueAt(root: unknown, path: DocumentPath): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], root);
}

/** A path of the file as the command line would give it. */
function pathFrom(text: string, { directory, cwd }: Places): string {
  if (directory === cwd || isAbsolute(text) || text.startsWith('~/')) return text;
  const path = relative(cwd, resolve(directory, text)) || '.';
  return path.includes('/') || path === '.' ? path : `./${path}`;
}

function pluginFrom(spec: string, places: Places): string {
  const named = splitNamedPath(spec);
  if (named) return `${named.name}=${pathFrom(named.path, places)}`;
  return looksLikePath(spec) ? pathFrom(spec, places) : spec;
}

const placed = (entry: ConfigKey, text: string, places: Places): string =>
  entry.key === 'plugin' ? pluginFrom(text, places) : pathFrom(text, places);

const reportArguments = ({ value, path, places }: Source): string[] =>
  Object.entries(value as Record<string, boolean | string>).map(([format, file]) => {
    if (file === false) throw new Misfit([...path, format], 'remove the line to omit the report');
    return file === true ? format : `${format}=${pathFrom(file, places)}`;
  });

/** Create options as `--option` takes them; those of the command line precede those with the same name. */
function createOptions({ value, path, document }: Source, given: readonly string[]): string[] {
  const taken = new Set(given.map((argument) => parseOptionArgument(argument).name));
  const entries = Object.entries(value as Record<string, unknown>).filter(([name]) => !taken.has(name));
  const written = entries.map(([name, element]) => {
    const at = [...path, name];
    try {
      return optionArgument(name, element, document.source(at));
    } catch (error) {
      // Without the argument, which the user has never seen.
      throw error instanceof PluginError ? new Misfit(at, error.parts?.what ?? error.message) : error;
    }
  });
  return [...written, ...given];
}

function optionArgument(name: string, value: unknown, source: string | undefined): string {
  if (Array.isArray(value)) return `${name}:int64_list=${value.join(',')}`;
  const plain = `${name}=${source ?? String(value)}`;
  // Quoted text stays text even if it looks like a number; an integer that is too long is detected here.
  const { kind } = parseOptionArgument(plain).option;
  return typeof value === 'string' && kind !== 'string' ? `${name}:string=${value}` : plain;
}
