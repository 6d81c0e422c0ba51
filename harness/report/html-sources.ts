import { cleanText } from '../base/sanitize.ts';
import type { CaseSource, ProgramSource, SourceText } from './case-source.ts';
import type { HtmlSources } from './html-data.ts';
import { packedBlock } from './html-page.ts';

/** Characters of programs after which a block is full. */
const BLOCK_UNITS = 1 << 18;

/**
 * The blocks with steps and programs, each text once.
 * @param ids all cases, in the order of the rows
 */
export function writeSources(
  ids: readonly string[],
  sources: ReadonlyMap<string, CaseSource> = new Map(),
  write: (chunk: string) => void,
): void {
  if (!ids.some((id) => sources.has(id))) return;
  const programs = new Numbered<ProgramSource>(({ name, text }) => `${name}\0${text}`);
  const steps = new Numbered<SourceText>(({ text, line }) => `${line}\0${text}`);
  const cases = ids.map((id) => {
    const source = sources.get(id);
    if (!source) return [];
    return [source.steps ? steps.number(source.steps) : -1, ...source.programs.map((one) => programs.number(one))];
  });
  const content: HtmlSources = { steps: steps.all.map((one) => ({ ...one, text: cleanText(one.text) })), cases };
  write(packedBlock('sources', 0, JSON.stringify(content)));
  writePrograms(programs.all, write);
}

function writePrograms(programs: readonly ProgramSource[], write: (chunk: string) => void): void {
  let block: ProgramSource[] = [];
  let units = 0;
  programs.forEach((program, at) => {
    block.push({ ...program, name: cleanText(program.name), text: cleanText(program.text) });
    units += program.text.length;
    if (units < BLOCK_UNITS && at < programs.length - 1) return;
    write(packedBlock('programs', at + 1 - block.length, JSON.stringify(block)));
    block = [];
    units = 0;
  });
}

/** Numbers equal things alike. */
class Numbered<T> {
  readonly all: T[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #keyOf: (one: T) => string;

  constructor(keyOf: (one: T) => string) {
    this.#keyOf = keyOf;
  }

  number(one: T): number {
    const key = this.#keyOf(one);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.all.length);
    return this.all.push(one) - 1;
  }
}
