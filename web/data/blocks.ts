import type { HtmlComparison } from '../../harness/compare/html-data.ts';
import type { HtmlBlocks } from '../../harness/report/html-data.ts';

/** What a file can carry: the blocks of a run, or the one of a comparison. */
interface Parts extends HtmlBlocks {
  comparison: HtmlComparison;
}

type Part = keyof Parts;

/** A block of the data that the file carries, still packed. */
interface Block {
  /** Number of the first case in it. */
  from: number;
  text: string;
}

/** The data of the file, unpacked a block at a time. */
export class Blocks {
  readonly #parts = new Map<Part, Block[]>();

  /** Takes the blocks out of the page, so that their text is held once. */
  constructor(page: Document) {
    for (const element of page.querySelectorAll<HTMLScriptElement>('script[data-part]')) {
      const part = element.dataset.part as Part;
      const blocks = this.#parts.get(part) ?? [];
      blocks.push({ from: Number(element.dataset.from), text: element.textContent ?? '' });
      this.#parts.set(part, blocks);
      element.remove();
    }
  }

  count(part: Part): number {
    return this.#parts.get(part)?.length ?? 0;
  }

  /** Which block of a part holds a case, -1 if none can. */
  holding(part: Part, index: number): number {
    return this.#parts.get(part)?.findLastIndex(({ from }) => from <= index) ?? -1;
  }

  async read<P extends Part>(part: P, at = 0): Promise<Parts[P]> {
    const block = this.#parts.get(part)?.[at];
    if (!block) throw new Error(`the report has no ${part}`);
    return (await unpack(block.text)) as Parts[P];
  }
}

function unpack(text: string): Promise<unknown> {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Response(stream).json();
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
