import { useMemo } from 'preact/hooks';
import type { FrameworkVerdict } from '../../harness/model/framework-verdict.ts';
import type { PluginFacts } from '../../harness/model/plugin-facts.ts';
import type { Status } from '../../harness/model/status.ts';
import type { HtmlHead } from '../../harness/report/html-data.ts';
import { groupsOf } from '../data/groups.ts';
import type { Row, Suite } from '../data/report.ts';
import { route } from '../state/route.ts';
import { useApp } from '../ui/app.ts';
import { CaseLinks } from '../ui/cases.tsx';
import { count, number, time } from '../ui/format.ts';
import { Link } from '../ui/link.tsx';
import { RequirementText } from '../ui/requirement.tsx';
import { TableFrame, Verbatim } from '../ui/scroll.tsx';
import { CountBar, CountLinks, STATUS, StatusIcon } from '../ui/status.tsx';
import { RootCauses } from './root-causes.tsx';

/** Number of failures and reasons shown here; the rest is linked. */
const NAMED = 8;

type Verdict = HtmlHead['verdict'];

const TITLES: Readonly<Record<Verdict['name'], string>> = {
  passes: 'Passes',
  fails: 'Fails',
  usage: 'Not run',
  unusable: 'The plugin cannot be used here',
  'version-refused': 'API version refused',
  'internal-error': 'No verdict',
  interrupted: 'Interrupted',
};

/** What to do next, by exit code. */
const NEXT: Readonly<Record<Verdict['name'], string>> = {
  passes: 'Nothing needs to be done. Warnings, if any, are violated SHOULDs that a later release may fix.',
  fails: 'Look at the failures: each names the call, the requirement, and the command that reproduces it.',
  usage: 'Fix the options or the suite that the message names.',
  unusable: 'Run `npx pjrt-conformance doctor` on the plugin: it shows what is missing on this machine.',
  'version-refused': 'Test the plugin with the version of pjrt-conformance that knows its API version.',
  'internal-error': 'Read the notes, fix what they name, and run again: this result says nothing about the plugin.',
  interrupted: 'Finish the run: cases without a result are not judged.',
};

/** The verdict and what it means, on one screen. */
export function Overview() {
  const { report } = useApp();
  const { head, rows } = report;
  const failing = useMemo(() => rows.filter(({ fails }) => fails), [report]);
  const { summary } = head;
  return (
    <div class="page overview">
      <VerdictCard head={head} />
      <RootCauses />
      <section class="card" aria-labelledby="cases-summary">
        <h2 id="cases-summary">
          {count(summary.cases, 'case')}
          <small>
            {' '}
            in {count(summary.suites, 'suite')}
            {head.durationMs !== undefined && !head.timeless && `, ${time(head.durationMs)}`}
          </small>
        </h2>
        <CountBar counts={summary} />
        <CountLinks counts={summary} failing={summary.failing} />
        <p class="dim">
          {number(head.exercised.tried)} of {count(head.exercised.planned, 'requirement')} exercised
          {head.exercised.inPart && `, ${number(head.exercised.inPart)} more in part`}
        </p>
      </section>
      {head.frameworks.length > 0 && <Frameworks frameworks={head.frameworks} />}
      {failing.length > 0 && <Failing rows={failing} />}
      <div class="columns">
        {head.plugins.map((plugin) => (
          <PluginCard key={plugin.path} plugin={plugin} />
        ))}
        <Notes head={head} />
        <Reasons rows={rows} />
      </div>
      <Suites suites={head.suites} timeless={head.timeless} />
    </div>
  );
}

/** Only a frozen list makes a plugin conformant, and only a whole profile passes. */
function titleOf({ verdict: { name }, selection, shard, judgementLine }: HtmlHead): string {
  const isPart = selection !== undefined || shard !== undefined;
  if (name === 'passes' && isPart) return 'This part passes';
  if (judgementLine === undefined) return TITLES[name];
  return name === 'passes' ? 'Conformant' : name === 'fails' ? 'Not conformant' : TITLES[name];
}

function VerdictCard({ head }: { head: HtmlHead }) {
  const { verdict, plugins, tool, profile, options, judgementLine } = head;
  const tone = verdict.exitCode === 0 ? 'good' : verdict.name === 'fails' ? 'bad' : 'unclear';
  const icon: Status = { good: 'pass', bad: 'fail', unclear: 'warn' }[tone] as Status;
  return (
    <section class={`card verdict ${tone}`} aria-labelledby="verdict">
      <StatusIcon status={icon} />
      <div>
        <p class="eyebrow">
          {plugins.map(({ name }) => name).join(' + ') || 'no plugin'}
          {profile !== undefined && ` · profile ${profile}`}
          {options?.strict && ' · strict'}
          {options?.acceptKnown && ' · known deviations accepted'}
          {options?.allowFlaky && ' · flaky cases allowed'}
          {options?.strictExpectations && ' · stale expectations fail the run'}
          {tool && ` · ${tool.name} ${tool.version}`}
        </p>
        <h1 id="verdict">
          {titleOf(head)} <small>exit code {verdict.exitCode}</small>
        </h1>
        <p class="lead">{verdict.line}</p>
        {judgementLine !== undefined && <p>The run {judgementLine}.</p>}
        <p>
          <b>What it means.</b> {head.exitMeaning}
        </p>
        <p>
          <b>Next step.</b> {NEXT[verdict.name]}
          {!head.complete && ' The log has no end: the run is unfinished.'}
        </p>
      </div>
    </section>
  );
}

const OUTCOMES: Readonly<Record<FrameworkVerdict['outcome'], { icon: Status; word: string }>> = {
  works: { icon: 'pass', word: 'works' },
  limits: { icon: 'warn', word: 'works with limits' },
  wrong: { icon: 'fail', word: 'computes wrong results' },
  refuses: { icon: 'fail', word: 'refuses the plugin' },
  aborts: { icon: 'crash', word: 'aborts' },
  unknown: { icon: 'notrun', word: 'could not be determined' },
};

const Frameworks = ({ frameworks }: { frameworks: readonly FrameworkVerdict[] }) => (
  <section class="card" aria-labelledby="frameworks">
    <h2 id="frameworks">Frameworks</h2>
    {frameworks.map((framework) => {
      const { icon, word } = OUTCOMES[framework.outcome];
      return (
        <div key={`${framework.framework}@${framework.version}`} class="framework">
          <h3>
            {framework.title} {framework.version}{' '}
            <span class={`badge s-${icon}`}>
              <StatusIcon status={icon} />
              {word}
            </span>
          </h3>
          <p>
            {framework.moment !== undefined && `At ${framework.moment}: `}
            {framework.reason}
          </p>
          {framework.message !== undefined && <Verbatim text={framework.message} />}
          <Lines title="Limits" lines={framework.limits} />
          <Lines title="Not tried" lines={framework.untried} />
          <p class="dim">
            API 0.{framework.apiMinor}, released {framework.date}. {framework.window.text}
          </p>
        </div>
      );
    })}
  </section>
);

const Lines = ({ title, lines }: { title: string; lines: readonly string[] }) =>
  lines.length === 0 ? null : (
    <>
      <p>
        <b>{title}</b>
      </p>
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </>
  );

function Failing({ rows }: { rows: readonly Row[] }) {
  const violated = groupsOf(rows, 'requirement').filter(({ key }) => key !== '');
  return (
    <section class="card" aria-labelledby="failing">
      <h2 id="failing">
        What fails the run <small>{count(rows.length, 'case')}</small>
      </h2>
      <div class="columns">
        <div>
          <h3>What to look at first: a case of each root cause</h3>
          <CaseLinks rows={firstOfEachCause(rows).slice(0, NAMED)} filter={{ fails: true }} />
        </div>
        <div>
          <h3>Violated requirements</h3>
          <ul class="requirements">
            {violated.slice(0, NAMED).map(({ key, rows: cases }) => (
              <li key={key}>
                <RequirementText id={key} violated /> <span class="dim">{count(cases.length, 'case')}</span>
              </li>
            ))}
          </ul>
        </div>
      </div>
      <p>
        <Link to={route('failures')} class="button">
          All failures, grouped
        </Link>{' '}
        <Link to={route('cases', { filter: { fails: true } })} class="button">
          All {count(rows.length, 'failing case')}
        </Link>
      </p>
    </section>
  );
}

/** One case of each cause, the most severe cause first: one cause does not hide the others. */
const firstOfEachCause = (rows: readonly Row[]): Row[] =>
  groupsOf(rows, 'cause').flatMap(({ key, rows: members }) => (key === '' ? members : members.slice(0, 1)));

type Plugin = HtmlHead['plugins'][number] & Partial<PluginFacts>;

function PluginCard({ plugin }: { plugin: Plugin }) {
  const { apiVersion, functions, extensions, devices, memories, failure, platformName, platformVersion } = plugin;
  const facts: [string, string | undefined][] = [
    ['API version', apiVersion && `${apiVersion.major}.${apiVersion.minor}${standing(plugin.versionStanding)}`],
    ['Platform', platformName && [platformName, platformVersion].filter(Boolean).join(' · ')],
    [
      'Devices',
      devices &&
        `${plugin.deviceCount ?? devices.length} (${[...new Set(devices.map(({ kind }) => kind))].join(', ') || 'none'})`,
    ],
    ['Memories', memories && [...new Set(memories.map(({ kind }) => kind))].join(', ')],
    ['Functions', functions && `${functions.inTable} in the table, ${functions.nullSlots.length} NULL`],
    ['Extensions', extensions && (extensions.map(({ name }) => name).join(', ') || 'none')],
    ['File', plugin.path],
    ['SHA-256', plugin.sha256 && `${plugin.sha256.slice(0, 16)}…`],
  ];
  return (
    <section class="card">
      <h2>{plugin.name}</h2>
      {failure && (
        <p class="callout s-fail">
          {failure.stage} failed: {failure.code === undefined ? '' : `${failure.code}: `}
          {failure.message}
        </p>
      )}
      <dl class="facts">
        {facts.map(([name, value]) =>
          value ? (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ) : null,
        )}
      </dl>
      <p>
        <Link to={route('run')}>Everything about plugin, host and run</Link>
      </p>
    </section>
  );
}

const standing = (versionStanding: PluginFacts['versionStanding']): string =>
  ({ known: '', newer: ' (newer than the tool knows)', older: ' (older than the tool knows)' })[
    versionStanding ?? 'known'
  ];

function Notes({ head }: { head: HtmlHead }) {
  const notes = head.notes.filter(({ level }) => level !== 'info');
  if (notes.length === 0) return null;
  return (
    <section class="card">
      <h2>Notes</h2>
      <ul class="notes">
        {notes.slice(0, NAMED).map((note, at) => (
          <li key={at} class={`note-${note.level}`}>
            <b>{note.level}</b> {note.message}
          </li>
        ))}
      </ul>
      {notes.length > NAMED && (
        <p>
          <Link to={route('run')}>and {number(notes.length - NAMED)} more</Link>
        </p>
      )}
    </section>
  );
}

/**
 * Other reasons than root causes why cases did not run or are unsupported: a plugin for which everything is skipped is not a
 * good one.
 */
function Reasons({ rows }: { rows: readonly Row[] }) {
  const reasons = useMemo(() => {
    const counts = new Map<string, { status: Status; reason: string; cases: number }>();
    for (const { status, message, cause } of rows) {
      if (cause !== 0) continue;
      if (status !== 'unsupported' && status !== 'skip' && status !== 'notrun') continue;
      const key = `${status} ${message}`;
      const known = counts.get(key);
      if (known) known.cases++;
      else counts.set(key, { status, reason: message, cases: 1 });
    }
    return [...counts.values()].sort((a, b) => b.cases - a.cases);
  }, [rows]);
  if (reasons.length === 0) return null;
  return (
    <section class="card">
      <h2>Why else cases were not tested</h2>
      <ul class="reasons">
        {reasons.slice(0, NAMED).map(({ status, reason, cases }) => (
          <li key={`${status} ${reason}`}>
            <Link to={route('cases', { filter: { status: [status], q: reason } })}>
              <StatusIcon status={status} />
              <span>
                <b>{number(cases)}</b> {STATUS[status].word}: {reason || 'no reason was given'}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {reasons.length > NAMED && (
        <p>
          <Link to={route('cases', { filter: { status: ['unsupported', 'skip', 'notrun'] } })}>
            and {count(reasons.length - NAMED, 'further reason')}
          </Link>
        </p>
      )}
    </section>
  );
}

/** Statuses with a column in the table of suites. */
const COLUMNS = ['pass', 'warn', 'fail', 'crash', 'timeout', 'flaky'] as const;

const Suites = ({ suites, timeless }: { suites: readonly Suite[]; timeless: boolean }) => (
  <section class="card" aria-labelledby="suites">
    <h2 id="suites">
      Suites <small>{number(suites.length)}</small>
    </h2>
    <TableFrame label="Suites">
      <table class="suites">
        <thead>
          <tr>
            <th>Suite</th>
            <th class="wide">Result</th>
            <th class="n">Cases</th>
            {COLUMNS.map((status) => (
              <th key={status} class="n">
                {STATUS[status].word}
              </th>
            ))}
            <th class="n">other</th>
            {!timeless && <th class="n">Time</th>}
          </tr>
        </thead>
        <tbody>
          {suites.map((suite) => (
            <SuiteRow key={suite.suite} suite={suite} timeless={timeless} />
          ))}
        </tbody>
      </table>
    </TableFrame>
  </section>
);

function SuiteRow({ suite, timeless }: { suite: Suite; timeless: boolean }) {
  const { counts } = suite;
  const other = suite.cases - COLUMNS.reduce((sum, status) => sum + counts[status], 0);
  return (
    <tr>
      <th scope="row">
        <Link to={route('cases', { filter: { suite: suite.suite } })} title={suite.title}>
          {suite.suite}
        </Link>
      </th>
      <td>
        <CountBar counts={counts} />
      </td>
      <td class="n">{number(suite.cases)}</td>
      {COLUMNS.map((status) => (
        <td key={status} class={counts[status] > 0 ? `n s-${status}` : 'n none'}>
          {number(counts[status])}
        </td>
      ))}
      <td class={other > 0 ? 'n' : 'n none'}>{number(other)}</td>
      {!timeless && <td class="n">{time(suite.durationMs)}</td>}
    </tr>
  );
}
