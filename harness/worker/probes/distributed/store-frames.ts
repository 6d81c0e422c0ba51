import type { Duplex } from 'node:stream';
import { deserialize, serialize } from 'node:v8';
import type { Question } from './trouble.ts';

/** What a node asks the store, as its threads send it (store-threads.ts). Keys are latin1. */
export interface Asked {
  id: number;
  question: Question;
  key: string;
  value?: Uint8Array;
  /** Of `get`: what the plugin is willing to wait. */
  timeoutMs?: number;
  /** What is wrong with the arguments of the callback. */
  misuse?: string;
}

/** `code` is the name of an error code of the C API, without its prefix. */
export type Answered = { id: number; value?: Uint8Array } | { id: number; code: string; message: string };

/** Frames are four bytes of length and a value as structured clone has it. */
export function writeFrame(stream: Duplex, message: Answered): void {
  const body = serialize(message);
  const head = Buffer.alloc(4);
  head.writeUInt32LE(body.length);
  stream.write(Buffer.concat([head, body]));
}

/** Calls `take` with every frame that arrives. */
export function readFrames(stream: Duplex, take: (message: Asked) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32LE()) {
      const end = 4 + rest.readUInt32LE();
      take(deserialize(rest.subarray(4, end)) as Asked);
      rest = rest.subarray(end);
    }
  });
}
