import { TornFileError } from './byte-source.ts';

const WHAT = 'the table of exports';

/** Names that a Mach-O file exports, as the tree of their common beginnings that its loader searches. */
export class MachExports {
  readonly #bytes: Buffer;

  constructor(view: DataView<ArrayBuffer>) {
    this.#bytes = Buffer.from(view.buffer);
  }

  /** Number of names. @throws TornFileError */
  count(): number {
    if (this.#bytes.length === 0) return 0;
    let names = 0;
    const seen = new Set([0]);
    for (const node of seen) {
      const { isName, children } = this.#node(node);
      if (isName) names += 1;
      for (const { to } of children) {
        // In a damaged file, ways may meet again, or lead in a circle.
        if (seen.has(to)) throw new TornFileError(`${WHAT}: two ways lead to its byte ${to}`);
        seen.add(to);
      }
    }
    return names;
  }

  /** @throws TornFileError */
  has(name: string): boolean {
    if (this.#bytes.length === 0) return false;
    let node = this.#node(0);
    for (let rest = name; rest.length > 0; ) {
      const next = node.children.find(({ label }) => label.length > 0 && rest.startsWith(label));
      if (!next) return false;
      rest = rest.slice(next.label.length);
      node = this.#node(next.to);
    }
    return node.isName;
  }

  #node(offset: number): { isName: boolean; children: { label: string; to: number }[] } {
    const info = this.#number(offset);
    let at = info.end + info.value;
    const count = this.#byte(at++);
    const children: { label: string; to: number }[] = [];
    for (let i = 0; i < count; i++) {
      const end = this.#bytes.indexOf(0, at);
      if (end === -1) throw new TornFileError(`${WHAT}: a name at its byte ${at} has no end`);
      const to = this.#number(end + 1);
      children.push({ label: this.#bytes.toString('latin1', at, end), to: to.value });
      at = to.end;
    }
    return { isName: info.value > 0, children };
  }

  /** A number in groups of seven bits, the lowest first. */
  #number(start: number): { value: number; end: number } {
    let value = 0;
    for (let at = start, scale = 1; scale < 2 ** 49; at++, scale *= 128) {
      const byte = this.#byte(at);
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return { value, end: at + 1 };
    }
    throw new TornFileError(`${WHAT}: the number at its byte ${start} has no end`);
  }

  #byte(at: number): number {
    const byte = this.#bytes[at];
    if (byte === undefined) throw new TornFileError(`${WHAT}: it has ${this.#bytes.length} bytes, and refers to ${at}`);
    return byte;
  }
}
