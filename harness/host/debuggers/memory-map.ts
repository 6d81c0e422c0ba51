/** A place in a file that a process has mapped. */
interface Place {
  module: string;
  offset: string;
}

const MAPPING = /^([0-9a-f]+)-([0-9a-f]+) \S+ ([0-9a-f]+) \S+ \d+ +(\/.*?)(?: \(deleted\))?$/gm;

/**
 * Where addresses lie, by what the kernel says of the memory of a process.
 * @param maps as in `/proc/PID/maps`
 */
export function memoryMap(maps: string): (address: bigint) => Place | undefined {
  const bases = new Map<string, bigint>();
  const mappings = [...maps.matchAll(MAPPING)].map(([, from, to, offset, module]) => {
    const begin = BigInt(`0x${from}`);
    if (BigInt(`0x${offset}`) === 0n || !bases.has(module!)) bases.set(module!, begin - BigInt(`0x${offset}`));
    return { begin, end: BigInt(`0x${to}`), module: module!, base: bases.get(module!)! };
  });
  return (address) => {
    const found = mappings.find(({ begin, end }) => begin <= address && address < end);
    return found && { module: found.module, offset: `0x${(address - found.base).toString(16)}` };
  };
}
