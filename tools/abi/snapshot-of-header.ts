import { builtinSize, type TypeSize } from '../../harness/knowledge/abi/c-type.ts';
import { type AbiSnapshot, structSnapshot } from '../../harness/knowledge/abi/snapshot.ts';
import { layOut, type StructLayout } from '../../harness/knowledge/abi/struct-layout.ts';
import { type Declarations, HeaderError } from './c-declarations.ts';

/** Layouts of everything a header declares; `known` answers for types that other headers declare. */
export function layoutsOf(
  declared: Declarations,
  known: (type: string) => TypeSize | undefined = () => undefined,
): Map<string, StructLayout> {
  const layouts = new Map<string, StructLayout>();
  const sizeOf = (type: string, where: string): TypeSize => {
    const size = builtinSize(type) ?? (declared.enums.has(type) ? { size: 4, align: 4 } : undefined);
    if (size) return size;
    if (declared.structs.has(type)) return layoutOf(type);
    if (/\(\s*\*/.test(declared.functions.get(type) ?? '')) return { size: 8, align: 8 };
    const elsewhere = known(type);
    if (!elsewhere)
      throw new HeaderError(
        `${where}: in this struct: unknown type \`${type}\`: expected one that the header declares above`,
      );
    return elsewhere;
  };
  const layoutOf = (name: string): StructLayout => {
    let layout = layouts.get(name);
    if (!layout) {
      const { fields, sizedTo, declaredSize, where } = declared.structs.get(name)!;
      const sizes = (type: string): TypeSize => sizeOf(type, where);
      const plain = layOut(name, fields, sizes);
      const last = sizedTo === undefined ? undefined : plain.field(sizedTo);
      layout = layOut(name, fields, sizes, last ? last.offset + last.size : (declaredSize ?? null));
      layouts.set(name, layout);
    }
    return layout;
  };
  for (const name of declared.structs.keys()) layoutOf(name);
  return layouts;
}

/** The expanded table of a C API header. */
export function snapshotOfHeader(declared: Declarations, origin: { date: string; commit: string }): AbiSnapshot {
  const major = declared.numbers.get('PJRT_API_MAJOR');
  const minor = declared.numbers.get('PJRT_API_MINOR');
  if (major === undefined || minor === undefined)
    throw new HeaderError(`${declared.where}: expected \`#define PJRT_API_MAJOR 0\` and PJRT_API_MINOR`);
  return {
    major,
    minor,
    enums: Object.fromEntries([...declared.enums].map(([name, values]) => [name, Object.fromEntries(values)])),
    structs: Object.fromEntries([...layoutsOf(declared)].map(([name, layout]) => [name, structSnapshot(layout)])),
    first_commit_date: origin.date,
    last_commit_date: origin.date,
    source_commit: origin.commit,
  };
}
