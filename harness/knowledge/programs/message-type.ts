import { createRequire } from 'node:module';
import type { IConversionOptions, INamespace, Type } from 'protobufjs';
import { ProgramError } from './program.ts';

const require = createRequire(import.meta.url);

/**
 * A protobuf message type of a schema. The library is loaded when the type is first needed: it takes a tenth of the start of a
 * worker, and most workers compile nothing.
 */
export function messageType(name: string, schema: INamespace): () => Type {
  let type: Type | undefined;
  return () => {
    type ??= (require('protobufjs/light.js') as typeof import('protobufjs')).Root.fromJSON(schema).lookupType(name);
    return type;
  };
}

/**
 * Decodes a serialized message.
 * @param name with its article, for the message of an error @throws ProgramError
 */
export function decodeMessage<T extends object>(
  type: () => Type,
  name: string,
  bytes: Uint8Array,
  longs: IConversionOptions['longs'] = Number,
): T {
  try {
    return type().toObject(type().decode(bytes), { longs }) as T;
  } catch (error) {
    throw new ProgramError(`not ${name} (${bytes.length} bytes): ${(error as Error).message}`);
  }
}
