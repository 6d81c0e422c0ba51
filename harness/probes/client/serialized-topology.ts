import { deleterOf } from '../../pjrt/deleter.ts';
import { readData } from '../../pjrt/strings.ts';
import { Topology } from '../../pjrt/topology.ts';
import type { CaseContext } from '../../steps/context.ts';
import { NotSupported, SuiteFault } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { broken, choice, errorOf } from './support.ts';

const SERIALIZE = 'PJRT_TopologyDescription_Serialize';
const DESERIALIZE = 'PJRT_TopologyDescription_Deserialize';

interface Serialized {
  address: bigint;
  length: number;
  bytes(): Uint8Array;
  free(): void;
}

/** One rule on topologies as bytes. */
export const serializedTopology: Probe = (context, options) => {
  const rule = RULES[String(options.rule)];
  if (!rule) throw new SuiteFault(`rule is one of ${Object.keys(RULES).join(', ')}`);
  rule(context, context.resolve('$topology') as Topology, options);
};

/** Serializes a topology; the bytes belong to the plugin until `free`. */
export const serializeTopology = (context: CaseContext, topology: Topology): Serialized =>
  topology.api.invoke(
    SERIALIZE,
    (call) => call.setWord('topology', topology.pointer),
    (call) => {
      const [address, length] = [call.word('serialized_bytes'), call.size('serialized_bytes_size')];
      const free = deleterOf(context.instrument, call, 'serialized_topology');
      if (address === 0n || length === 0) broken(`${SERIALIZE} gave no bytes`, SERIALIZE);
      if (!free) broken('serialized bytes came without a deleter', SERIALIZE, 'TOP-SER-001');
      return { address, length, bytes: () => readData(address, length), free };
    },
  );

function deserialize(context: CaseContext, bytes: Uint8Array, scrub = false): Topology {
  const { api, arena } = context;
  const block = arena.input(bytes);
  const pointer = api.invoke(
    DESERIALIZE,
    (call) => {
      call.setWord('serialized_topology', block.address);
      call.setSize('serialized_topology_size', bytes.length);
    },
    (call) => call.word('topology'),
  );
  if (scrub) block.bytes.fill(0xee);
  if (pointer === 0n) broken(`${DESERIALIZE} succeeded, but its topology is NULL`, DESERIALIZE);
  return context.scope.own(new Topology(api, pointer, true));
}

const bytesOf = (context: CaseContext, topology: Topology): Uint8Array => {
  const serialized = serializeTopology(context, topology);
  const bytes = serialized.bytes();
  serialized.free();
  return bytes;
};

const factsOf = (topology: Topology): string =>
  [
    `platform ${topology.platformName()}`,
    `version ${topology.platformVersion()}`,
    `devices ${topology
      .deviceDescriptions()
      .map((d) => `${d.id()} ${d.deviceKind()}`)
      .join(', ')}`,
  ].join('\n');

function expectTwin(context: CaseContext, original: Topology, copy: Topology): void {
  const [wanted, got] = [factsOf(original), factsOf(copy)];
  if (wanted !== got)
    broken('a topology that went through bytes is another one', DESERIALIZE, undefined, {
      detail: `before:\n${wanted}\nafter:\n${got}`,
    });
  if (Buffer.compare(bytesOf(context, original), bytesOf(context, copy)) !== 0)
    broken('a topology that went through bytes gives other bytes', SERIALIZE);
}

const RULES: Readonly<
  Record<string, (context: CaseContext, topology: Topology, options: Readonly<Record<string, unknown>>) => void>
> = {
  deleter: (context, topology) => {
    const first = serializeTopology(context, topology);
    const before = first.bytes();
    const second = serializeTopology(context, topology);
    second.free();
    if (Buffer.compare(first.bytes(), before) !== 0)
      broken('serialized bytes changed when another set of them was deleted', SERIALIZE);
    first.free();
    if (Buffer.compare(bytesOf(context, topology), before) !== 0)
      broken('a topology gives other bytes after its first ones were deleted', SERIALIZE);
  },
  'round-trip': (context, topology) => {
    const copy = deserialize(context, bytesOf(context, topology));
    expectTwin(context, topology, copy);
    copy.destroy();
    // The copy is the caller's own: the original must not go with it.
    factsOf(topology);
  },
  'input-memory': (context, topology) => {
    expectTwin(context, topology, deserialize(context, bytesOf(context, topology), true));
  },
  damaged: (context, topology, options) => {
    // The control: a plugin that cannot write or read its own bytes refuses all others for the same reason.
    let good = new Uint8Array();
    const control = errorOf(() => {
      good = bytesOf(context, topology).slice();
      deserialize(context, good).destroy();
    });
    if (control)
      throw new NotSupported(`the plugin cannot write bytes and read them back: ${control.codeName}: ${control.text}`);
    const damage = choice(options, 'damage', ['junk', 'zeros', 'truncated']);
    const bad = {
      junk: Uint8Array.from({ length: 64 }, (_, i) => (i * 37 + 0xc3) & 0xff),
      zeros: new Uint8Array(good.length),
      truncated: good.slice(0, Math.floor(good.length / 2)),
    }[damage];
    const error = errorOf(() => deserialize(context, bad));
    if (!error)
      broken(`bytes that are no topology (${damage}) were accepted`, DESERIALIZE, 'TOP-SER-003', {
        type: 'pjrt.MissingError',
      });
  },
};
