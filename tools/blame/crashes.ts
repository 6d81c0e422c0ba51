import { Abi, NEWEST_MINOR } from '../../harness/knowledge/abi/index.ts';

/** One way to end the process in a call, and what must be said of it. */
export interface Crash {
  /** As plugins/crashes reads it. */
  text: string;
  /** Id of the case that dies. */
  id: string;
  /** The memory beside which the access is; undefined if it is beside none. */
  block?: string;
  /** It happens only once. */
  once?: true;
  /** The plugin has a handler of its own. */
  handler?: true;
}

const abi = Abi.at(NEWEST_MINOR);
const offset = (struct: string, field: string): number => abi.struct(struct).field(field).offset;
const argument = (call: string, field: string): number => offset(`${call}_Args`, field);

const [SEND, READ, COMPILE, EXECUTE] = [
  'PJRT_Client_BufferFromHostBuffer',
  'PJRT_Buffer_ToHostBuffer',
  'PJRT_Client_Compile',
  'PJRT_LoadedExecutable_Execute',
];
const [STRIDED, LARGE, PROGRAM] = ['calls:strided', 'calls:large', 'calls:program'];
const code = [argument(COMPILE, 'program'), offset('PJRT_Program', 'code')];
const codeSize = offset('PJRT_Program', 'code_size');

/** Memory that a call is given: the path to it, its size, and where the size stands if it is not known. */
const GIVEN: readonly { block: string; call: string; id: string; path: number[]; bytes: number; size?: number }[] = [
  { block: 'data', call: SEND, id: STRIDED, path: [argument(SEND, 'data')], bytes: 24 },
  { block: 'data', call: SEND, id: LARGE, path: [argument(SEND, 'data')], bytes: 4096 },
  { block: 'dims', call: SEND, id: STRIDED, path: [argument(SEND, 'dims')], bytes: 16 },
  { block: 'byte_strides', call: SEND, id: STRIDED, path: [argument(SEND, 'byte_strides')], bytes: 16 },
  { block: 'code', call: COMPILE, id: PROGRAM, path: code, bytes: 0, size: codeSize },
  {
    block: 'compile_options',
    call: COMPILE,
    id: PROGRAM,
    path: [argument(COMPILE, 'compile_options')],
    bytes: 0,
    size: argument(COMPILE, 'compile_options_size'),
  },
  { block: 'output_lists', call: EXECUTE, id: PROGRAM, path: [argument(EXECUTE, 'output_lists')], bytes: 8 },
  { block: 'output_lists', call: EXECUTE, id: PROGRAM, path: [argument(EXECUTE, 'output_lists'), 0], bytes: 8 },
  // The harness watches the 64 bytes behind it, and says so if a call writes there.
  { block: 'dst', call: READ, id: STRIDED, path: [argument(READ, 'dst')], bytes: 24 + 64 },
  { block: 'dst', call: READ, id: LARGE, path: [argument(READ, 'dst')], bytes: 4096 + 64 },
];

/** Beyond the end, by so many bytes up to the whole zone; a block of less than 64 bytes may have some room behind it. */
const BESIDE = [
  ['read', 64],
  ['write', 64],
  ['read', 69_632],
  ['write', -(1 << 18)],
  ['copy', 300_000],
] as const;

const STRUCTS = [
  ['PJRT_Buffer_Dimensions', STRIDED],
  ['PJRT_Buffer_Destroy', STRIDED],
  ['PJRT_Event_Await', STRIDED],
  ['PJRT_Event_Destroy', STRIDED],
  [SEND, STRIDED],
  [READ, LARGE],
  [EXECUTE, PROGRAM],
  [COMPILE, PROGRAM],
] as const;

/** Accesses beside what a call is given. */
export const OVERRUNS: readonly Crash[] = [
  ...GIVEN.flatMap(({ block, call, id, path, bytes, size }) =>
    BESIDE.map(([how, beyond]): Crash => {
      const place = [...path, bytes + beyond, ...(size === undefined ? [] : [`s${size}`])];
      return { text: [call, 'always', how, ...place].join(' '), id, block };
    }),
  ),
  ...STRUCTS.flatMap(([call, id]) =>
    (['read', 'write'] as const).map((how): Crash => {
      const { size } = abi.argsOf(call);
      return { text: `${call} always ${how} ${size}`, id, block: `${call}_Args` };
    }),
  ),
];

const OTHERS = [
  ...['null', 'null 24', 'null-call', 'wild', 'wild 4096', 'no-address', 'freed', 'read-only', 'stack', 'raise'],
  ...['abort', 'exit', 'trap', 'throw', 'thread-abort', 'thread-wild'],
];

/** Crashes that have nothing to do with what the call is given, or that do not happen again. */
export const UNRELATED: readonly Crash[] = [
  ...[
    [SEND, STRIDED],
    [COMPILE, PROGRAM],
    ['PJRT_Event_Await', LARGE],
  ].flatMap(([call, id]) => OTHERS.map((how): Crash => ({ text: `${call} always ${how}`, id: id! }))),
  ...[
    [READ, LARGE],
    [EXECUTE, PROGRAM],
    ['PJRT_Buffer_Destroy', STRIDED],
  ].flatMap(([call, id]) =>
    ['null', 'wild', 'freed', 'stack'].map((how): Crash => ({ text: `${call} always ${how}`, id: id!, once: true })),
  ),
];

/** A plugin that handles signals itself. */
export const HANDLED: readonly Crash[] = [
  { text: `${SEND} always read ${argument(SEND, 'data')} 24`, id: STRIDED, block: 'data', handler: true },
  { text: `${SEND} always null 24`, id: STRIDED, handler: true },
  { text: `${SEND} always wild`, id: STRIDED, handler: true, once: true },
];
