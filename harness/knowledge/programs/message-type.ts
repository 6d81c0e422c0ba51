import { createRequire } from 'node:module';
import type { INamespace, Type } from 'protobufjs';

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
