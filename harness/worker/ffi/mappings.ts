import { readFileSync } from 'node:fs';

/** One mapping of the process. */
interface Mapping {
  start: bigint;
  end: bigint;
  readable: boolean;
  executable: boolean;
  /** The mapped file; empty for anonymous memory. */
  file: string;
}

/** The current mappings; undefined if the system does not report them (Linux does). */
export function readMappings(): Mapping[] | undefined {
  if (process.platform !== 'linux') return undefined;
  return readFileSync('/proc/self/maps', 'utf8').split('\n').filter(Boolean).map(parseMapping);
}

/** Parses one line of /proc/<pid>/maps. */
export function parseMapping(line: string): Mapping {
  const [, start, end, access, file] = /^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+\s*(.*)$/.exec(line) ?? [];
  if (start === undefined || end === undefined || access === undefined) throw new Error(`not a mapping: ${line}`);
  return {
    start: BigInt(`0x${start}`),
    end: BigInt(`0x${end}`),
    readable: access[0] === 'r',
    executable: access[2] === 'x',
    file: file ?? '',
  };
}

/** The mapping that contains an address. */
export const mappingAt = (mappings: readonly Mapping[], address: bigint): Mapping | undefined =>
  mappings.find((m) => address >= m.start && address < m.end);
