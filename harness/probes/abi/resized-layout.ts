import { type Field, StructLayout } from '../../abi/index.ts';

/** The layout of a struct as somebody with another header knows it: cut off after, or grown to, `bytes`. */
export function resizedLayout(layout: StructLayout, bytes: number): StructLayout {
  const fields: Field[] = layout.fields.filter((f) => f.offset + f.size <= bytes);
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
