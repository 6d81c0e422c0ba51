import { inflateRawSync } from 'node:zlib';
import type { HtmlBlocks, HtmlPart } from '../../harness/report/html-data.ts';

const BLOCK = /<script type="application\/octet-stream" data-part="(\w+)" data-from="\d+">([^<]*)<\/script>/g;

const unpack = (packed: string): unknown => JSON.parse(inflateRawSync(Buffer.from(packed, 'base64')).toString('utf8'));

/** The blocks of one part of an HTML report. */
export const htmlBlocks = <P extends HtmlPart>(html: string, part: P): HtmlBlocks[P][] =>
  [...html.matchAll(BLOCK)].filter(([, name]) => name === part).map(([, , packed]) => unpack(packed!) as HtmlBlocks[P]);

/** An HTML report with its data as readable JSON, one entry per line; other files unchanged. */
export const unpackedHtml = (text: string): string =>
  text.replace(BLOCK, (_, part, packed) => `${part}: ${JSON.stringify(unpack(packed), null, 1)}\n`);
