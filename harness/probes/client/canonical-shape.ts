import protobuf from 'protobufjs/light.js';
import { dtype } from '../../numerics/dtypes.ts';
import { makeLayout } from '../../pjrt/buffer.ts';
import { deleterOf } from '../../pjrt/deleter.ts';
import { readData, readInt32s } from '../../pjrt/strings.ts';
import type { Topology } from '../../pjrt/topology.ts';
import type { CaseContext } from '../../steps/context.ts';
import type { Probe } from '../../steps/steps.ts';
import { broken, errorOf, option } from './support.ts';

const FUNCTION = 'PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace';
const KINDS = 'PJRT_TopologyDescription_GetMemorySpaceKindIds';

// Field numbers of XLA's ShapeProto and LayoutProto; what is left out here is skipped.
const ShapeProto = protobuf.Root.fromJSON({
  nested: {
    Layout: { fields: { minorToMajor: { rule: 'repeated', type: 'int64', id: 1 } } },
    Shape: {
      fields: {
        elementType: { type: 'int32', id: 2 },
        dimensions: { rule: 'repeated', type: 'int64', id: 3 },
        layout: { type: 'Layout', id: 5 },
      },
    },
  },
}).lookupType('Shape');

/** XLA's PrimitiveType numbers of the types that suites ask for. */
const PRIMITIVE: Readonly<Record<string, number>> = {
  pred: 1,
  s8: 2,
  s32: 4,
  u8: 6,
  f16: 10,
  f32: 11,
  f64: 12,
  bf16: 16,
};

/** Kinds of memory that a topology knows. */
const kindIds = (context: CaseContext, topology: Topology): number[] =>
  context.api.invoke(
    KINDS,
    (call) => call.setWord('topology', topology.pointer),
    (call) => {
      const count = call.size('num_memory_space_kind_ids');
      const address = call.word('memory_space_kind_ids');
      if (address === 0n && count > 0) broken(`${KINDS} gave ${count} ids behind a NULL pointer`, KINDS);
      return readInt32s(address, count);
    },
  );

/** Completes a shape with a layout for every kind of memory of a topology, and checks what comes back. */
export const canonicalShape: Probe = (context, options) => {
  const topology = context.resolve('$topology') as Topology;
  const shape = option<readonly number[]>(options, 'shape', []);
  const order = option<readonly number[] | undefined>(options, 'order', undefined);
  const strides = option<readonly number[] | undefined>(options, 'strides', undefined);
  const layout = strides ? stridedLayout(context, strides) : order ? makeLayout(context.api, context.arena, order) : 0n;
  const type = dtype(String(options.dtype));
  for (const kind of kindIds(context, topology)) {
    if (strides) {
      if (!errorOf(() => ask(context, topology, kind, type.enumValue, shape, layout)))
        broken('a layout of strides was accepted', FUNCTION, undefined, { type: 'pjrt.MissingError' });
      continue;
    }
    const { proto, free } = ask(context, topology, kind, type.enumValue, shape, layout);
    try {
      check(proto, shape, PRIMITIVE[type.name], order);
    } finally {
      free();
    }
  }
};

function ask(
  context: CaseContext,
  topology: Topology,
  kind: number,
  type: number,
  shape: readonly number[],
  layout: bigint,
): { proto: Uint8Array; free(): void } {
  const dims = context.arena.int64s(shape);
  return context.api.invoke(
    FUNCTION,
    (call) => {
      call.setWord('topology', topology.pointer);
      call.setInt('memory_space_kind_id', kind);
      call.setWord('dims', dims.address);
      call.setSize('num_dims', shape.length);
      call.setInt('element_type', type);
      call.setWord('layout', layout);
    },
    (call) => {
      const address = call.word('serialized_shape');
      const free = deleterOf(context.instrument, call, 'serialized_shape');
      if (address === 0n) broken('no serialized shape came back', FUNCTION);
      if (!free) broken('the serialized shape came without a deleter', FUNCTION);
      return { proto: readData(address, call.count('serialized_shape')), free };
    },
  );
}

function check(
  proto: Uint8Array,
  shape: readonly number[],
  primitive: number | undefined,
  order: readonly number[] | undefined,
): void {
  let decoded: { elementType?: number; dimensions?: unknown[]; layout?: { minorToMajor?: unknown[] } };
  try {
    decoded = ShapeProto.decode(proto) as never;
  } catch {
    broken('the serialized shape is no ShapeProto', FUNCTION);
  }
  const numbers = (list: unknown[] | undefined): number[] => (list ?? []).map((n) => Number(n));
  if (primitive !== undefined && decoded.elementType !== primitive)
    broken(`the element type came back as ${decoded.elementType}, expected ${primitive}`, FUNCTION);
  if (numbers(decoded.dimensions).join() !== shape.join())
    broken(`the dimensions [${shape}] came back as [${numbers(decoded.dimensions)}]`, FUNCTION);
  if (!decoded.layout) broken('the shape came back without a layout', FUNCTION);
  const minorToMajor = numbers(decoded.layout.minorToMajor);
  const sorted = [...minorToMajor].sort((a, b) => a - b);
  if (sorted.length !== shape.length || sorted.some((d, i) => d !== i))
    broken(`minor_to_major [${minorToMajor}] is no order of ${shape.length} dimensions`, FUNCTION);
  if (order && minorToMajor.join() !== order.join())
    broken(`the layout [${order}] came back as [${minorToMajor}]`, FUNCTION);
}

function stridedLayout({ api, arena }: CaseContext, strides: readonly number[]): bigint {
  const layout = api.make(arena, 'PJRT_Buffer_MemoryLayout');
  const view = layout.at(0);
  view.setInt(
    'type',
    api.abi.enumValues('PJRT_Buffer_MemoryLayout_Type').get('PJRT_Buffer_MemoryLayout_Type_Strides')!,
  );
  const nested = view.nested('strides', api.struct('PJRT_Buffer_MemoryLayout_Strides'));
  nested.reset();
  nested.setWord('byte_strides', arena.int64s(strides).address);
  nested.setSize('num_byte_strides', strides.length);
  return layout.address;
}
