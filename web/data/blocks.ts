import type { HtmlMatrix } from '../../harness/commands/coexist/html.ts';
import type { HtmlComparison } from '../../harness/report/compare/html.ts';
import type { HtmlBlocks } from '../../harness/report/html-data.ts';
import type { HtmlTrend } from '../../harness/report/trend/html.ts';

/** Data of a file: the blocks of a run, or the one of a comparison, a matrix or a trend. */
interface Parts extends HtmlBlocks {
  coexistence: HtmlMatrix;
  comparison: HtmlComparison;
  trend: HtmlTrend;
}

type Part = keyof Parts;

/** A compressed block of data. */
interface Block {
  /** Number of the first case in it. */
  from: number;
  text: string;
}

/** The data of the file, decompressed block by block. */
export class Blocks {
  readonly #parts = new Map<Part, Block[]>();

  /** Removes the blocks from the page, so that their text is held once. */
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

  /** Index of the block of a part that contains a case, or -1. */
  holding(part: Part, index: number): number {
    return this.#parts.get(part)?.findLastIndex(({ from }) => from <= index) ?? -1;
  }

  /** Number of the first case, or program, of a block. */
  from(part: Part, at: number): number {
    return this.#parts.get(part)?.[at]?.from ?? 0;
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
