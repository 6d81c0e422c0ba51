import { ABI_TABLE } from './abi-table.ts';
import { EXTENSION_TABLE, EXTENSIONS } from './extensions.ts';

/** What the struct_size of an extension says about the headers that a plugin was built with. */
export interface ExtensionSize {
  /**
   * `newest`, `older`: a published layout has this size. `longer`: newer than this tool knows. `other`: no published layout
   * has it. `none`: the type is unknown, or has no layout (any more).
   */
  fit: 'newest' | 'older' | 'longer' | 'other' | 'none';
  /** Days between which published headers had the size; the newest has no end. */
  since?: string;
  until?: string;
  /** Version of the C API at that day. */
  minor?: number;
  /** Slots of the newest known layout that lie past the size. */
  lacks: string[];
}

/** Compares the struct_size of an extension with the layouts that its header had. */
export function extensionSize(type: number, structSize: number): ExtensionSize {
  const known = EXTENSIONS.get(type);
  const sizes = EXTENSION_TABLE.extensions.find((row) => row.type === type)?.sizes ?? [];
  if (known?.size === undefined || sizes.length === 0) return { fit: 'none', lacks: [] };
  const lacks = known.slots.filter((s) => s.offset + s.size > structSize).map((s) => s.name);
  const at = sizes.findLastIndex((s) => s.size === structSize);
  if (at === -1) return { fit: structSize > known.size ? 'longer' : 'other', lacks };
  const [{ since }, until] = [sizes[at]!, sizes[at + 1]?.since];
  const minor = ABI_TABLE.minors.findLast((m) => m.first <= since)?.minor;
  return {
    fit: until === undefined ? 'newest' : 'older',
    since,
    ...(until === undefined ? {} : { until }),
    minor,
    lacks,
  };
}
