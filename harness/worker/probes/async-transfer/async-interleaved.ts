import { errorOfAsync } from '../../pjrt/errors.ts';
import { TransferManager } from '../../pjrt/transfer-manager.ts';
import type { CaseContext } from '../../steps/context.ts';
import { deviceBytes } from '../../steps/device-bytes.ts';
import { NotSupported, refusal } from '../../steps/outcome.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { oneOf, optional, probe, type Values } from '../probe.ts';
import { hashed, same, violated } from '../support/checks.ts';
import { codeNumber, defaultMemory } from '../support/sending.ts';
import { cut } from './async-pieces.ts';

const TRANSFER = 'PJRT_AsyncHostToDeviceTransferManager_TransferData';
const SET_ERROR = 'PJRT_AsyncHostToDeviceTransferManager_SetBufferError';
const RETRIEVE = 'PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer';
const PIECES = 3;
const MESSAGE = 'the rest is lost';

/** Numbers of elements: of a few bytes, and of whole pages, which have every alignment that a device may want. */
const FEW = [24, 1002, 30, 96];
const PAGES = [3072, 7168, 4096, 5120];

const OPTIONS = {
  retrieved: optional(oneOf('first', 'between', 'last'), 'first'),
  ending: optional(oneOf('contents', 'error'), 'contents'),
};

/**
 * Sends several arrays of one transfer manager, a piece of each by turns. Buffers are retrieved before the first piece, after the first
 * of each, or after the last. With the ending `error`, the second gets an error instead of its second piece.
 */
export const asyncInterleaved = probe('async-interleaved', OPTIONS, async (context, options) => {
  try {
    await interleave(context, FEW, options);
  } catch (error) {
    if (!(error instanceof NotSupported)) throw error;
  }
  await interleave(context, PAGES, options);
});

async function interleave(
  context: CaseContext,
  counts: readonly number[],
  { retrieved, ending }: Values<typeof OPTIONS>,
): Promise<void> {
  const { arena, client, scope } = context;
  const arrays = counts.map((count, i) => hashed('f32', [count], i + 1));
  const specs = arrays.map(({ dtype, shape }) => ({ type: dtype.enumValue, dims: shape }));
  const manager = scope.own(TransferManager.create(client, arena, specs, defaultMemory(context)));
  const retrieve = () =>
    arrays.map((_, i) => {
      const buffer = scope.own(manager.retrieve(i));
      return { buffer, ready: scope.own(buffer.readyEvent()) };
    });
  let made = retrieved === 'first' ? retrieve() : undefined;
  const fails = (i: number): boolean => ending === 'error' && i === 1;
  const pieces = arrays.map((array) => {
    const bytes = deviceBytes(context, array);
    return cut(bytes.length, PIECES, 'forward').map(({ from, to }) => ({ from, bytes: bytes.subarray(from, to) }));
  });
  for (let piece = 0; piece < PIECES; piece++) {
    if (piece === 1 && retrieved === 'between') made = retrieve();
    for (const i of arrays.keys()) {
      if (made?.[i]?.ready.isReady() && !(fails(i) && piece > 1))
        violated(`buffer ${i} is ready before its last piece was sent`, TRANSFER, 'H2D-TRD-002');
      if (fails(i) && piece > 0) {
        if (piece === 1) await manager.setError(i, codeNumber(context, 'DATA_LOSS'), arena.text(MESSAGE));
        continue;
      }
      const { from, bytes } = pieces[i]![piece]!;
      try {
        const sent = await manager.transfer(i, arena.input(bytes).address, bytes.length, from, piece === PIECES - 1);
        await scope.own(sent).awaitAsync();
      } catch (error) {
        throw refusal(error, `a piece of ${bytes.length} bytes at ${from} is refused, maybe for its alignment`);
      }
    }
  }
  made ??= retrieve();
  for (const [i, { buffer, ready }] of made.entries()) {
    const error = await errorOfAsync(ready.awaitAsync());
    if (fails(i)) {
      if (error?.codeName !== 'DATA_LOSS' || !error.text.includes(MESSAGE))
        violated(
          `a buffer that was given an error after its first piece ${error ? `ended with ${error.codeName}: ${error.text}` : 'became ready without one'}; expected DATA_LOSS: ${MESSAGE}`,
          SET_ERROR,
          'H2D-ERR-001',
        );
      continue;
    }
    if (error) throw error;
    same(
      `buffer ${i}`,
      arrays[i]!,
      fetchArray(context, buffer),
      retrieved === 'last' ? RETRIEVE : TRANSFER,
      'H2D-TRD-001',
    );
  }
}
