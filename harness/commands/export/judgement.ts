/** What in a program fails as the case did, where the answer of one call does not say it: what the plugin has written. */

import { Abi, type Field, holdsObjects, NEWEST_MINOR, type StructLayout } from '../../knowledge/abi/index.ts';
import { DTYPES } from '../../knowledge/numerics/dtypes.ts';
import type { ComparisonLine, FindingLine, LeaveLine } from '../../model/call-recording.ts';
import { cArray, cString } from './c-literals.ts';
import type { Support } from './draft.ts';

/** A call of the program. */
export interface Made {
  n: number;
  /** In the program, from 1. */
  number: number;
  name: string;
  layout: StructLayout;
  /** The variable of its arguments. */
  args: string;
  inCase: boolean;
  /** Other objects have the address of its subject too. */
  isAmbiguous: boolean;
  /** It answers, and changes nothing. */
  isQuestion: boolean;
  left: LeaveLine | undefined;
  /** Its arguments before it. */
  before: Buffer;
  /** Outputs, and elements of lists of objects (`devices[0]`), whose address was known before, as C had it then. */
  outputs: ReadonlyMap<string, string>;
}

/**
 * By what a program fails: the answer of a call, the numbers of an array, what many rounds use up, the state of the process, the
 * tables of the plugin, or outputs that are as they were when it was recorded.
 */
export interface Judged {
  by: 'answer' | 'numbers' | 'growth' | 'process' | 'tables' | 'outputs';
  /** Support that the statements need. */
  needs?: Support;
}

/** What of the process a requirement is about: `enum part` in process.c. */
const PARTS: Readonly<Record<string, string>> = {
  'HYG-SIG-001': 'SIGNAL_HANDLERS',
  'HYG-SIG-002': 'BLOCKED_SIGNALS',
  'HYG-FP-001': 'FLOATING_POINT',
  'HYG-LOC-001': 'LOCALE',
  'HYG-CWD-001': 'WORKING_DIRECTORY',
  'HYG-ENV-001': 'ENVIRONMENT',
  'HYG-LIM-001': 'LIMITS',
  'HYG-FD-001': 'DESCRIPTORS',
  'HYG-SCH-001': 'SCHEDULING',
  'HYG-THR-002': 'THREAD_NAMES',
  'HYG-CHD-001': 'CHILDREN',
  'HYG-OUT-001': 'STANDARD_OUTPUT',
  'HYG-FIL-001': 'WORKING_FILES',
  'HYG-FIL-002': 'TEMPORARY_FILES',
};

type BlockOf = (id: number, bytes: Buffer) => { name: string } | undefined;

/** What a program knows. */
interface Known {
  calls: readonly Made[];
  /** What errors' own tables have answered, as conditions. */
  errors: readonly string[];
  /** What the tables of the plugin were like, and how many bytes of the first are known. */
  tables: { text: string; bytes: number } | undefined;
  blockOf: BlockOf;
}

/** Findings that the tables of the plugin show. */
const OF_TABLES = ['pjrt.BadTable', 'pjrt.NullFunction', 'pjrt.BadExtension'];

/** Files that are left are those in a home, or where all programs leave files. */
const FILES = { home: 'HOME_FILES', shared: 'SHARED_FILES' } as const;
const partOf = ({ requirements: [requirement = ''], place }: FindingLine): string | undefined =>
  place === undefined ? PARTS[requirement] : FILES[place];

/** Requirements on errors that the answers about them show, and the functions that give these. */
const ON_ERRORS = ['ERR-CODE-001', 'ERR-MSG-001', 'ERR-MSG-002', 'ABI-ERRV-002'];
const OF_ERRORS = ['PJRT_Error_GetCode', 'PJRT_Error_Message'];

/** What says that an event is ready. */
const OF_EVENTS = ['PJRT_Event_IsReady'];

/** What says of which type and shape a buffer is; arrays of another are not compared. */
const OF_TYPES = ['PJRT_Buffer_ElementType', 'PJRT_Buffer_Dimensions'];

/** Answers of functions that a finding is about. */
const ANSWERS = 16;
/** Bytes of an output that are compared. */
const COMPARED = 4096;

/**
 * The statements after which the program fails, if the plugin does as it did; undefined if none can say so.
 * @param taken of a comparison: the variable with the array
 */
export function judgement(
  line: FindingLine | ComparisonLine,
  taken: string | undefined,
  finding: FindingLine | undefined,
  { calls, errors, tables, blockOf }: Known,
): (Judged & { statements: string[] }) | undefined {
  if (line.k === 'comparison')
    return taken === undefined
      ? undefined
      : numbers(line, taken, finding?.message ?? `${line.what} is not what it should be`);
  const { message, type, requirements } = line;
  const part = ['pjrt.ProcessChanged', 'pjrt.ResourceLeak'].includes(type) ? partOf(line) : undefined;
  if (part)
    return { by: 'process', needs: 'process', statements: [`if (changed(${part})) fail(${cString(message)});`] };
  if (OF_TABLES.includes(type) && tables) {
    const condition = `tables_are(${cString(tables.text)}, ${tables.bytes})`;
    return { by: 'tables', needs: 'tables', statements: [`if (${condition}) fail(${cString(message)});`] };
  }
  const isOfError = type === 'pjrt.ErrorContract' && requirements.some((id) => ON_ERRORS.includes(id));
  const isOfEvent = type === 'pjrt.EventContract';
  const blamed = [
    line.call,
    ...(line.calls ?? []),
    ...(isOfError ? OF_ERRORS : []),
    ...(isOfEvent ? OF_EVENTS : []),
    ...(line.otherForm ? OF_TYPES : []),
  ];
  const extension = line.call ? undefined : line.extension;
  // Answers that contradict each other are wrong together only.
  const all = calls.filter(
    ({ name, left }) => left && (blamed.includes(name) || (extension && name.startsWith(`${extension}.`))),
  );
  const about = all.filter(({ n }, i) => i >= all.length - ANSWERS || line.changed.some((one) => one.n === n));
  const outputs = written(line.blocks, blockOf);
  const overruns = type === 'pjrt.MemoryOverrun' ? about.slice(-1).flatMap(overrun) : [];
  const conditions =
    overruns.length > 0
      ? overruns
      : type === 'pjrt.MemoryOverrun'
        ? outputs.length > 0
          ? outputs
          : about.slice(-1).map(({ args }) => `!intact(${args})`)
        : [...about.flatMap((made) => asRecorded(made, line.changed)), ...(isOfError ? errors : []), ...outputs];
  // A right plugin may answer the same as far as a program can see.
  if (conditions.length === 0 || about.some((made) => made.isAmbiguous || hasUnseen(made))) return undefined;
  if (haveNewObjects(about)) return undefined;
  // Which of all arrays has another form is not known.
  if (line.otherForm && all.length > ANSWERS) return undefined;
  if (isOfEvent && !about.some(({ name }) => OF_EVENTS.includes(name))) return undefined;
  const compares = about.some(({ layout }) => layout.outputs.some(({ base }) => base === NAMED_VALUES));
  const statements = [`if (${conditions.join(' &&\n      ')}) fail(${cString(message)});`];
  return { by: 'outputs', statements, ...(compares && { needs: 'values' }) };
}

/** The array that the plugin gave, where it is as it came, against the one that it should be. */
function numbers(line: ComparisonLine, array: string, said: string): (Judged & { statements: string[] }) | undefined {
  const type = DTYPES.find(({ name }) => name === line.dtype);
  const expected = Buffer.from(line.expected, 'base64');
  if (!type || expected.length === 0 || expected.length > 16 * COMPARED) return undefined;
  // What allows other bits may be more than a program knows, such as subnormal numbers that are flushed.
  if (line.ok && line.actual !== line.expected) return undefined;
  const size = /^c/.test(type.name) ? type.hostBytes / 2 : type.hostBytes;
  const kind = { 2: 'f16', 4: 'f32', 8: 'f64' }[size];
  const lanes = type.name === 'bf16' ? 'bf16' : /^[fc]\d/.test(type.name) && kind ? kind : 'u';
  const count = expected.length / size;
  return {
    by: 'numbers',
    statements: [
      `if (differences(${cString(line.what)}, ${array}, ${cArray(expected, 'uint8_t')}, ${count}, ${size}, "${lanes}", ${line.ulp}, ${line.atol}, ${line.signedZeros})) fail(${cString(said)});`,
    ],
  };
}

const NAMED_VALUES = 'PJRT_NamedValue';

/** The outputs of a call are as they were, and what has changed since then has. */
function asRecorded({ n, layout, args, left, outputs }: Made, changed: FindingLine['changed']): string[] {
  const bytes = Buffer.from(left!.bytes, 'base64');
  if (left!.answer !== '0') return [];
  return countsFirst(layout).flatMap((field): string[] => {
    const target = `${args}->${field.name}`;
    const own = bytes.subarray(field.offset, field.offset + field.size);
    const memory = left!.memory[field.name];
    if (field.depth === 0 && field.base !== 'fn')
      return [`!memcmp(&${target}, ${cArray(own, 'uint8_t')}, ${field.size})`];
    if (own.every((byte) => byte === 0)) return [`!${target}`];
    if (memory !== undefined && field.base === NAMED_VALUES) {
      const text = Buffer.from(memory, 'base64').toString();
      return [`values_are(${target}, ${args}->${field.count}, ${cString(text)})`];
    }
    if (memory !== undefined && field.depth > 1)
      return [...outputs].flatMap(([name, prior]) =>
        isElement(name, field) ? [`(uintptr_t)${args}->${name} == (uintptr_t)${prior}`] : [],
      );
    if (memory !== undefined && field.depth === 1) {
      const seen = Buffer.from(memory, 'base64');
      const not = changed.some((one) => one.n === n && one.field === field.name) ? '' : '!';
      return seen.length <= COMPARED ? [`${not}memcmp(${target}, ${cArray(seen, field.base)}, ${seen.length})`] : [];
    }
    const prior = outputs.get(field.name);
    return prior === undefined ? [] : [`(uintptr_t)${target} == (uintptr_t)${prior}`];
  });
}

/** Outputs in an order in which a condition holds only if what the next ones lead to may be read. */
function countsFirst({ outputs }: StructLayout): Field[] {
  const counts = new Set(outputs.map(({ count }) => count));
  const rank = ({ depth, name }: Field): number => (depth === 0 ? 0 : counts.has(name) ? 1 : 2);
  return outputs.toSorted((a, b) => rank(a) - rank(b));
}

/** Whether a name is that of an element of a list: `devices[0]`. */
const isElement = (name: string, list: Field): boolean => name.startsWith(`${list.name}[`);

/** Whether all lists of objects in answers have objects only that were not seen before: then nothing is known of them. */
function haveNewObjects(calls: readonly Made[]): boolean {
  const lists = calls.flatMap(({ layout, left, outputs }) =>
    layout.outputs
      .filter((field) => field.depth > 1 && holdsObjects(field) && left!.memory[field.name] !== undefined)
      .map((list) => ({ list, outputs })),
  );
  return (
    lists.length > 0 && !lists.some(({ list, outputs }) => [...outputs.keys()].some((name) => isElement(name, list)))
  );
}

/** Whether a call has answered with something that is not recorded: a list of structs or of texts, or a struct that leads somewhere. */
function hasUnseen({ layout, left }: Made): boolean {
  const bytes = Buffer.from(left!.bytes, 'base64');
  return (
    left!.answer === '0' &&
    layout.outputs.some((field) => {
      const { name, depth, count, offset, size } = field;
      if (depth === 0) return leadsOn(field.base, bytes.subarray(offset, offset + size));
      const isGiven = bytes.subarray(offset, offset + size).some((byte) => byte !== 0);
      const isSeen = left!.memory[name] !== undefined && (depth === 1 || holdsObjects(field));
      return isGiven && count !== undefined && !isSeen && !isEmpty(layout, count, bytes);
    })
  );
}

/** Whether a list has no elements, as far as a number says it. */
function isEmpty(layout: StructLayout, count: string, bytes: Buffer): boolean {
  const { depth, offset, size } = layout.field(count);
  return depth === 0 && bytes.subarray(offset, offset + size).every((byte) => byte === 0);
}

/** Whether a struct has pointers, which are others in each process. */
function leadsOn(type: string, bytes: Buffer): boolean {
  const abi = Abi.at(NEWEST_MINOR);
  if (!abi.hasStruct(type)) return false;
  return abi.struct(type).fields.some(({ base, depth, offset, size }) => {
    const own = bytes.subarray(offset, offset + size);
    return depth > 0 ? own.some((byte) => byte !== 0) : base !== type && leadsOn(base, own);
  });
}

/** Memory before the arguments was written, or behind the size that they had. */
function overrun({ args, before, layout, left }: Made): string[] {
  const declared = layout.sized
    ? Number(new DataView(before.buffer, before.byteOffset).getBigUint64(0, true))
    : before.length;
  const rest = before.subarray(Math.min(declared, before.length));
  const after = Buffer.from(left!.bytes, 'base64').subarray(before.length - rest.length);
  if (after.equals(rest)) return [];
  return [`memcmp((char *)${args} + ${before.length - rest.length}, ${cArray(rest, 'uint8_t')}, ${rest.length})`];
}

/** What the plugin has written into memory of the caller is as it was. */
const written = (blocks: Record<number, string>, blockOf: BlockOf): string[] =>
  Object.entries(blocks).flatMap(([id, text]): string[] => {
    const bytes = Buffer.from(text, 'base64');
    const block = blockOf(Number(id), bytes);
    return block && bytes.length <= 4 * COMPARED
      ? [`!memcmp(${block.name}, ${cArray(bytes, 'uint8_t')}, ${bytes.length})`]
      : [];
  });
