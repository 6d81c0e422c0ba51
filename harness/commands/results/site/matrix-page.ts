import { counted } from '../../../base/counted.ts';
import type { Submission } from '../submission.ts';
import { type Area, areasOf, asked } from './areas.ts';
import { html, type Markup } from './markup.ts';
import { count, page, table } from './page.ts';
import { productPath, runPath } from './places.ts';
import { verdictBadge } from './words.ts';

/** The first page: every run with its verdict, and the matrix of runs and suites. */
export function matrixPage(submissions: readonly Submission[]): string {
  const passing = submissions.filter(({ judgement }) => judgement.passes).length;
  const products = new Set(submissions.map(({ statement: { product } }) => `${product.vendor}/${product.name}`)).size;
  return page(
    'PJRT conformance results',
    [['Results']],
    html`<p>${counted(submissions.length, 'run')} of ${counted(products, 'product')}; ${passing === 1 ? '1 passes its' : `${count(passing)} pass their`} list.</p>
<section aria-labelledby="runs"><h2 id="runs">Runs</h2>
${table('Runs', RUN_HEAD, submissions.map(runRow))}
</section>
<section aria-labelledby="suites"><h2 id="suites">Suites</h2>
<p class="dim">Cases passed, of those that a plugin of its API version has to pass with what it offers. A dot: none.</p>
${suiteMatrix(submissions)}
</section>`,
  );
}

const RUN_HEAD = html`<tr><th scope="col">Product</th><th scope="col">Version</th><th scope="col">Verdict</th><th scope="col">List</th><th scope="col">API</th><th scope="col" class="n">Passed</th><th scope="col" class="n">Failed</th><th scope="col" class="n">Missing</th><th scope="col" class="n">Waived</th><th scope="col" class="n">Not offered</th><th scope="col">Run</th></tr>`;

function runRow(submission: Submission): Markup {
  const { statement, judgement, header } = submission;
  const { product } = statement;
  const { counts, version, profile, apiMinor } = judgement;
  return html`<tr><th scope="row"><a href="${productPath(submission)}">${product.vendor} ${product.name}</a></th>
<td><a href="${runPath(submission)}">${product.version}</a></td><td>${verdictBadge(judgement)}</td>
<td>${version} ${profile}</td><td>${apiMinor === undefined ? '?' : `0.${apiMinor}`}</td>
<td class="n">${count(counts.passed)}</td>${number(counts.failed, 's-fail')}${number(counts.missing, 's-error')}${number(counts.waived, 's-warn')}
<td class="n">${count(counts['not-offered'])}</td><td>${header.startedAt.slice(0, 10)}</td></tr>
`;
}

const number = (value: number, tone: string): Markup =>
  value === 0 ? html`<td class="n dim">0</td>` : html`<td class="n tone ${tone}">${count(value)}</td>`;

/** Areas by runs; each cell leads to the area in the page of the run. */
function suiteMatrix(submissions: readonly Submission[]): Markup {
  const columns = submissions.map((submission) => ({
    submission,
    areas: new Map(areasOf(submission.judgement).map((area) => [area.name, area])),
  }));
  const names = [...new Set(columns.flatMap(({ areas }) => [...areas.keys()]))].sort();
  const head = html`<tr><th scope="col">Suites</th>${columns.map(
    ({ submission: { statement, judgement } }) =>
      html`<th scope="col" class="n">${statement.product.name}<br>${statement.product.version}<br><span class="dim">${judgement.profile}</span></th>`,
  )}</tr>`;
  const rows = names.map(
    (name) =>
      html`<tr><th scope="row">${name}</th>${columns.map(({ submission, areas }) => cell(submission, areas.get(name)))}</tr>
`,
  );
  return table('Suites', head, rows);
}

function cell(submission: Submission, area: Area | undefined): Markup {
  if (!area || asked(area.counts) === 0)
    return html`<td class="n dim"><span aria-hidden="true">·</span><span class="unseen">none</span></td>`;
  const { passed, failed, missing, waived } = area.counts;
  const tone = failed > 0 ? 's-fail' : missing > 0 ? 's-error' : waived > 0 ? 's-warn' : 's-pass';
  return html`<td class="n tone ${tone}"><a href="${runPath(submission)}#${area.name}">${count(passed)}/${count(asked(area.counts))}</a></td>`;
}
