import type { HostArray } from '../../../knowledge/numerics/array.ts';
import { Buffer, makeLayout } from '../../pjrt/buffer.ts';
import { Event } from '../../pjrt/event.ts';
import { createAlias, fulfillAlias, TransferManager } from '../../pjrt/transfer-manager.ts';
import type { CaseContext } from '../../steps/context.ts';
import { deviceBytes } from '../../steps/device-bytes.ts';
import { ifOffered, ownLayout } from '../../steps/device-format.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { startPut } from '../../steps/transfer.ts';
import { knownExtension, rawAlias, transfer } from '../extensions/raw-buffer.ts';
import { lentAddress } from '../support/lent-address.ts';
import { defaultMemory } from '../support/sending.ts';
import { makeView } from '../views/make-view.ts';

/** A way by which an array becomes a buffer. All of them give the same. */
export interface WayIn {
  name: string;
  /** The ways that one case is about. */
  family: 'host' | 'host-mutable' | 'pieces' | 'literal' | 'alias' | 'view' | 'uninitialized';
  /** The functions that take part. The last one fills the buffer. */
  functions: readonly [string, ...string[]];
  /** What it violates if the buffer holds another array. */
  requirement: string;
  make(context: CaseContext, array: HostArray): Buffer | Promise<Buffer>;
}

const PREFIX = 'PJRT_AsyncHostToDeviceTransferManager_';
const MANAGER = ['PJRT_Client_CreateBuffersForAsyncHostToDevice', `${PREFIX}RetrieveBuffer`] as const;

/** Just beyond what one, two and three bytes of a size hold, or half of a size. */
export const EDGES: readonly number[] = [257, 65537, 1048577];

const put = (semantics: 'during-call' | 'until-transfer-completes' | 'zero-copy' | 'mutable-zero-copy'): WayIn => ({
  name: `a transfer with ${semantics} semantics`,
  family: semantics === 'mutable-zero-copy' ? 'host-mutable' : 'host',
  functions: ['PJRT_Client_BufferFromHostBuffer'],
  requirement: semantics === 'mutable-zero-copy' ? 'BUF-HOST-019' : 'BUF-HOST-002',
  make: (context, array) => startPut(context, array, { semantics }),
});

/** By the way that every plugin has. */
export const PLAIN = put('until-transfer-completes');

export const WAYS_IN: readonly WayIn[] = [
  PLAIN,
  put('during-call'),
  put('zero-copy'),
  put('mutable-zero-copy'),
  {
    name: 'one piece of a transfer manager',
    family: 'pieces',
    functions: [...MANAGER, `${PREFIX}TransferData`],
    requirement: 'H2D-TRD-001',
    make: (context, array) => inPieces(context, array, []),
  },
  {
    name: 'pieces of a transfer manager, the last one first',
    family: 'pieces',
    functions: [...MANAGER, `${PREFIX}TransferData`],
    requirement: 'H2D-TRD-004',
    make: (context, array) => inPieces(context, array, EDGES),
  },
  {
    // Whatever alignment a device wants.
    name: 'whole pages of a transfer manager',
    family: 'pieces',
    functions: [...MANAGER, `${PREFIX}TransferData`],
    requirement: 'H2D-TRD-001',
    make: (context, array) => inPieces(context, array, [4096, 65536 + 4096]),
  },
  {
    name: 'a literal of a transfer manager',
    family: 'literal',
    functions: [...MANAGER, `${PREFIX}TransferLiteral`],
    requirement: 'H2D-LIT-001',
    make: async (context, array) => {
      const { api, arena, scope } = context;
      const { manager, buffer } = managed(context, array);
      const fields = {
        ...{ transfer_manager: manager.pointer, buffer_index: 0, data: arena.input(array.bytes).address },
        ...shapeFields(context, array),
      };
      const sent = await api.invokeAsync(
        `${PREFIX}TransferLiteral`,
        fields,
        (call) => new Event(api, call.word('done_with_h2d_transfer')),
      );
      await scope.own(sent).awaitAsync();
      return buffer;
    },
  },
  {
    name: 'an alias',
    family: 'alias',
    functions: ['PJRT_Client_CreateAliasBuffer', 'PJRT_Client_FulfillAliasBuffer'],
    requirement: 'BUF-ALI-002',
    make: async (context, array) => {
      const source = startPut(context, array);
      const spec = { type: array.dtype.enumValue, dims: array.shape };
      const layout = ownLayout(context, source);
      const alias = createAlias(context.client, context.arena, spec, defaultMemory(context), layout);
      await fulfillAlias(context.api, alias.fulfill, { buffer: source.pointer });
      return context.scope.own(alias.buffer);
    },
  },
  {
    name: 'a view',
    family: 'view',
    functions: ['PJRT_Client_CreateViewOfDeviceBuffer'],
    requirement: 'BUF-VIEW-001',
    make: (context, array) => {
      const source = startPut(context, array);
      return makeView(context, lentAddress(context, source), array);
    },
  },
  {
    name: 'raw bytes into an uninitialized buffer',
    family: 'uninitialized',
    functions: ['PJRT_Client_CreateUninitializedBuffer', 'RawBuffer.PJRT_RawBuffer_CopyRawHostToDevice'],
    requirement: 'BUF-UNI-001',
    make: (context, array) => {
      const { api, arena, scope, client } = context;
      const bytes = deviceBytes(context, array);
      // Without a layout: the bytes are in the format that the device chooses.
      const { shape_layout: _, ...shape } = shapeFields(context, array);
      const fields = { client: client.pointer, device: client.firstDevice().pointer, ...shape };
      const buffer = scope.own(
        api.invoke('PJRT_Client_CreateUninitializedBuffer', fields, (call) => new Buffer(api, call.word('buffer'))),
      );
      const extension = knownExtension(context);
      const raw = rawAlias(context, extension, buffer);
      const { address } = arena.input(bytes);
      transfer(context, extension, 'CopyRawHostToDevice', 'src', raw, address, bytes.length);
      return buffer;
    },
  },
];

export const shapeFields = ({ api, arena }: CaseContext, { shape, dtype }: HostArray) => ({
  shape_dims: arena.int64s(shape).address,
  shape_num_dims: shape.length,
  shape_element_type: dtype.enumValue,
  shape_layout: makeLayout(api, arena, shape.map((_, i) => i).toReversed()),
});

function managed(context: CaseContext, { dtype, shape }: HostArray): { manager: TransferManager; buffer: Buffer } {
  const { client, arena, scope } = context;
  const specs = [{ type: dtype.enumValue, dims: shape }];
  const manager = scope.own(TransferManager.create(client, arena, specs, defaultMemory(context)));
  return { manager, buffer: scope.own(manager.retrieve(0)) };
}

/** @param cuts where a piece ends, as far as they lie inside */
async function inPieces(context: CaseContext, array: HostArray, cuts: readonly number[]): Promise<Buffer> {
  const { arena, scope } = context;
  const bytes = deviceBytes(context, array);
  const edges = [0, ...cuts.filter((cut) => cut < bytes.length), bytes.length];
  if (cuts.length > 0 && edges.length < 3) throw new NotSupported('the array is smaller than a piece');
  const { manager, buffer } = managed(context, array);
  for (let i = edges.length - 2; i >= 0; i--) {
    const [from, to] = [edges[i]!, edges[i + 1]!];
    const host = arena.input(bytes.subarray(from, to));
    await scope.own(await manager.transfer(0, host.address, to - from, from, i === 0)).awaitAsync();
  }
  return buffer;
}

/** What a copy is made with. */
export interface Copy {
  name: string;
  call: string;
  requirement: string;
  device?: bigint;
  memory?: bigint;
  make(source: Buffer): Buffer;
}

/** Every kind of copy that this plugin may make of a buffer on its first device: to another device, to other memories. */
export function copiesFrom(context: CaseContext): Copy[] {
  const { api, client } = context;
  const others = client.addressableDevices().slice(1).slice(-1);
  const memories = ifOffered(() => client.firstDevice().memories()) ?? [];
  const own = ifOffered(() => defaultMemory(context).pointer);
  return [
    ...others.map((device) => ({
      name: 'a copy on another device',
      call: 'PJRT_Buffer_CopyToDevice',
      requirement: 'BUF-CPY-001',
      device: device.pointer,
      make: (source: Buffer) => source.copyToDevice(device.pointer),
    })),
    ...memories.map(({ pointer }) => ({
      name: pointer === own ? 'a copy in the same memory' : 'a copy in another memory',
      call: 'PJRT_Buffer_CopyToMemory',
      requirement: 'BUF-CPY-003',
      memory: pointer,
      make: (source: Buffer) =>
        api.invoke(
          'PJRT_Buffer_CopyToMemory',
          { buffer: source.pointer, dst_memory: pointer },
          (call) => new Buffer(api, call.word('dst_buffer')),
        ),
    })),
  ];
}
