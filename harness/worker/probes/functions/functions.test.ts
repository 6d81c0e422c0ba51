import { expect, test } from 'vitest';
import {
  Abi,
  CHANGING,
  extensionFunctions,
  type FunctionKind,
  kindsOf,
  NEWEST_MINOR,
} from '../../../knowledge/abi/index.ts';
import { EXTENSION_CALLS, reasonWithoutCall } from '../../steps/extension-calls.ts';
import { UNSOUND, VALID_CALLS } from '../../steps/valid-calls.ts';
import { WAYS_IN } from '../arrays/ways-in.ts';
import { WAYS_OUT } from '../arrays/ways-out.ts';
import { NOT_REPEATED } from './repetitions.ts';
import { OWN_TEXTS } from './texts.ts';

const abi = Abi.at(NEWEST_MINOR);
/** Every function of the table and of extensions, with the layout of its arguments. */
const ALL = new Map([
  ...abi.functions.map((name) => [name, abi.argsOf(name)] as const),
  ...[...extensionFunctions()].map(([name, { args }]) => [name, args()] as const),
]);
const CALLED = { ...VALID_CALLS, ...EXTENSION_CALLS };

const ofKind = (...kinds: FunctionKind[]): string[] =>
  [...ALL].flatMap(([name, args]) => (kinds.some((kind) => kindsOf(args).has(kind)) ? [name] : []));

test('kinds follow from the annotations', () => {
  const kinds = (name: string): FunctionKind[] => [...kindsOf(ALL.get(name)!)];
  expect(kinds('PJRT_Buffer_Dimensions')).toEqual(['query']);
  expect(kinds('PJRT_Executable_Serialize')).toEqual(['creator']);
  expect(kinds('PJRT_Buffer_Destroy')).toEqual(['act']);
  expect(kinds('PJRT_Client_Compile')).toEqual(['creator', 'text']);
  expect(kinds('PJRT_Buffer_CopyRawToHost')).toEqual(['creator', 'range']);
  expect(kinds('PJRT_Client_CreateBuffersForAsyncHostToDevice')).toEqual(['creator', 'shape']);
  expect(kinds('Layouts.PJRT_Layouts_MemoryLayout_Destroy')).toEqual(['act']);
});

test('every function of an extension has a valid call, or a reason why not', () => {
  const unclear = [...extensionFunctions()].flatMap(([name, { extension, slot }]) =>
    (EXTENSION_CALLS[name] === undefined) === (reasonWithoutCall(extension, slot) === undefined) ? [name] : [],
  );
  expect(unclear, 'write a call, or the reason, into harness/worker/steps/extension-calls.ts').toEqual([]);
});

test('arguments of extensions name fields that exist and are inputs', () => {
  for (const [name, call] of Object.entries(EXTENSION_CALLS)) {
    const args = ALL.get(name)!;
    for (const field of Object.keys(call.with))
      expect(args.outputs, `${name} ${field}`).not.toContain(args.field(field));
  }
});

test('every function that can be called is asked again or called again', () => {
  const asked = (name: string): boolean => kindsOf(ALL.get(name)!).has('query') && CHANGING[name] === undefined;
  const checked = (name: string): boolean => asked(name) || NOT_REPEATED[name] === undefined;
  expect(Object.keys(CALLED).filter((name) => !checked(name))).toEqual(Object.keys(NOT_REPEATED));
});

test('what is left out exists, and is of the kind in question', () => {
  expect(ofKind('query')).toEqual(expect.arrayContaining(Object.keys(CHANGING)));
  expect(ofKind('text')).toEqual(expect.arrayContaining(Object.keys(OWN_TEXTS)));
});

/** Functions that take shapes or ranges, or copy, and are no way of an array, with what checks them. */
const NO_WAY: Readonly<Record<string, string>> = {
  PJRT_Client_CreateErrorBuffer: 'it has no contents (buffers/special-buffers)',
  PJRT_Buffer_Bitcast: 'its contents are other ones (buffers/special-buffers)',
  PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace: 'it makes no array (topology/shapes)',
  'Layouts.PJRT_Layouts_PJRT_Client_GetDefaultLayout': 'it makes no array (extensions/layouts)',
  'Layouts.PJRT_Layouts_PJRT_Topology_GetDefaultLayout': 'it makes no array (extensions/layouts)',
};

test('every function that takes a shape or a range is a way of arrays, or has cases of its own', () => {
  const ways = new Set([...WAYS_IN, ...WAYS_OUT].flatMap(({ functions }) => functions));
  const takers = ofKind('shape', 'range').filter((name) => CALLED[name] || UNSOUND[name]);
  expect(
    takers.filter((name) => !ways.has(name) && NO_WAY[name] === undefined),
    'add a way to harness/worker/probes/arrays',
  ).toEqual([]);
  expect(Object.keys(NO_WAY).filter((name) => ways.has(name) || !takers.includes(name))).toEqual([]);
});
