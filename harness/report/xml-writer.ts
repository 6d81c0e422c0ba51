import { createCB } from 'xmlbuilder2';
import { cleanLine, cleanText } from './sanitize.ts';

/** Attributes in the order they are written; undefined ones are left out. */
export type Attributes = Record<string, string | number | undefined>;

/**
 * Writes an XML document piece by piece. Every string is cleaned on its way in, so no caller can write an illegal
 * character; attributes are kept to one line, because parsers turn line ends in them to spaces.
 */
export class XmlWriter {
  readonly #builder: ReturnType<typeof createCB>;

  constructor(write: (chunk: string) => void) {
    this.#builder = createCB({
      data: write,
      error: (error: Error) => {
        throw error;
      },
      prettyPrint: true,
      wellFormed: true,
    });
    this.#builder.dec({ encoding: 'UTF-8' });
  }

  /** An element with what `content` writes in it, or with a text, or empty. */
  element(name: string, attributes: Attributes, content?: string | (() => void)): void {
    this.#builder.ele(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value !== undefined) this.#builder.att(key, literal(cleanLine(String(value))));
    }
    if (typeof content === 'string') this.#builder.txt(literal(cleanText(content)));
    else content?.();
    this.#builder.up();
  }

  end(): void {
    this.#builder.end();
  }
}

// xmlbuilder2 takes `&lt;` and its like in a text for markup that is already escaped and would change what plugins say.
const literal = (text: string): string => text.replaceAll('&', '&amp;');
