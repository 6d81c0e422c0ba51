import { dtype } from '../../../numerics/dtypes.ts';
import type { Buffer as PjrtBuffer } from '../../../pjrt/buffer.ts';
import type { Call } from '../../../pjrt/call.ts';
import { AbsentError, PjrtError } from '../../../pjrt/errors.ts';
import type { PluginExtension } from '../../../pjrt/extension-call.ts';
import { readPointers } from '../../../pjrt/strings.ts';
import type { Topology } from '../../../pjrt/topology.ts';
import type { CaseContext } from '../../../steps/context.ts';
import { causeOfAbsence, lacksHelper, NotSupported } from '../../../steps/outcome.ts';
import type { Probe } from '../../../steps/steps.ts';
import { wordOption } from '../probe-options.ts';
import { named } from '../sound-objects.ts';
import { extensionOf, fail, someExecutable, takeBytes, warn } from './support.ts';

const PREFIX = 'PJRT_Layouts_';
const SHAPES: readonly (readonly number[])[] = [[], [4], [2, 3], [2, 3, 5]];
/** How XLA writes a layout: minor-to-major order, then tiles and the like. JAX parses it. */
const LAYOUT_TEXT = /^\{[\d,]*(?::.*)?\}$/s;

/** Memory layouts as objects: the default of a client or a topology, that of a buffer, those of an executable. */
export const layoutsExtension: Probe = (context, options) => {
  const extension = extensionOf(context, 'Layouts');
  const checks = { client, topology, buffer, outputs, parameters, 'destroy-null': destroyNull };
  const aspects = ['client', 'topology', 'buffer', 'outputs', 'parameters', 'destroy-null'] as const;
  checks[wordOption(options, 'aspect', aspects)](context, extension);
};

function destroyNull(_context: CaseContext, extension: PluginExtension): void {
  extension.invoke(`${PREFIX}MemoryLayout_Destroy`, () => {});
}

/** A layout that the caller owns. */
function own(context: CaseContext, extension: PluginExtension, layout: bigint): bigint {
  if (layout === 0n) fail(extension, 'a call succeeded, but its layout is NULL');
  context.scope.defer(() =>
    extension.invoke(`${PREFIX}MemoryLayout_Destroy`, (call) => call.setWord('layout', layout)),
  );
  return layout;
}

function serialize(context: CaseContext, extension: PluginExtension, layout: bigint): string {
  const given = extension.invoke(
    `${PREFIX}MemoryLayout_Serialize`,
    (call) => call.setWord('layout', layout),
    (call) => ({
      pointer: call.word('serialized_bytes'),
      size: call.size('serialized_bytes_size'),
      holder: call.word('serialized_layout'),
      deleter: call.word('serialized_layout_deleter'),
    }),
  );
  if (given.size === 0) fail(extension, 'a layout is written as no bytes at all');
  return Buffer.from(takeBytes(context, extension, given)).toString('latin1');
}

function defaultLayout(
  context: CaseContext,
  extension: PluginExtension,
  of: { slot: string; argument: string; pointer: bigint },
  shape: readonly number[],
): string {
  const layout = extension.invoke(
    of.slot,
    (call) => {
      call.setWord(of.argument, of.pointer);
      call.setInt('type', dtype('f32').enumValue);
      call.setWord('dims', context.arena.int64s(shape).address);
      call.setSize('num_dims', shape.length);
    },
    (call: Call) => call.word('layout'),
  );
  return serialize(context, extension, own(context, extension, layout));
}

function defaults(
  context: CaseContext,
  extension: PluginExtension,
  of: { slot: string; argument: string; pointer: bigint },
): void {
  for (const shape of SHAPES) {
    const first = defaultLayout(context, extension, of, shape);
    const second = defaultLayout(context, extension, of, shape);
    if (first !== second) fail(extension, `the default layout of f32[${shape}] is written differently the second time`);
    if (!LAYOUT_TEXT.test(first)) warn(context, extension, 'a layout is not written in the form that frameworks parse');
  }
}

function client(context: CaseContext, extension: PluginExtension): void {
  const { pointer } = context.client;
  defaults(context, extension, { slot: `${PREFIX}PJRT_Client_GetDefaultLayout`, argument: 'client', pointer });
}

function topology(context: CaseContext, extension: PluginExtension): void {
  const { pointer } = context.resolve('topology') as Topology;
  defaults(context, extension, {
    slot: `${PREFIX}PJRT_Topology_GetDefaultLayout`,
    argument: 'topology_description',
    pointer,
  });
}

/** A buffer for which no layout was asked has the default one. */
function buffer(context: CaseContext, extension: PluginExtension): void {
  const { pointer } = named(context, 'buffer') as PjrtBuffer;
  const layout = extension.invoke(
    `${PREFIX}PJRT_Buffer_MemoryLayout`,
    (call) => call.setWord('buffer', pointer),
    (call) => call.word('layout'),
  );
  const actual = serialize(context, extension, own(context, extension, layout));
  const of = { slot: `${PREFIX}PJRT_Client_GetDefaultLayout`, argument: 'client', pointer: context.client.pointer };
  if (actual !== defaultLayout(context, extension, of, [2, 3])) {
    warn(context, extension, 'a buffer made without a layout does not have the default layout of its shape');
  }
}

/** Layouts that the executable keeps: as many as it has outputs (or parameters), the same every time. */
function ofExecutable(
  context: CaseContext,
  extension: PluginExtension,
  slot: string,
  count: string,
  expected: number,
): void {
  const executable = someExecutable(context);
  const ask = (): { pointers: bigint[] } =>
    extension.invoke(
      slot,
      (call) => call.setWord('executable', executable.pointer),
      (call) => ({ pointers: readPointers(call.word('layouts'), call.size(count)) }),
    );
  let first: bigint[];
  try {
    first = ask().pointers;
  } catch (error) {
    if (error instanceof PjrtError && error.codeName === 'UNIMPLEMENTED') {
      throw lacksHelper(error);
    }
    if (error instanceof AbsentError) throw new NotSupported(error.message, causeOfAbsence(error));
    throw error;
  }
  if (first.length !== expected) fail(extension, `${slot} gives ${first.length} layouts, expected ${expected}`);
  if (first.some((p) => p === 0n)) fail(extension, `${slot} gives a layout that is NULL`);
  if (ask().pointers.some((p, i) => p !== first[i]))
    fail(extension, `${slot} returns different layouts the second time`);
  for (const layout of first) serialize(context, extension, layout);
}

function outputs(context: CaseContext, extension: PluginExtension): void {
  ofExecutable(context, extension, `${PREFIX}PJRT_Executable_GetOutputLayouts`, 'num_outputs', 1);
}

function parameters(context: CaseContext, extension: PluginExtension): void {
  ofExecutable(context, extension, `${PREFIX}PJRT_Executable_GetParameterLayouts`, 'num_parameters', 1);
}
