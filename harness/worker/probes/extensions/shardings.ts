import type { LoadedExecutable } from '../../pjrt/executable.ts';
import type { PluginExtension } from '../../pjrt/extension-call.ts';
import { readData, readInt64s, readPointers } from '../../pjrt/strings.ts';
import { compileProgram } from '../../steps/compile.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { oneOf, probe } from '../probe.ts';
import { loadSerialized, serialize } from '../serialization/load-serialized.ts';
import { violated } from '../support/checks.ts';
import { extensionOf, fail, someExecutable } from './support.ts';

/** Its argument and its output are split. */
const PARTED = 'multi/partitions_negate';

/** Shardings of an executable with one parameter and one output: none at all, or one each. */
export const shardingsExtension = probe(
  'extension-shardings',
  { of: oneOf('parameters', 'outputs') },
  (context, { of }) => {
    const extension = extensionOf(context, 'Shardings');
    const outputs = of === 'outputs';
    const slot = `PJRT_Shardings_PJRT_Executable_${outputs ? 'Output' : 'Parameter'}Shardings`;
    const executable = someExecutable(context).pointer;
    const first = read(extension, slot, executable, outputs ? 'num_outputs' : 'num_parameters');
    if (!first) throw new NotSupported('the plugin knows no shardings of this executable');
    const second = read(extension, slot, executable, outputs ? 'num_outputs' : 'num_parameters');
    if (second?.map(hex).join() !== first.map(hex).join())
      fail(extension, `${slot} returns something else the second time`);
    for (const bytes of first) {
      if (!isMessage(bytes)) fail(extension, `${slot} gives bytes that are no protocol buffer`);
    }
  },
);

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** A loaded executable has the shardings of the original, whose argument and output are split over two devices. */
export const loadedShardings = probe('loaded-shardings', { of: oneOf('parameters', 'outputs') }, (context, { of }) => {
  const extension = extensionOf(context, 'Shardings');
  const outputs = of === 'outputs';
  const slot = `PJRT_Shardings_PJRT_Executable_${outputs ? 'Output' : 'Parameter'}Shardings`;
  const shardingsOf = (loaded: LoadedExecutable) =>
    read(
      extension,
      slot,
      context.scope.own(loaded.getExecutable()).pointer,
      outputs ? 'num_outputs' : 'num_parameters',
    );
  const original = compileProgram(context, PARTED, { num_partitions: 2 });
  const said = shardingsOf(original);
  if (!said) throw new NotSupported('the plugin knows no shardings of this executable');
  const loaded = shardingsOf(loadSerialized(context, serialize(context, original)));
  if (loaded?.map(hex).join() !== said.map(hex).join())
    violated(`${slot} returns other shardings for an executable that was loaded`, slot, 'SER-EXE-002');
});

function read(extension: PluginExtension, slot: string, executable: bigint, count: string): Uint8Array[] | undefined {
  return extension.invoke(
    slot,
    (call) => call.setWord('executable', executable),
    (call) => {
      const [texts, sizes] = [call.word('shardings'), call.word('sharding_sizes')];
      if (texts === 0n && sizes === 0n) return undefined;
      if (texts === 0n || sizes === 0n) fail(extension, `${slot} gives only one of its two arrays`);
      // Before the arrays are read: what lies behind their end is nobody's.
      const given = call.size(count);
      if (given !== 1) fail(extension, `${slot} gives ${given} shardings, expected 1`);
      const lengths = readInt64s(sizes, given);
      return readPointers(texts, given).map((p, i) => {
        if (p === 0n && lengths[i]! > 0) fail(extension, `${slot} gives a NULL sharding of ${lengths[i]} bytes`);
        return readData(p, lengths[i]!);
      });
    },
  );
}

/** Whether bytes are a well-formed sequence of protocol buffer fields; what they mean is not looked at. */
export function isMessage(bytes: Uint8Array): boolean {
  let at = 0;
  const varint = (): bigint | undefined => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) return undefined;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return undefined;
  };
  while (at < bytes.length) {
    const key = varint();
    if (key === undefined || key >> 3n === 0n) return false;
    const wire = Number(key & 7n);
    if (wire === 0) {
      if (varint() === undefined) return false;
    } else if (wire === 1) at += 8;
    else if (wire === 5) at += 4;
    else if (wire === 2) {
      const length = varint();
      if (length === undefined) return false;
      at += Number(length);
    } else return false;
    if (at > bytes.length) return false;
  }
  return true;
}
