import { type Field, StructLayout } from '../../knowledge/abi/index.ts';

/** The layout of a struct in another header: truncated, or extended, to `bytes`. */
export function resizedLayout(layout: StructLayout, bytes: number): StructLayout {
  const kept = layout.fields.filter((f) => f.offset + f.size <= bytes);
  const fields: Field[] = kept.map((f) => withoutLost(f, new Set(kept.map(({ name }) => name))));
  const end = fields.at(-1);
  const used = end ? end.offset + end.size : 0;
  if (bytes > used) {
    fields.push({
      name: '(unknown)',
      type: `char[${bytes - used}]`,
      base: 'char',
      depth: 0,
      offset: used,
      size: bytes - used,
      out: false,
      inOut: false,
      union: false,
    });
  }
  return new StructLayout(layout.name, fields, layout.align);
}

/** A field that mentions only fields that are still there. */
function withoutLost(field: Field, names: ReadonlySet<string>): Field {
  const known = (name: string | undefined) => (name !== undefined && names.has(name) ? name : undefined);
  const { count, inner, deleter, flag } = field;
  return { ...field, count: known(count), inner: known(inner), deleter: known(deleter), flag: known(flag) };
}
