import { asJson } from '../../base/as-json.ts';
import type { FormatVersion } from '../../model/values.ts';
import type { Format } from '../format.ts';
import type { Trend } from './trend.ts';

/** A file format for trends. */
export type TrendFormat = Format<Trend, unknown>;

/** Version of schemas/trend.schema.json. */
const TREND_VERSION = '1.0';

/** The trend as JSON: made by `trend`. Strings are clean text: no terminal sequences, no unprintable characters. */
export interface JsonTrend extends Trend {
  version: FormatVersion;
}

function writeJson(trend: Trend, write: (chunk: string) => void): void {
  const document: JsonTrend = { version: TREND_VERSION, ...trend };
  write(asJson(document));
}

/** Every format of a trend. */
export const TREND_FORMATS: readonly TrendFormat[] = [
  {
    name: 'text',
    file: 'trend.txt',
    description: 'as on the terminal',
    load: async () => (await import('./text.ts')).writeText,
  },
  {
    name: 'json',
    file: 'trend.json',
    description: 'complete JSON, for scripts (schemas/trend.schema.json)',
    load: async () => writeJson,
  },
  {
    name: 'html',
    file: 'trend.html',
    description: 'one self-contained HTML file, with plots',
    load: async () => (await import('./html.ts')).writeHtml,
  },
];
