import { packedBlock, writePage } from '../html-page.ts';
import { htmlText } from '../markdown-text.ts';
import type { CaseTrendKind } from './case-trends.ts';
import type { Trend } from './trend.ts';
import { caseText, KINDS, LEGEND, pluginText, programText, timeText, trendLine } from './words.ts';

/** Data of the page of a trend, in one block of the part `trend`, with what the terminal says of it. */
export interface HtmlTrend extends Trend {
  line: string;
  kinds: Record<CaseTrendKind, { title: string; about: string }>;
  legend: string;
  /** API version and build of the plugin of each run. */
  builds: string[];
  /** Of each case, each time and each program, in their order. */
  said: { cases: string[]; times: string[]; programs: string[] };
}

/** The trend as one HTML file: the page of a run's report with other data. */
export function writeHtml(trend: Trend, write: (chunk: string) => void): void {
  const data: HtmlTrend = {
    ...trend,
    line: trendLine(trend),
    kinds: KINDS,
    legend: LEGEND,
    builds: trend.runs.map(pluginText),
    said: {
      cases: trend.cases.map((item) => caseText(trend, item)),
      times: trend.times.records.map((item) => timeText(trend, item)),
      programs: trend.programs.map((item) => programText(trend, item)),
    },
  };
  const fallback = `<h1>PJRT trend</h1><p>${htmlText(data.line)}</p>`;
  writePage(write, fallback, () => write(packedBlock('trend', 0, JSON.stringify(data))));
}
