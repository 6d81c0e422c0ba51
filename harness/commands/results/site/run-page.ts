import { counted } from '../../../base/counted.ts';
import type { JudgedCase, Standing } from '../../../model/judgement.ts';
import type { MappedFile } from '../../../model/plugin-facts.ts';
import type { Header, Run } from '../../../model/run.ts';
import { judgementLine } from '../../../verdict/judgement-line.ts';
import { foreignCode, foreignWords } from '../../../verdict/mustpass/foreign-code.ts';
import { evidenceLevel } from '../format.ts';
import type { Submission } from '../submission.ts';
import { type Area, areasOf, asked } from './areas.ts';
import { html, link, type Markup } from './markup.ts';
import { count, page, table } from './page.ts';
import { STANDING_WORDS } from './words.ts';

/** The page of one run: what was tested, the verdict, and every case that did not pass. */
export function runPage(submission: Submission): string {
  const { statement, judgement } = submission;
  const { product } = statement;
  const title = `${product.vendor} ${product.name} ${product.version}`;
  const areas = areasOf(judgement);
  return page(
    title,
    [['Results', '../../../index.html'], [`${product.vendor} ${product.name}`, '../index.html'], [product.version]],
    html`<p class="verdict tone ${judgement.passes ? 's-pass' : 's-fail'}">${judgementLine(judgement)}</p>
<p><a href="report.html">Report with every case</a> · <a href="bundle.zip">Bundle with the evidence</a></p>
<h2>What was tested</h2>
${facts(submission)}
${waiverTable(submission)}
<h2 id="suites">Suites</h2>
${table('Suites', AREA_HEAD, areas.map(areaRow))}
${areas.map(areaSection)}`,
  );
}

function facts(submission: Submission): Markup {
  const { statement, header, run, judgement, suites, bundle } = submission;
  const { product, plugin } = statement;
  const rows: [string, Markup | string | undefined][] = [
    ['Product', product.url === undefined ? `${product.name} ${product.version}` : link(product.url)],
    ['Plugin', html`${plugin.file}<br><code>${plugin.sha256}</code>`],
    ['API', judgement.apiMinor === undefined ? undefined : `0.${judgement.apiMinor}`],
    [
      'Platform',
      [run.plugins[0]?.platformName, run.plugins[0]?.platformVersion].filter(Boolean).join(', ') || undefined,
    ],
    ['Hardware', statement.hardware],
    ['Driver', statement.driver],
    ['Contact', link(statement.contact)],
    ['Notes', statement.notes],
    ['List', `mustpass ${judgement.version}, profile ${judgement.profile}, suites ${suites}`],
    ['Tool', html`${header.tool.name} ${header.tool.version}<br><code>${header.tool.sha256}</code>`],
    ['Host', hostWords(header)],
    ['Preloaded', foreignWords(foreignCode(header.environment ?? {}, header.host.nodeArgv)) || 'nothing'],
    ['Variables', lines(Object.entries(header.environment ?? {}).map(([name, value]) => `${name}=${value}`))],
    ['Mapped', lines(run.plugins.flatMap(({ mapped }) => mapped ?? []).map(mappedWords)) ?? 'not known'],
    ['Resumed', lines(run.resumed.map(resumedWords)) ?? 'never'],
    ['Accuracy', header.numerics && `${header.numerics.profile} (${header.numerics.from})`],
    ['Began', header.startedAt],
    ['Bundle', html`<code>${bundle}</code>`],
    ['Evidence', evidenceWords(submission)],
  ];
  return html`<dl>${rows.map(([name, value]) => (value === undefined ? '' : html`<div><dt>${name}</dt><dd>${value}</dd></div>`))}</dl>`;
}

const evidenceWords = (submission: Submission): string => {
  const { attestation } = submission;
  return attestation ? `attested by ${attestation.identity} (${attestation.issuer})` : evidenceLevel(submission);
};

const hostWords = ({ host: { os, arch, libc, node, cpus, memoryBytes } }: Header): string =>
  [os, arch, libc, `Node ${node}`, counted(cpus, 'processor'), `${Math.round(memoryBytes / 2 ** 30)} GiB`]
    .filter(Boolean)
    .join(', ');

const mappedWords = ({ path, sizeBytes, buildId, sha256 }: MappedFile): string =>
  [path, sizeBytes && `${count(sizeBytes)} bytes`, buildId && `build id ${buildId}`, sha256 && `sha256 ${sha256}`]
    .filter(Boolean)
    .join(', ');

const resumedWords = ({ startedAt, after, cutBytes, repeated }: Run['resumed'][number]): string =>
  `${startedAt}, after it was ${after}: ${count(cutBytes ?? 0)} bytes removed, ${counted(repeated?.length ?? 0, 'case')} began again`;

/** Each on a line of its own; undefined if there are none. */
const lines = (texts: readonly string[]): Markup | undefined =>
  texts.length === 0 ? undefined : html`${texts.map((text) => html`<code>${text}</code><br>`)}`;

function waiverTable({ waivers, judgement }: Submission): Markup {
  if (waivers.length === 0) return html``;
  const head = html`<tr><th scope="col">Cases</th><th scope="col">Reason</th><th scope="col" class="n">Waived</th><th scope="col">Until</th><th scope="col">Granted</th></tr>`;
  const rows = waivers.map((waiver) => {
    const used = judgement.cases.filter((one) => one.waiver === waiver).length;
    return html`<tr><td class="text"><code>${waiver.cases.join(' ')}</code></td><td class="text">${waiver.reason}</td><td class="n">${count(used)}</td><td>${waiver.expires}</td><td>${link(waiver.url)}</td></tr>`;
  });
  return html`<h2 id="waivers">Waivers</h2>${table('Waivers', head, rows)}`;
}

const AREA_HEAD = html`<tr><th scope="col">Suites</th><th scope="col" class="n">Passed</th><th scope="col" class="n">Failed</th><th scope="col" class="n">Missing</th><th scope="col" class="n">Waived</th><th scope="col" class="n">Not offered</th></tr>`;

function areaRow({ name, counts }: Area): Markup {
  const number = (standing: Standing): Markup =>
    counts[standing] === 0
      ? html`<td class="n dim">0</td>`
      : html`<td class="n tone ${STANDING_WORDS[standing].tone}">${count(counts[standing])}</td>`;
  return html`<tr><th scope="row"><a href="#${name}">${name}</a></th><td class="n">${count(counts.passed)} of ${count(asked(counts))}</td>${number('failed')}${number('missing')}${number('waived')}<td class="n">${count(counts['not-offered'])}</td></tr>
`;
}

function areaSection({ name, counts, cases }: Area): Markup {
  const bad = cases.filter(({ standing }) => standing === 'failed' || standing === 'missing' || standing === 'waived');
  const absent = cases.filter(({ standing }) => standing === 'not-offered');
  return html`<section aria-labelledby="${name}"><h3 id="${name}">${name}</h3>
<p class="dim">${count(counts.passed)} of ${count(asked(counts))} passed${counts['not-applicable'] > 0 ? `, ${count(counts['not-applicable'])} not in its API version` : ''}</p>
${bad.length === 0 ? '' : html`<ul class="cases">${bad.map(caseItem)}</ul>`}
${absent.length === 0 ? '' : html`<details><summary>${count(absent.length)} not offered</summary><ul class="cases">${absent.map(caseItem)}</ul></details>`}
</section>
`;
}

const caseItem = ({ id, standing, status, why }: JudgedCase): Markup => {
  const { text, tone } = STANDING_WORDS[standing];
  const shown = standing === 'failed' || standing === 'waived' ? `${text}: ${status}` : text;
  return html`<li><code>${id}</code> <span class="badge ${tone}">${shown}</span>${why === undefined ? '' : html`<br><span class="dim">${why}</span>`}</li>`;
};
