import { Abi, NEWEST_MINOR, OLDEST_MINOR } from './abi.ts';

const known = new Map<string, ReadonlySet<number>>();

/** All sizes that headers have given a struct of the API, from the least on, with and without the padding of sizeof. */
export function headerSizes(name: string): ReadonlySet<number> {
  let sizes = known.get(name);
  if (!sizes) {
    const versions = Array.from({ length: NEWEST_MINOR - OLDEST_MINOR + 1 }, (_, i) => Abi.at(OLDEST_MINOR + i));
    const layouts = versions.filter((abi) => abi.hasStruct(name)).map((abi) => abi.struct(name));
    const all = layouts.flatMap(({ structSize, size, declaredSize }) => [structSize, size, declaredSize ?? size]);
    sizes = new Set(all.sort((a, b) => a - b));
    known.set(name, sizes);
  }
  return sizes;
}
