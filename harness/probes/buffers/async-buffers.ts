import { TransferManager } from '../../pjrt/transfer-manager.ts';
import type { Probe } from '../../steps/steps.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { deviceFormat } from './device-format.ts';
import { broken, codeNumber, defaultMemory, hashed, option, same, statusOf } from './support.ts';

const CALL = 'PJRT_AsyncHostToDeviceTransferManager_TransferData';

/**
 * Several buffers of one manager get their contents one after the other; none waits for another one. Options: `buffers`,
 * `order`: `forward` or `backward`, `fail`: the index of one that gets an error instead.
 */
export const asyncBuffers: Probe = async (context, options) => {
  const { arena, scope } = context;
  const count = option(options, 'buffers', 3);
  const fail = option(options, 'fail', -1);
  const data = Array.from({ length: count }, (_, i) => hashed('s32', [i + 3, 5], 20 + i));
  const manager = scope.own(
    TransferManager.create(
      context.client,
      arena,
      data.map((d) => ({ type: d.dtype.enumValue, dims: d.shape })),
      defaultMemory(context),
    ),
  );
  const formats = data.map((array) => deviceFormat(context, array));
  const buffers = data.map((_, i) => scope.own(manager.retrieve(i)));
  const ready = buffers.map((b) => scope.own(b.readyEvent()));
  const order = data.map((_, i) => (option<string>(options, 'order', 'forward') === 'forward' ? i : count - 1 - i));
  for (const [n, i] of order.entries()) {
    if (ready[i]!.isReady()) broken(`buffer ${i} is ready before its contents were sent`, CALL, 'H2D-TRD-002');
    if (i === fail) await manager.setError(i, codeNumber(context, 'DATA_LOSS'), arena.text('this one is lost'));
    else {
      const bytes = formats[i]!;
      const sent = await manager.transfer(i, arena.input(bytes).address, bytes.length, 0, true);
      await scope.own(sent).awaitAsync();
    }
    const status = await statusOf(ready[i]!);
    if ((status !== undefined) !== (i === fail))
      broken(`buffer ${i} ended in ${status?.codeName ?? 'OK'}`, CALL, i === fail ? 'H2D-ERR-001' : 'H2D-TRD-001');
    for (const j of order.slice(n + 1))
      if (ready[j]!.isReady()) broken(`buffer ${j} is ready before its contents were sent`, CALL, 'H2D-TRD-002');
  }
  for (const [i, buffer] of buffers.entries())
    if (i !== fail) same(`buffer ${i}`, data[i]!, fetchArray(context, buffer), CALL, 'H2D-TRD-001');
};
