import type { JudgedCase } from '../../../model/judgement.ts';
import { evidenceLevel } from '../format.ts';
import type { Submission } from '../submission.ts';
import { html, type Markup } from './markup.ts';
import { count, page, table } from './page.ts';
import { verdictBadge } from './words.ts';

/** The history of a product. @param versions its runs, newest first */
export function productPage(versions: readonly Submission[]): string {
  const { product } = versions[0]!.statement;
  return page(
    `${product.vendor} ${product.name}`,
    [['Results', '../../index.html'], [`${product.vendor} ${product.name}`]],
    html`<h2 id="versions">Versions</h2>
${table(
  'Versions',
  HEAD,
  versions.map((one, at) => row(one, versions[at + 1])),
)}
${versions.map((one, at) => changes(one, versions[at + 1]))}`,
  );
}

const HEAD = html`<tr><th scope="col">Version</th><th scope="col">Verdict</th><th scope="col">List</th><th scope="col">API</th><th scope="col" class="n">Passed</th><th scope="col" class="n">Failed</th><th scope="col" class="n">Waived</th><th scope="col" class="n">Not offered</th><th scope="col">Since the version before</th><th scope="col">Evidence</th><th scope="col">Run</th></tr>`;

function row(now: Submission, before: Submission | undefined): Markup {
  const { statement, judgement, header } = now;
  const { counts, version, profile, apiMinor } = judgement;
  const difference = differenceOf(now, before);
  return html`<tr><th scope="row"><a href="${statement.product.version}/index.html">${statement.product.version}</a></th>
<td>${verdictBadge(judgement)}</td><td>${version} ${profile}</td><td>${apiMinor === undefined ? '?' : `0.${apiMinor}`}</td>
<td class="n">${count(counts.passed)}</td><td class="n">${count(counts.failed + counts.missing)}</td><td class="n">${count(counts.waived)}</td><td class="n">${count(counts['not-offered'])}</td>
<td>${difference ? difference.map(([kind, cases]) => `${count(cases.length)} ${kind}`).join(', ') : html`<span class="dim">nothing to compare</span>`}</td>
<td>${evidenceLevel(now)}</td><td>${header.startedAt.slice(0, 10)}</td></tr>
`;
}

const isBad = ({ standing }: JudgedCase): boolean =>
  standing === 'failed' || standing === 'missing' || standing === 'waived';

/** Changes between two versions, by kind; the texts are their titles. */
const KINDS: Readonly<Record<string, (now: JudgedCase, before: JudgedCase) => boolean>> = {
  'newly failing': (now, before) => isBad(now) && !isBad(before),
  fixed: (now, before) => isBad(before) && now.standing === 'passed',
  'no longer offered': (now, before) => now.standing === 'not-offered' && before.standing !== 'not-offered',
};

/** What changed since a run of the same list and profile. */
function differenceOf(
  now: Submission,
  before: Submission | undefined,
): [kind: string, cases: JudgedCase[]][] | undefined {
  const same =
    before && before.judgement.version === now.judgement.version && before.judgement.profile === now.judgement.profile;
  if (!same) return undefined;
  const old = new Map(before.judgement.cases.map((one) => [one.id, one]));
  return Object.entries(KINDS).map(([kind, is]) => [
    kind,
    now.judgement.cases.filter((one) => is(one, old.get(one.id)!)),
  ]);
}

function changes(now: Submission, before: Submission | undefined): Markup {
  const found = differenceOf(now, before)?.filter(([, cases]) => cases.length > 0) ?? [];
  if (!before || found.length === 0) return html``;
  return html`<section><h2>${before.statement.product.version} to ${now.statement.product.version}</h2>
${found.map(([kind, cases]) => list(kind, cases))}</section>`;
}

const list = (kind: string, cases: readonly JudgedCase[]): Markup =>
  html`<h3>${kind[0]!.toUpperCase()}${kind.slice(1)}</h3><ul class="cases">${cases.map(({ id, why }) => html`<li><code>${id}</code>${why === undefined ? '' : html`<br><span class="dim">${why}</span>`}</li>`)}</ul>`;
