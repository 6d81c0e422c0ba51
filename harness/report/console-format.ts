import { styleText } from 'node:util';
import { abilities } from '../verdict/abilities.ts';
import { failsRun, isExpectedFailure, type Weighing } from '../verdict/breach.ts';
import { staleEntries, staleText } from '../verdict/expectations.ts';
import { extensionAbilities, type SlotAbility } from '../verdict/extension-abilities.ts';
import { frameworkLine, type Verdict } from '../verdict/verdict.ts';
import { type Event, type FrameworkVerdict, type PluginFacts, STATUSES, type Status } from './events.ts';
import { failureText, headline } from './failure-text.ts';
import {
  type CaseRun,
  type Counts,
  type Header,
  type Run,
  reasonOf,
  type SuiteRun,
  statusOf,
  suiteDurationMs,
} from './model.ts';
import { cleanLine, cleanText, cut } from './sanitize.ts';

type Style = 'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold';
/** Colours a text, or leaves it alone when the output takes no colours. */
export type Paint = (style: Style | Style[], text: string) => string;

export const painter =
  (color: boolean): Paint =>
  (style, text) =>
    color ? styleText(style, text, { validateStream: false }) : text;

const WORDS: Record<Status, string> = {
  pass: 'passed',
  warn: 'warned',
  fail: 'failed',
  crash: 'crashed',
  timeout: 'timed out',
  flaky: 'flaky',
  unsupported: 'unsupported',
  skip: 'skipped',
  error: 'harness error',
  notrun: 'not run',
};

const STYLES: Record<Status, Style> = {
  pass: 'green',
  warn: 'yellow',
  fail: 'red',
  crash: 'red',
  timeout: 'red',
  flaky: 'red',
  unsupported: 'dim',
  skip: 'dim',
  error: 'red',
  notrun: 'dim',
};

/** Reasons and requirements listed in the summary before the rest is only counted. */
const LISTED = 8;

/** `40 ms`, `1.2 s`, `2 min 03 s`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

/** `118 passed, 2 failed`: the statuses that occur. */
function countsText(counts: Counts, paint: Paint): string {
  const parts = STATUSES.filter((status) => counts[status] > 0).map((status) =>
    paint(STYLES[status], `${counts[status]} ${WORDS[status]}`),
  );
  return parts.join(', ') || 'no cases';
}

/** What was taken from the configuration file, in one line; undefined when nothing was. */
export function configLine(config: Header['config']): string | undefined {
  if (!config || config.keys.length + config.leftOut.length === 0) return undefined;
  const left =
    config.leftOut.length > 0 ? `; left out, as --plugin names another plugin: ${config.leftOut.join(', ')}` : '';
  return `config ${config.file}: ${config.keys.join(', ') || 'nothing'}${left}`;
}

/** First line of a run, and a second one when options came from a file. */
export function headerLine({ header }: Run, paint: Paint): string {
  if (!header) return '';
  const plugins = header.plugins.map((plugin) => plugin.path).join(', ');
  const strict = header.options?.strict ? ', strict' : '';
  const first =
    cleanLine(`${header.tool.name} ${header.tool.version}, profile ${header.profile}${strict}: `) +
    ' ' +
    paint('bold', cleanLine(plugins));
  const config = configLine(header.config);
  return config === undefined ? first : `${first}\n${paint('dim', cleanLine(config))}`;
}

/** One line for a suite: how it went and how long it took. */
export function suiteLine(suite: SuiteRun, weighing: Weighing, width: number, paint: Paint): string {
  const { fail, crash, timeout, flaky, error, warn, notrun, pass } = suite.counts;
  const red = suite.cases.some(({ plan, result }) => failsRun(plan, result, weighing));
  const mark =
    red || error > 0
      ? paint('red', '✗')
      : warn + fail + crash + timeout + flaky > 0
        ? paint('yellow', '!')
        : notrun > 0 || pass === 0
          ? paint('dim', '-')
          : paint('green', '✓');
  const time = paint('dim', `(${duration(suiteDurationMs(suite))})`);
  return `${mark} ${cleanLine(suite.suite).padEnd(width)}  ${countsText(suite.counts, paint)} ${time}`;
}

/**
 * A case that did not pass, in as many lines as it takes. Detail and output are for what fails the run; warnings and
 * accepted deviations have them when `verbose`.
 */
export function caseBlock(run: Run, item: CaseRun, weighing: Weighing, verbose: boolean, paint: Paint): string[] {
  const status = statusOf(item);
  const text = failureText(run, item);
  const failing = status === 'error' || failsRun(item.plan, item.result, weighing);
  const style: Style = failing ? 'red' : 'yellow';
  const outside = item.plan.informative ? ' (outside the gate)' : '';
  const remark = {
    met: ' (expected)',
    'unexpected-pass': ' (not expected)',
    different: ' (another is expected)',
    expired: ' (no longer expected)',
  };
  const outcome = item.result?.expectation?.outcome;
  const known = outcome ? remark[outcome] : text.knownDeviation ? ' (known)' : '';
  const label = `${failing ? '✗' : '!'} ${LABELS[status] ?? status}${known}${outside}`;
  const lines = [`${paint([style, 'bold'], label)} ${paint('bold', cleanLine(item.plan.id))}`];
  const message = headline(item);
  if (text.findings.length === 0)
    lines.push(
      ...(status === 'pass' ? [] : [`    ${message}`]),
      `    ${paint('dim', cleanLine(`${item.suite.file}:${item.plan.line}`))}`,
    );
  const brief = !verbose && !failing;
  for (const finding of text.findings) {
    const facts = [
      finding.place,
      status === 'error' ? '' : [finding.level, ...finding.requirements].join(' '),
      finding.call && `in ${finding.call}`,
    ];
    lines.push(`    ${finding.message}`, `    ${paint('dim', facts.filter(Boolean).join(' · '))}`);
    if (!brief) lines.push(...finding.detail.map((line) => `      ${line}`));
  }
  if (text.omittedFindings > 0) lines.push(`    … ${text.omittedFindings} more findings in events.jsonl`);
  if (text.end && !message.includes(text.end)) lines.push(`    process ended: ${text.end}`);
  if (text.attempts) lines.push(`    ${text.attempts}`);
  if (text.expectation) lines.push(`    ${paint('yellow', text.expectation)}`);
  if (text.knownDeviation) lines.push(`    ${paint('yellow', `known deviation: ${text.knownDeviation}`)}`);
  if (verbose && text.trace) {
    const calls = text.trace.calls.map(
      ({ text: call, durationMs }) => `    ${paint('dim', '|')} ${call}${msText(durationMs)}`,
    );
    lines.push(`    ${paint('dim', `${text.trace.title}:`)}`, ...calls);
  }
  if (!brief && text.stderr.length > 0) {
    lines.push(
      `    ${paint('dim', 'stderr, last lines:')}`,
      ...text.stderr.map((line) => `    ${paint('dim', '|')} ${line}`),
    );
  }
  lines.push(`    ${paint('dim', 'reproduce:')} ${paint('cyan', text.reproduce)}`);
  return lines;
}

const msText = (ms: number | undefined): string => (ms === undefined ? '' : ` (${ms.toFixed(3)} ms)`);

const LABELS: Partial<Record<Status, string>> = {
  pass: 'PASS',
  fail: 'FAIL',
  warn: 'WARN',
  crash: 'CRASH',
  timeout: 'TIMEOUT',
  flaky: 'FLAKY',
  error: 'HARNESS ERROR',
};

/** One line for a case, for verbose output. */
export function caseLine(item: CaseRun, paint: Paint): string {
  const status = statusOf(item);
  const reason = reasonOf(item);
  const time = item.result ? ` ${paint('dim', `(${duration(item.result.durationMs)})`)}` : '';
  return `  ${paint(STYLES[status], WORDS[status])} ${cleanLine(item.plan.id)}${reason ? paint('dim', `: ${cleanLine(reason)}`) : ''}${time}`;
}

export function noteLines(note: Extract<Event, { type: 'note' }>, verbose: boolean, paint: Paint): string[] {
  const styles = { info: 'dim', warning: 'yellow', error: 'red' } as const;
  const detail = verbose || note.level === 'error' ? cleanText(note.detail ?? '').trimEnd() : '';
  return [
    `${paint(styles[note.level], `${note.level}:`)} ${cleanLine(note.message)}`,
    ...(detail === '' ? [] : detail.split('\n').map((line) => `    ${line}`)),
  ];
}

/** What the last lines of a run say: counts, plugins, why cases did not run, where the reports are. */
export function summaryLines(run: Run, weighing: Weighing, reports: readonly string[], paint: Paint): string[] {
  const row = (label: string, text: string): string => `${paint('bold', label.padEnd(11))} ${text}`;
  const time = run.footer ? ` in ${duration(run.footer.durationMs)}` : '';
  const lines = ['', row('cases', `${run.cases.size}${time}: ${countsText(run.counts, paint)}`)];
  for (const plugin of run.plugins)
    lines.push(...pluginLines(plugin, paint).map((line, at) => row(at === 0 ? 'plugin' : '', line)));
  for (const framework of run.frameworks) {
    lines.push(...frameworkLines(framework, paint).map((line, at) => row(at === 0 ? 'framework' : '', line)));
  }
  lines.push(...table('broken', brokenRequirements(run, weighing), row));
  lines.push(...table('expected', expectedReasons(run, weighing), row));
  for (const [at, entry] of staleEntries(run).entries()) {
    lines.push(row(at === 0 ? 'stale' : '', paint('yellow', cleanLine(staleText(entry)))));
  }
  for (const status of ['unsupported', 'skip', 'notrun'] as const) {
    lines.push(...table(WORDS[status], reasons(run, status), row));
  }
  for (const [at, report] of reports.entries()) lines.push(row(at === 0 ? 'reports' : '', cleanLine(report)));
  return lines;
}

/** What a release makes of the plugin: the verdict, what the user sees, limits, the promise. */
function frameworkLines(framework: FrameworkVerdict, paint: Paint): string[] {
  const { outcome, message, limits, untried, window } = framework;
  const style = outcome === 'refuses' || outcome === 'aborts' ? 'red' : outcome === 'unknown' ? 'yellow' : 'green';
  const shown = limits.slice(0, LISTED).map((limit) => `limit: ${limit}`);
  if (limits.length > LISTED) shown.push(`and ${limits.length - LISTED} more limits`);
  return [
    paint(style, cleanLine(frameworkLine(framework))),
    ...[
      ...(message === undefined ? [] : [`what the user sees: ${message}`]),
      ...shown,
      ...untried.map((what) => `not tried: ${what}`),
      window.text,
    ].map((line) => `  ${cut(cleanLine(line), 400)}`),
  ];
}

export function verdictLine(verdict: Verdict, paint: Paint): string {
  const style = verdict.exitCode === 0 ? 'green' : 'red';
  return `${paint([style, 'bold'], cleanLine(verdict.line))} ${paint('dim', `(exit code ${verdict.exitCode})`)}`;
}

const STANDINGS = {
  known: '',
  newer: ' (newer than this version knows: what it knows is tested)',
  older: ' (older than this version knows)',
};

/** A plugin in one or two lines: version, platform, devices, extensions; or why it could not be used. */
export function pluginLines(facts: PluginFacts, paint: Paint): string[] {
  const { apiVersion, functions, extensions, devices, failure } = facts;
  const parts = [cleanLine(facts.name)];
  if (apiVersion)
    parts.push(`API ${apiVersion.major}.${apiVersion.minor}${STANDINGS[facts.versionStanding ?? 'known']}`);
  if (functions) {
    const beyond = functions.inTable > functions.known ? `, ${functions.inTable - functions.known} unknown` : '';
    const missing = functions.nullSlots.length > 0 ? `, ${functions.nullSlots.length} NULL` : '';
    parts.push(`${functions.inTable} functions${beyond}${missing}`);
  }
  if (facts.platformName !== undefined) parts.push(`platform ${cut(cleanLine(facts.platformName), 40)}`);
  if (devices) {
    const kinds = [...new Set(devices.map((device) => cleanLine(device.kind)))].join(', ');
    parts.push(
      `${devices.length} ${devices.length === 1 ? 'device' : 'devices'}${kinds ? ` (${cut(kinds, 60)})` : ''}`,
    );
  }
  const lines = [parts.join(' · ')];
  if (extensions) {
    const names = extensions.map((entry) => cleanLine(entry.name));
    lines.push(
      names.length === 0
        ? 'no extensions'
        : `${names.length} ${names.length === 1 ? 'extension' : 'extensions'}: ${names.join(', ')}`,
    );
  }
  if (facts.answers) lines.push(...abilityLines(facts));
  if (failure) {
    const code = failure.code ? `${failure.code}: ` : '';
    lines.push(paint('red', cleanLine(`${failure.stage} failed: ${code}${failure.message}`)));
  }
  return lines;
}

/** Functions that a reader wants by name: those that are there and do not work. */
const NAMED: readonly SlotAbility[] = ['unimplemented', 'fails', 'dies', 'hangs', 'null'];

/** The capability matrices in a few lines: how many functions work, and which ones that the plugin has do not. */
function abilityLines(facts: PluginFacts): string[] {
  const functions = [...abilities(facts)].map(([name, ability]) => [name.slice(5), ability] as const);
  const slots = extensionAbilities(facts).flatMap((extension) =>
    extension.slots.map((slot) => [`${cleanLine(extension.name)}.${slot.name}`, slot.ability] as const),
  );
  return [...matrixLines('functions', functions), ...matrixLines('extension functions', slots)];
}

function matrixLines(label: string, matrix: readonly (readonly [name: string, ability: SlotAbility])[]): string[] {
  if (matrix.length === 0) return [];
  const having = (ability: SlotAbility): string[] => matrix.filter(([, a]) => a === ability).map(([name]) => name);
  const counts = (['works', ...NAMED, 'untried', 'not-called', 'absent'] as const)
    .map((ability) => [having(ability).length, ability] as const)
    .filter(([count]) => count > 0)
    .map(([count, ability]) => `${count} ${ability.replace('-', ' ')}`);
  const lists = NAMED.flatMap((ability) => {
    const names = having(ability);
    if (names.length === 0) return [];
    const more = names.length > LISTED ? ` and ${names.length - LISTED} more` : '';
    return [`  ${ability}: ${names.slice(0, LISTED).join(', ')}${more}`];
  });
  return [`${label}: ${counts.join(', ')}`, ...lists];
}

type Counted = [text: string, count: number][];

function table(label: string, counted: Counted, row: (label: string, text: string) => string): string[] {
  const width = String(counted[0]?.[1] ?? 0).length;
  const lines = counted.slice(0, LISTED).map(([text, count]) => `${String(count).padStart(width)} × ${text}`);
  if (counted.length > LISTED) lines.push(`${' '.repeat(width)}   and ${counted.length - LISTED} more`);
  return lines.map((line, at) => row(at === 0 ? label : '', line));
}

const reasons = (run: Run, status: Status): Counted =>
  tally(
    [...run.cases.values()]
      .filter((item) => statusOf(item) === status)
      .map((item) => cleanLine(reasonOf(item) ?? '') || 'no reason was given'),
  );

/** Why failures are expected, and where that is written. */
const expectedReasons = (run: Run, weighing: Weighing): Counted =>
  tally(
    [...run.cases.values()].flatMap(({ plan, result }) =>
      isExpectedFailure(plan, result, weighing)
        ? [cleanLine(`${result!.expectation!.reason} (${result!.expectation!.file}:${result!.expectation!.line})`)]
        : [],
    ),
  );

function brokenRequirements(run: Run, weighing: Weighing): Counted {
  const failing = [...run.cases.values()].filter((item) => failsRun(item.plan, item.result, weighing));
  return tally(
    failing.flatMap(({ plan, result }) => {
      const named = result?.findings
        .filter((finding) => finding.level !== 'info')
        .flatMap((finding) => finding.requirements ?? []);
      return [...new Set(named && named.length > 0 ? named : plan.covers)].map(cleanLine);
    }),
  );
}

function tally(texts: string[]): Counted {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
}
