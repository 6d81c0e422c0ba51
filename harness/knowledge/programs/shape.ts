import { decodeMessage, messageType } from './message-type.ts';

// Field numbers of XLA's ShapeProto and LayoutProto; what is left out here is skipped.
const shapeType = messageType('Shape', {
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
});

/** XLA's PrimitiveType numbers by the names of element types, as far as suites ask for them. */
const PRIMITIVE: Readonly<Record<number, string>> = {
  1: 'pred',
  2: 's8',
  4: 's32',
  6: 'u8',
  10: 'f16',
  11: 'f32',
  12: 'f64',
  16: 'bf16',
};

interface DecodedShape {
  /** Name of the element type, or its number. */
  elementType: string | number;
  dimensions: number[];
  /** Undefined for a shape without a layout. */
  minorToMajor: number[] | undefined;
}

/** Decodes a serialized `ShapeProto`. @throws ProgramError */
export function decodeShape(bytes: Uint8Array): DecodedShape {
  const message: { elementType?: number; dimensions?: number[]; layout?: { minorToMajor?: number[] } } = decodeMessage(
    shapeType,
    'a ShapeProto',
    bytes,
  );
  const { elementType = 0, dimensions = [], layout } = message;
  return {
    elementType: PRIMITIVE[elementType] ?? elementType,
    dimensions,
    minorToMajor: layout && (layout.minorToMajor ?? []),
  };
}
