import { readBytes } from '../../ffi/memory.ts';
import { hostDestination, type Buffer as PjrtBuffer } from '../../pjrt/buffer.ts';
import { AbsentError, PjrtError } from '../../pjrt/errors.ts';
import { Event } from '../../pjrt/event.ts';
import type { PluginExtension } from '../../pjrt/extension-call.ts';
import type { CaseContext } from '../../steps/context.ts';
import { NotSupported, refusal } from '../../steps/outcome.ts';
import { startPut } from '../../steps/transfer.ts';
import { hostData, named } from '../../steps/valid-objects.ts';
import { number, optional, probe } from '../probe.ts';
import { hashed } from '../support/checks.ts';
import { poisonedRoom } from '../support/poisoned-room.ts';
import { extensionOf, fail, warn } from './support.ts';

/** The only layout that is known well enough to call; the one before had other arguments. */
const KNOWN_BYTES = 80;
const PREFIX = 'PJRT_RawBuffer_';

/** A raw alias of a buffer: its size and memory, bytes out of it, bytes into it, and the end of its life. */
export const rawBufferExtension = probe('extension-raw-buffer', {}, (context) => {
  const extension = knownExtension(context);
  const buffer = named(context, 'buffer') as PjrtBuffer;
  const raw = rawAlias(context, extension, buffer);
  const ask = (slot: string, field: string): bigint =>
    extension.invoke(
      `${PREFIX}${slot}`,
      (call) => call.setWord('buffer', raw),
      (call) => call.word(field),
    );
  const size = Number(ask('GetOnDeviceSizeInBytes', 'on_device_size_in_bytes'));
  if (size !== buffer.onDeviceSize()) {
    warn(context, extension, `a raw alias has ${size} bytes, its buffer ${buffer.onDeviceSize()}`);
  }
  checkMemory(context, extension, ask);
  // Of the format on the device nothing is known: bytes are those that the plugin itself gives.
  const first = out(context, extension, raw, size);
  const dense = hostData().bytes;
  const hostLike = size === dense.length && isOnCpu(buffer);
  if (hostLike && Buffer.compare(first, dense) !== 0)
    fail(extension, 'the bytes of a raw alias are not those of its buffer');
  const changed = hostLike ? dense.map((b) => b ^ 0x3c) : rawBytesOfOther(context, extension, size);
  if (Buffer.compare(first, changed) === 0) fail(extension, 'raw aliases of different arrays have the same bytes');
  into(context, extension, raw, changed);
  if (Buffer.compare(out(context, extension, raw, size), changed) !== 0) {
    fail(extension, 'bytes that were copied into a raw alias do not come back from it');
  }
  const host = ask('GetHostPointer', 'host_pointer');
  if (host !== 0n && Buffer.compare(readBytes(host, changed.length), changed) !== 0) {
    fail(extension, 'the bytes at the host pointer are others than a copy gives');
  }
});

/**
 * Bytes of a range are changed and read back: those beside them, on the device and in the destination, stay as they are.
 * Source and destination may be off a multiple of 64 by some bytes.
 */
export const rawBufferRange = probe(
  'extension-raw-buffer-range',
  { offset: optional(number, 0), size: optional(number, 1), misaligned: optional(number, 0) },
  (context, { offset, size, misaligned }) => {
    const extension = knownExtension(context);
    const { bytes: array, ...like } = hashed('u8', [128]);
    // Not that of other cases: it is written to.
    const raw = rawAlias(context, extension, startPut(context, { ...like, bytes: array }));
    const whole = Number(
      extension.invoke(
        `${PREFIX}GetOnDeviceSizeInBytes`,
        (call) => call.setWord('buffer', raw),
        (call) => call.word('on_device_size_in_bytes'),
      ),
    );
    const before = out(context, extension, raw, whole);
    const wanted = before.map((b, i) => (i >= offset && i < offset + size ? b ^ 0x3c : b));
    const source = context.arena.alloc(misaligned + size, 64);
    source.bytes.set(wanted.subarray(offset, offset + size), misaligned);
    const room = poisonedRoom(context, size, misaligned);
    try {
      transfer(
        context,
        extension,
        'CopyRawHostToDevice',
        'src',
        raw,
        source.address + BigInt(misaligned),
        size,
        offset,
      );
      transfer(context, extension, 'CopyRawDeviceToHost', 'dst', raw, room.address, size, offset);
    } catch (error) {
      if (!(error instanceof PjrtError)) throw error;
      throw refusal(error, `a raw copy of ${size} bytes at ${offset} is refused, maybe for their alignment`);
    }
    if (Buffer.compare(out(context, extension, raw, whole), wanted) !== 0) {
      fail(
        extension,
        `after a copy of ${size} bytes to ${offset} of a raw alias other bytes have changed, or not these`,
      );
    }
    if (room.overrun())
      fail(extension, `a copy of ${size} bytes out of a raw alias has written beside its destination`);
    if (Buffer.compare(room.bytes, wanted.subarray(offset, offset + size)) !== 0) {
      fail(extension, `a copy of ${size} bytes at ${offset} of a raw alias gives others`);
    }
  },
);

/** The extension, if it is laid out as it is known here. @throws NotSupported */
export function knownExtension(context: CaseContext): PluginExtension {
  const extension = extensionOf(context, 'RawBuffer');
  const { structSize } = extension.node;
  if (structSize !== KNOWN_BYTES) {
    throw new NotSupported(`the extension has ${structSize} bytes, only the layout of ${KNOWN_BYTES} is known`);
  }
  return extension;
}

/** A raw alias of a buffer, which the case owns. */
export function rawAlias(context: CaseContext, extension: PluginExtension, buffer: PjrtBuffer): bigint {
  const raw = extension.invoke(
    `${PREFIX}CreateRawAliasOfBuffer`,
    (call) => call.setWord('buffer', buffer.pointer),
    (call) => call.word('raw_buffer'),
  );
  if (raw === 0n) fail(extension, 'a raw alias was made, but it is NULL');
  context.scope.defer(() => extension.invoke(`${PREFIX}Destroy`, (call) => call.setWord('buffer', raw)));
  return raw;
}

function isOnCpu(buffer: PjrtBuffer): boolean {
  try {
    return buffer.isOnCpu();
  } catch (error) {
    if (!(error instanceof AbsentError) && !(error instanceof PjrtError)) throw error;
    return false;
  }
}

/** What a buffer of the same type and shape with other contents has on the device. */
function rawBytesOfOther(context: CaseContext, extension: PluginExtension, size: number): Uint8Array {
  const { bytes, ...like } = hostData();
  const other = startPut(context, { ...like, bytes: bytes.map((b) => b ^ 0x3c) });
  return out(context, extension, rawAlias(context, extension, other), size);
}

function checkMemory(
  context: CaseContext,
  extension: PluginExtension,
  ask: (slot: string, field: string) => bigint,
): void {
  try {
    const memory = ask('GetMemorySpace', 'memory_space');
    const known = context.client.addressableMemories().some((m) => m.pointer === memory);
    if (!known) fail(extension, "the memory of a raw alias is none of the client's memories");
  } catch (error) {
    if (!(error instanceof PjrtError) || error.codeName !== 'UNIMPLEMENTED') throw error;
  }
}

function out(context: CaseContext, extension: PluginExtension, raw: bigint, bytes: number): Uint8Array {
  const block = hostDestination(context.arena, bytes);
  transfer(context, extension, 'CopyRawDeviceToHost', 'dst', raw, block.address, bytes);
  return block.bytes.slice(0, bytes);
}

function into(context: CaseContext, extension: PluginExtension, raw: bigint, bytes: Uint8Array): void {
  const block = context.arena.input(bytes);
  transfer(context, extension, 'CopyRawHostToDevice', 'src', raw, block.address, bytes.length);
}

/** Copies bytes between a raw alias and the host, and waits. */
export function transfer(
  context: CaseContext,
  extension: PluginExtension,
  slot: string,
  field: 'src' | 'dst',
  raw: bigint,
  host: bigint,
  bytes: number,
  offset = 0,
): void {
  const event = extension.invoke(
    `${PREFIX}${slot}`,
    (call) => {
      call.setWord('buffer', raw);
      call.setWord(field, host);
      call.setSize('offset', offset);
      call.setSize('transfer_size', bytes);
    },
    (call) => call.word('event'),
  );
  if (event !== 0n) context.scope.own(new Event(context.api, event)).await();
}
