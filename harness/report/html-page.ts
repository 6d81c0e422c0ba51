import { readFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { packagePath } from '../base/paths.ts';
import { WriteFileError } from './write-file.ts';

/** The front end with its style, one file; built from web/ by `npm run build`. */
const TEMPLATE = packagePath('dist', 'web', 'report.html');
/** Placeholders in the template for the fallback markup and the data. */
const MARKS = ['<!--static-->', '<!--data-->'] as const;

/**
 * Writes the page with its data.
 * @param fallback markup shown without scripts, for example in the sandbox of some CI systems
 * @param writeData writes blocks, see {@link packedBlock}
 */
export function writePage(write: (chunk: string) => void, fallback: string, writeData: () => void): void {
  const [top, middle, bottom] = template();
  write(top);
  write(fallback);
  write(middle);
  writeData();
  write(bottom);
}

function template(): [top: string, middle: string, bottom: string] {
  let text: string;
  try {
    text = readFileSync(TEMPLATE, 'utf8');
  } catch (cause) {
    throw new WriteFileError(`${TEMPLATE}: the page of HTML reports is missing: npm run build creates it`, {
      cause,
    });
  }
  const [first, second] = MARKS.map((mark) => text.indexOf(mark)) as [number, number];
  return [text.slice(0, first), text.slice(first + MARKS[0].length, second), text.slice(second + MARKS[1].length)];
}

/** A block of data. Base64 has no character that could end the element. */
export const packedBlock = (part: string, from: number, json: string): string =>
  `<script type="application/octet-stream" data-part="${part}" data-from="${from}">${deflateRawSync(json).toString('base64')}</script>\n`;
