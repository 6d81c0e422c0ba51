import { groupedBy } from '../base/grouping.ts';
import { cut } from '../base/sanitize.ts';
import { ACCURACY_PROFILES } from '../model/numeric-record.ts';
import { type CaseRun, type Run, reasonOf, type SuiteRun, statusOf, suiteDurationMs } from '../model/run.ts';
import { type Counts, STATUSES, type Status } from '../model/status.ts';
import { byCause, type CauseIndex, causeIndex, type NumberedCause } from '../verdict/cause-index.ts';
import { causeEffect, causesLine } from '../verdict/cause-text.ts';
import { exercised, exercisedText } from '../verdict/exercised.ts';
import { staleEntries, staleText } from '../verdict/expectations.ts';
import { judgementLine } from '../verdict/judgement-line.ts';
import { isPartlyRed, isStalePass, redCounts, type Standing, standingOf } from '../verdict/standing.ts';
import { frameworkLine, recordedVerdict } from '../verdict/verdict.ts';
import { causeLine, exampleOf } from './cause-lines.ts';
import { painter } from './console/paint.ts';
import { pluginLines } from './console/plugin.ts';
import { duration } from './console/words.ts';
import { attemptsText, expectationText, failureText, headline } from './failure-text.ts';
import type { ReportOptions } from './format.ts';
import { code, fenced, htmlText, markdownText } from './markdown-text.ts';
import { needOf, numericLine, numericSummary, profileText } from './numeric-summary.ts';
import { observedRows, type PrecisionRow, precision, ulpText, worstText } from './precision.ts';

/** Failures that are shown in full. GitHub truncates a job summary at 1 MiB; the rest is listed by name. */
const LAID_OUT = 50;
const NAMED = 500;

/** Root causes in the table, failures of each that are shown in full, and the maximum length of its text. */
const CAUSES = 50;
const OF_A_CAUSE = 3;
const CAUSE_WIDTH = 300;

/** Operations in the table of deviations, and the width of its cells. */
const OPERATIONS = 40;
const CELL_WIDTH = 120;

const noPaint = painter(false);

/** The run as GitHub-flavoured Markdown: the verdict, root causes, failures with their commands, and a table of the suites. */
export function writeMarkdown(run: Run, write: (chunk: string) => void, options: ReportOptions = {}): void {
  const weighing = run.header?.options ?? {};
  const { exitCode, line } = recordedVerdict(run);
  const names = run.header?.plugins.map(({ name }) => name).join(' + ') ?? 'a plugin';
  write(`## ${exitCode === 0 ? '✅' : '❌'} PJRT conformance of ${markdownText(names)}\n\n${markdownText(line)}\n\n`);
  const index = causeIndex(run);
  write(causesTable(index.causes));
  write(countsTable(run, redCounts(run, weighing)));
  if (run.cases.size > 0) write(`${exercisedText(exercised(run))}\n\n`);
  for (const plugin of run.plugins) {
    for (const [at, words] of pluginLines(plugin, noPaint).entries())
      write(`${at === 0 ? '- ' : '  <br>'}${markdownText(words)}\n`);
    write(`  <br>sha256 \`${plugin.sha256.slice(0, 16)}…\`\n`);
  }
  for (const framework of run.frameworks) {
    write(`- ${markdownText(frameworkLine(framework))}\n`);
    for (const limit of framework.limits) write(`  - ${markdownText(limit)}\n`);
    write(`  - ${markdownText(framework.window.text)}\n`);
  }
  if (run.mustpass) write(`- ${markdownText(judgementLine(run.mustpass))}\n`);
  const numerics = numericSummary(run);
  if (numerics && numerics.comparisons > 0) write(`- numerics: ${markdownText(numericLine(numerics))}\n`);
  write(precisionTable(run));
  write(observedTable(run));
  const items = [...run.cases.values()];
  const standing = (...words: Standing[]): CaseRun[] =>
    items.filter((item) => words.includes(standingOf(item, weighing)));
  const stale = items.filter((item) => isStalePass(item, weighing));
  failures(run, write, standing('failed', 'error'), index, options);
  section(write, 'Expected failures', standing('expected', 'waived'), (item) =>
    entry(item, expectationText(item.result!)),
  );
  section(write, 'Unexpected passes', stale, (item) => entry(item, expectationText(item.result!)));
  section(write, 'Flaky', standing('flaky'), (item) => entry(item, attemptsText(item.result!)));
  section(write, 'Known deviations', standing('known'), (item) => entry(item, item.result?.knownDeviation?.reason));
  section(
    write,
    'Warnings',
    standing('warned', 'outside').filter((item) => !stale.includes(item)),
    (item) => entry(item),
  );
  section(write, 'Accuracy beyond the profile', items.filter(needsLooser(run)), (item) => entry(item, needText(item)));
  const notes = run.notes.filter(({ level }) => level !== 'info').map(({ level, message }) => `${level}: ${message}`);
  notes.push(...staleEntries(run).map((stale) => `stale expectation: ${staleText(stale)}`));
  if (notes.length > 0) {
    write(`\n### Notes\n\n${notes.map((note) => `- ${markdownText(note)}\n`).join('')}`);
  }
  write(
    '\n<details><summary>Suites</summary>\n\n| Suite | Cases | Passed | Failed | Other | Time |\n|---|--:|--:|--:|--:|--:|\n',
  );
  for (const suite of run.suites) write(suiteRow(suite, options));
  write('\n</details>\n');
  if (run.header)
    write(
      `\n${markdownText(`${run.header.tool.name} ${run.header.tool.version}, profile ${run.header.profile}${run.header.numerics ? `, numerics ${profileText(run.header.numerics)}` : ''}`)}\n`,
    );
}

/** Cases whose results need a looser accuracy profile than the one in effect. */
function needsLooser({ header }: Run): (item: CaseRun) => boolean {
  const inForce = ACCURACY_PROFILES.indexOf(header?.numerics?.profile ?? 'standard');
  return ({ result }) => {
    const need = needOf(result);
    return need === 'none' || (need !== undefined && ACCURACY_PROFILES.indexOf(need) > inForce);
  };
}

const needText = ({ result }: CaseRun): string => {
  const need = needOf(result);
  return need === 'none' ? 'outside every profile' : `needs ${need}`;
};

/** Cases by status, and in brackets how many fail the run where others do not. */
function countsTable({ counts, cases }: Run, red: Counts): string {
  const shown = STATUSES.filter((status) => counts[status] > 0);
  const cell = (status: Status): string =>
    isPartlyRed(status, counts, red) ? `${counts[status]} (${red[status]})` : `${counts[status]}`;
  const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |\n`;
  return `${row(['cases', ...shown])}${row(['--:', ...shown.map(() => '--:')])}${row([cases.size, ...shown.map(cell)])}\n`;
}

/** Operations that deviate, the worst type of each. */
function precisionTable(run: Run): string {
  const rows = precision(run).filter(({ worst }) => worst !== undefined);
  if (rows.length === 0) return '';
  const worst = new Map<string, PrecisionRow>();
  const size = ({ maxUlp }: PrecisionRow): number => maxUlp ?? Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const known = worst.get(row.op);
    if (!known || size(row) > size(known)) worst.set(row.op, row);
  }
  const ranked = [...worst.values()].sort((a, b) => Number(b.beyond) - Number(a.beyond) || size(b) - size(a));
  const lines = ranked.slice(0, OPERATIONS).map(({ op, dtype, maxUlp, meets, elements, exact, worst: at }) => {
    const cells = [op, dtype, ulpText(maxUlp), meets ?? '', `${exact} of ${elements}`, worstText(at!)];
    return `| ${cells.map(cell).join(' | ')} |\n`;
  });
  const rest = ranked.length - lines.length;
  return (
    `\n<details><summary>Largest deviation of ${worst.size} operations</summary>\n\n` +
    '| Operation | Type | Largest | Profile | Exact | Where |\n|---|---|--:|---|--:|---|\n' +
    `${lines.join('')}\n${rest > 0 ? `and ${rest} more in the other reports\n\n` : ''}</details>\n`
  );
}

const cell = (text: string): string => markdownText(cut(text, CELL_WIDTH));

/** Behaviours by name: the same one of several types in one row. */
function observedTable(run: Run): string {
  const rows = observedRows(run);
  if (rows.length === 0) return '';
  const groups = groupedBy(rows, ({ behaviour, is }) => JSON.stringify([behaviour, is]));
  const lines = [...groups.values()].map((alike) => {
    const { behaviour, is } = alike[0]!;
    const of = alike.flatMap((row) => (row.of === '' ? [] : [row.of]));
    return `| ${[behaviour, is, of.join(', ')].map(cell).join(' | ')} |\n`;
  });
  return (
    '\n<details><summary>Observed behaviour, which is not judged</summary>\n\n' +
    `| Behaviour | Is | Of |\n|---|---|---|\n${lines.join('')}\n</details>\n`
  );
}

/** The root causes of everything that follows. */
function causesTable(causes: readonly NumberedCause[]): string {
  if (causes.length === 0) return '';
  const rows = causes.slice(0, CAUSES).map((cause) => {
    const cells = [cause.number, markdownText(cut(causeLine(cause), CAUSE_WIDTH)), causeEffect(cause)];
    return `| ${cells.join(' | ')} | ${code(exampleOf(cause)).replaceAll('|', '\\|')} |\n`;
  });
  const rest = causes.length - rows.length;
  return (
    `### ${causesLine(causes)}\n\n` +
    '|   | What is wrong | Effect | Example |\n|--:|---|---|---|\n' +
    `${rows.join('')}\n${rest > 0 ? `and ${rest} more in the other reports\n\n` : ''}`
  );
}

/** Failures by root cause: the first of each in full, the others by name. */
function failures(
  run: Run,
  write: (chunk: string) => void,
  failing: readonly CaseRun[],
  index: CauseIndex,
  options: ReportOptions,
): void {
  if (failing.length === 0) return;
  write(`\n### Failures (${failing.length})\n\n`);
  let room = LAID_OUT;
  let names = NAMED;
  let unnamed = 0;
  for (const [cause, items] of byCause(index, failing, ({ plan }) => plan.id)) {
    const heading =
      cause && items.length > 1 ? `**${cause.number}. ${markdownText(cut(causeLine(cause), CAUSE_WIDTH))}**\n\n` : '';
    const detailed = items.slice(0, Math.min(room, cause ? OF_A_CAUSE : room));
    const named = items.slice(detailed.length, detailed.length + names);
    room -= detailed.length;
    names -= named.length;
    unnamed += items.length - detailed.length - named.length;
    if (detailed.length + named.length === 0) continue;
    write(heading);
    for (const item of detailed) write(failureBlock(run, item, options));
    if (named.length > 0)
      write(`${detailed.length > 0 ? 'and ' : ''}${named.map((item) => code(item.plan.id)).join(', ')}\n\n`);
  }
  if (unnamed > 0) write(`and ${unnamed} more in the other reports\n`);
}

function section(
  write: (chunk: string) => void,
  title: string,
  items: readonly CaseRun[],
  block: (item: CaseRun) => string,
): void {
  if (items.length === 0) return;
  write(`\n### ${title} (${items.length})\n\n`);
  for (const item of items.slice(0, LAID_OUT)) write(block(item));
  const named = items.slice(LAID_OUT, LAID_OUT + NAMED);
  if (named.length > 0) write(`\nand ${named.map((item) => code(item.plan.id)).join(', ')}\n`);
  const rest = items.length - LAID_OUT - NAMED;
  if (rest > 0) write(`\nand ${rest} more in the other reports\n`);
}

const entry = (item: CaseRun, reason?: string): string =>
  `- ${code(item.plan.id)}: ${markdownText(headline(item))}${reason === undefined ? '' : `. ${markdownText(reason)}`}\n`;

function failureBlock(run: Run, item: CaseRun, options: ReportOptions): string {
  const failure = failureText(run, item, options);
  const lines = failure.findings.flatMap(({ message, place, level, requirements, rules, detail }) => [
    message,
    [place, [level, ...requirements].join(' ')].join(' · '),
    ...rules,
    ...detail,
  ]);
  if (failure.findings.length === 0) lines.push(reasonOf(item) ?? headline(item));
  if (failure.after) lines.push(failure.after);
  if (failure.attempts) lines.push(failure.attempts);
  if (failure.expectation) lines.push(failure.expectation);
  if (failure.end) lines.push(`process ended: ${failure.end}`);
  if (failure.fatal) lines.push(`stderr: ${failure.fatal}`);
  if (failure.stderr.length > 0)
    lines.push(failure.fatal ? 'stderr, the rest:' : 'stderr, last lines:', ...failure.stderr);
  lines.push(`reproduce: ${failure.reproduce}`);
  return (
    `<details><summary><code>${htmlText(item.plan.id)}</code> ${statusOf(item)}: ${htmlText(headline(item))}</summary>\n\n` +
    `${fenced(lines)}\n</details>\n\n`
  );
}

function suiteRow(suite: SuiteRun, { fixedTime }: ReportOptions): string {
  const { pass, warn, fail, crash, timeout, flaky, error } = suite.counts;
  const failed = fail + crash + timeout + flaky + error;
  const other = suite.cases.length - pass - warn - failed;
  const time = fixedTime ? '' : duration(suiteDurationMs(suite));
  return `| ${markdownText(suite.suite)} | ${suite.cases.length} | ${pass + warn} | ${failed} | ${other} | ${time} |\n`;
}
