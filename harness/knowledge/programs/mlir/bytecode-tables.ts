import { ProgramError } from '../program.ts';
import { ByteCursor, checkedIndex } from './byte-cursor.ts';

/** Format versions of the container from which on something is there. */
const SINCE = { dialectVersions: 1, opCount: 4, properties: 5, newest: 6 } as const;
const SECTION = { strings: 0, dialects: 1, data: 2, index: 3, ir: 4, properties: 8 } as const;
const PRODUCER = /^StableHLO_v(\d+\.\d+\.\d+)$/;

/** An entry of the table of attributes or of that of types. */
export interface Entry {
  dialect: string;
  /** Whether its bytes are the dialect's own encoding, rather than text. */
  encoded: boolean;
  at: number;
  end: number;
}

/** The tables of an artifact. Entries are decoded by who needs them. */
export interface Tables {
  file: string;
  bytes: Uint8Array;
  /** Of the container. */
  formatVersion: number;
  /** Of StableHLO. */
  version: string;
  strings: { at: number; end: number }[];
  /** Full names of operations. */
  ops: { name: string; registered: boolean }[];
  attributes: Entry[];
  types: Entry[];
  /** Property records of operations. */
  properties: { at: number; end: number }[];
  ir: ByteCursor;
}

/** Reads the header and the tables of a portable artifact. @throws ProgramError */
export function readTables(bytes: Uint8Array, file: string): Tables {
  const { cursor, formatVersion, producer, sections: readOn } = readSections(bytes, file);
  const version = PRODUCER.exec(producer)?.[1];
  if (version !== undefined && formatVersion > SINCE.newest) {
    throw new ProgramError(
      `${file}: bytecode format ${formatVersion}; expected 0 to ${SINCE.newest}, which are those of StableHLO artifacts`,
    );
  }
  const sections = readOn();
  const section = (id: number, what: string): ByteCursor => sections.get(id) ?? cursor.fail(what, bytes.length);
  const strings = readStrings(section(SECTION.strings, 'a section of strings (0)'));
  const context: Context = { file, bytes, formatVersion, strings };
  const { dialects, ops } = readDialects(section(SECTION.dialects, 'a section of dialects (1)'), context);
  if (version === undefined) {
    throw new ProgramError(
      `${file}: MLIR bytecode of ${producer} with the dialects ${dialects.join(', ')}; expected a portable artifact (producer StableHLO_vX.Y.Z, dialect vhlo)`,
    );
  }
  const data = section(SECTION.data, 'a section of attributes and types (2)');
  const index = section(SECTION.index, 'an index of attributes and types (3)');
  const records = sections.get(SECTION.properties);
  return {
    ...context,
    version,
    ops,
    ...readIndex(index, data, dialects),
    properties: records === undefined ? [] : readRecords(records),
    ir: section(SECTION.ir, 'a section of operations (4)'),
  };
}

/** Reads the container of MLIR bytecode of any dialect: its header, and where its sections are. @throws ProgramError */
export function readSections(bytes: Uint8Array, file: string) {
  const cursor = new ByteCursor(bytes, file, 4);
  if (bytes.length < 4) cursor.fail("the four bytes 'ML\u00efR'", 0);
  const formatVersion = cursor.varint('the version of the format');
  const producer = producerOf(cursor, bytes);
  return { cursor, formatVersion, producer, sections: () => sectionsOf(cursor) };
}

type Context = Pick<Tables, 'file' | 'bytes' | 'formatVersion' | 'strings'>;

/** A string of the table. */
export function stringAt({ file, bytes, strings }: Pick<Tables, 'file' | 'bytes' | 'strings'>, index: number): string {
  const { at, end } = strings[index]!;
  return new ByteCursor(bytes, file, at, end).text();
}

function producerOf(cursor: ByteCursor, bytes: Uint8Array): string {
  const end = bytes.indexOf(0, cursor.at);
  if (end < 0) cursor.fail('the name of a producer, which ends with a zero byte');
  const text = cursor.part(end - cursor.at, 'the name of a producer').text();
  cursor.byte();
  return text;
}

function sectionsOf(cursor: ByteCursor): Map<number, ByteCursor> {
  const sections = new Map<number, ByteCursor>();
  while (!cursor.done) {
    const start = cursor.at;
    const { id, content } = cursor.section();
    if (sections.has(id)) cursor.fail(`one section ${id}, not two`, start);
    sections.set(id, content);
  }
  return sections;
}

/** Their sizes, each with a zero byte, are stored last first. */
function readStrings(cursor: ByteCursor): Tables['strings'] {
  const sizes: number[] = [];
  for (let left = cursor.count('strings'); left > 0; left -= 1) {
    const start = cursor.at;
    const size = cursor.varint();
    if (size === 0) cursor.fail('a string with a zero byte at its end', start);
    sizes.push(size);
  }
  return sizes.reverse().map((size) => {
    const { at, end } = cursor.part(size, 'a string');
    return { at, end: end - 1 };
  });
}

function readDialects(cursor: ByteCursor, context: Context): { dialects: string[]; ops: Tables['ops'] } {
  const { formatVersion, strings } = context;
  const dialects: string[] = [];
  for (let left = cursor.count('dialects'); left > 0; left -= 1) {
    const start = cursor.at;
    const [index, versioned] = formatVersion >= SINCE.dialectVersions ? cursor.flagged() : [cursor.varint(), false];
    dialects.push(stringAt(context, checkedIndex(cursor, index, strings.length, 'strings', start)));
    if (versioned) cursor.section();
  }
  if (formatVersion >= SINCE.opCount) cursor.varint('a count of operation names');
  const ops: Tables['ops'] = [];
  while (!cursor.done) {
    const dialect = dialects[cursor.index(dialects.length, 'dialects')]!;
    for (let left = cursor.count('operation names'); left > 0; left -= 1) {
      const start = cursor.at;
      const [index, registered] = formatVersion >= SINCE.properties ? cursor.flagged() : [cursor.varint(), true];
      const name = stringAt(context, checkedIndex(cursor, index, strings.length, 'strings', start));
      ops.push({ name: name === '' ? dialect : `${dialect}.${name}`, registered });
    }
  }
  return { dialects, ops };
}

function readIndex(cursor: ByteCursor, data: ByteCursor, dialects: string[]): Pick<Tables, 'attributes' | 'types'> {
  const attributeCount = cursor.count('attributes');
  const typeCount = cursor.count('types');
  const table = (count: number): Entry[] => {
    const entries: Entry[] = [];
    while (entries.length < count) {
      const dialect = dialects[cursor.index(dialects.length, 'dialects')]!;
      const start = cursor.at;
      const group = cursor.count('entries');
      if (group > count - entries.length) cursor.fail(`at most ${count - entries.length} entries`, start);
      for (let left = group; left > 0; left -= 1) {
        const [size, encoded] = cursor.flagged();
        const { at, end } = data.part(size, 'an attribute or a type');
        entries.push({ dialect, encoded, at, end });
      }
    }
    return entries;
  };
  return { attributes: table(attributeCount), types: table(typeCount) };
}

function readRecords(cursor: ByteCursor): Tables['properties'] {
  const records: Tables['properties'] = [];
  for (let left = cursor.count('property records'); left > 0; left -= 1) {
    const { at, end } = cursor.part(cursor.varint(), 'a property record');
    records.push({ at, end });
  }
  return records;
}
