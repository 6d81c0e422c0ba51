import { cleanLine, cleanText } from '../base/sanitize.ts';

/** Attributes in writing order; undefined ones are omitted. */
export type Attributes = Record<string, string | number | undefined>;

/**
 * Writes an XML document piece by piece. Every string is cleaned, so that no caller can write an illegal character;
 * attributes are kept on one line, because parsers turn line ends in them into spaces. Names are not checked.
 */
export class XmlWriter {
  readonly #write: (chunk: string) => void;
  #indent = '\n';

  constructor(write: (chunk: string) => void) {
    this.#write = write;
    write('<?xml version="1.0" encoding="UTF-8"?>');
  }

  /** An element with the content written by `content`, with a text, or empty. */
  element(name: string, attributes: Attributes, content?: string | (() => void)): void {
    let tag = `${this.#indent}<${name}`;
    for (const [key, value] of Object.entries(attributes)) {
      if (value !== undefined) tag += ` ${key}="${escapedAttribute(cleanLine(String(value)))}"`;
    }
    if (!content) this.#write(`${tag}/>`);
    else if (typeof content === 'string') this.#write(`${tag}>${escapedText(cleanText(content))}</${name}>`);
    else {
      const indent = this.#indent;
      this.#write(`${tag}>`);
      this.#indent = `${indent}  `;
      content();
      this.#indent = indent;
      this.#write(`${indent}</${name}>`);
    }
  }
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const entity = (character: string): string => ENTITIES[character]!;

// Also `>`: `]]>` in a text is an error.
const escapedText = (text: string): string => text.replace(/[&<>]/g, entity);

const escapedAttribute = (text: string): string => text.replace(/[&<>"]/g, entity);
