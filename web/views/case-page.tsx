import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Attempt, CallTrace } from '../../harness/model/case-result.ts';
import type { CaseExpectation } from '../../harness/model/expectation.ts';
import type { CaseDetail, HtmlFinding } from '../../harness/report/html-data.ts';
import type { Numeric, Row } from '../data/report.ts';
import { route } from '../state/route.ts';
import { useApp } from '../ui/app.ts';
import { CopyButton } from '../ui/copy.tsx';
import { callTime, count, number, time } from '../ui/format.ts';
import { HeatMap } from '../ui/heat-map.tsx';
import { Link } from '../ui/link.tsx';
import { NumericTable } from '../ui/numeric-table.tsx';
import { RequirementText } from '../ui/requirement.tsx';
import { TableFrame, Verbatim } from '../ui/scroll.tsx';
import { StatusBadge } from '../ui/status.tsx';
import { useLoaded } from '../ui/use-loaded.ts';

/** Everything about one case. */
export function CasePage({ row, id, onMove }: { row: Row | undefined; id: string; onMove: (step: 1 | -1) => void }) {
  const { route: here, go } = useApp();
  const page = useRef<HTMLElement>(null);
  useEffect(() => page.current?.scrollTo(0, 0), [id]);
  const close = { ...here, id: undefined };
  return (
    <article class="case-page" aria-labelledby="case-title" ref={page}>
      <nav class="case-nav" aria-label="Case">
        <Link to={close} class="button back">
          ← All cases
        </Link>
        <span class="spacer" />
        <button type="button" onClick={() => onMove(-1)} title="Previous case (k)">
          ↑ Previous
        </button>
        <button type="button" onClick={() => onMove(1)} title="Next case (j)">
          ↓ Next
        </button>
        <button type="button" class="close" onClick={() => go(close)} title="Close (Escape)">
          Close
        </button>
      </nav>
      {row ? (
        <Case key={row.id} row={row} />
      ) : (
        <>
          <h2 id="case-title">No such case</h2>
          <p>
            This run has no case <code>{id}</code>.
          </p>
        </>
      )}
    </article>
  );
}

function Case({ row }: { row: Row }) {
  const { report } = useApp();
  const detail = useLoaded(() => report.detail(row), row.id);
  const numerics = useLoaded(() => numericsOf(row, report.numerics()), row.id) ?? [];
  return (
    <>
      <p class="crumbs">
        <Link to={route('cases', { filter: { suite: row.suite.suite } })}>{row.suite.suite}</Link>
      </p>
      <h2 id="case-title" class="case-id">
        {row.name}
      </h2>
      <p class="case-meta">
        <StatusBadge status={row.status} />
        <span class="level">{row.level.toUpperCase()}</span>
        {row.breach && <span class="tag">breaks a {row.breach.toUpperCase()}</span>}
        {row.fails && <span class="tag strong">fails the run</span>}
        {row.accepted && <span class="tag">does not fail the run</span>}
        {row.informative && <span class="tag">outside the gate</span>}
        {row.tags.map((tag) => (
          <Link key={tag} class="tag" to={route('cases', { filter: { tag } })}>
            {tag}
          </Link>
        ))}
        <CopyButton text={row.id} label="Copy the id of the case" />
      </p>
      <p class="lead">{row.title}</p>
      <RootCause row={row} />
      {detail === undefined ? <p class="dim">Loading…</p> : <Outcome row={row} detail={detail} />}
      {numerics.length > 0 && <Numerics numerics={numerics} />}
      {detail?.stderr !== undefined && <Output title="stderr" text={detail.stderr} />}
      {detail?.stdout !== undefined && <Output title="stdout" text={detail.stdout} />}
      {detail?.trace && <Trace trace={detail.trace} />}
      <Requirements row={row} />
      {detail?.callMs && <NativeTimes callMs={detail.callMs} />}
      <Facts row={row} />
    </>
  );
}

/** The root cause of the result, if other cases share it. */
function RootCause({ row }: { row: Row }) {
  const { report } = useApp();
  const cause = report.causes[row.cause - 1];
  if (!cause || cause.rows.length < 2) return null;
  return (
    <p>
      <b>Root cause.</b> {cause.text}{' '}
      <Link to={route('cases', { filter: { cause: String(cause.number) } })}>
        All {count(cause.rows.length, 'case')} of it
      </Link>
    </p>
  );
}

function Outcome({ row, detail }: { row: Row; detail: CaseDetail }) {
  const { findings = [], knownDeviation, expectation, attempts, reproduce, inFlight, signal, exitCode } = detail;
  const how = signal ?? (exitCode === undefined ? undefined : `exit code ${exitCode}`);
  return (
    <>
      {findings.length === 0 && row.message !== '' && <p class={`callout s-${row.status}`}>{row.message}</p>}
      {findings.map((finding, at) => (
        <FindingBlock key={at} finding={finding} row={row} />
      ))}
      {(how !== undefined || inFlight !== undefined) && (
        <p class={`callout s-${row.status}`}>
          The process ended{how === undefined ? '' : ` with ${how}`}
          {inFlight !== undefined && (
            <>
              {' '}
              in <Link to={route('cases', { filter: { call: inFlight } })}>{inFlight}</Link>
            </>
          )}
          .
        </p>
      )}
      {knownDeviation && (
        <div class="callout">
          <h3>Known deviation</h3>
          <p>{knownDeviation.reason}</p>
          <p class="dim">{knownDeviation.evidence}</p>
        </div>
      )}
      {expectation && <Expected expectation={expectation} />}
      {attempts && <Attempts attempts={attempts} />}
      {reproduce !== undefined && (
        <Block title="Run this case again">
          <div class="command">
            <Verbatim text={reproduce} />
            <CopyButton text={reproduce} label="Copy the command" />
          </div>
        </Block>
      )}
    </>
  );
}

const OUTCOMES: Readonly<Record<CaseExpectation['outcome'], string>> = {
  met: 'as expected, so it does not fail the run',
  'unexpected-pass': 'the case passes now: the entry is stale',
  different: 'a different result than expected: it counts as if there were no entry',
  expired: 'the entry has expired: it counts as if there were no entry',
};

function Expected({ expectation }: { expectation: CaseExpectation }) {
  const { file, line, expect, reason, issue, owner, expires, outcome } = expectation;
  return (
    <div class="callout">
      <h3>
        Expected: {expect.join(' or ')} <small>{OUTCOMES[outcome]}</small>
      </h3>
      <p>{reason}</p>
      <p class="dim">
        {[`${file}:${line}`, issue, owner && `owner ${owner}`, expires && `until ${expires}`]
          .filter(Boolean)
          .join(' · ')}
      </p>
    </div>
  );
}

const Attempts = ({ attempts }: { attempts: readonly Attempt[] }) => (
  <Block title="Attempts" note={number(attempts.length)}>
    <ol class="attempts">
      {attempts.map(({ status, why, finding, durationMs }, at) => (
        <li key={at}>
          <StatusBadge status={status} />
          <span>
            {finding?.message}{' '}
            <span class="dim">
              {[
                why && { repeat: 'repeated (--repeat)', rerun: 'run again after a failure' }[why],
                durationMs > 0 && time(durationMs),
              ]
                .filter(Boolean)
                .join(', ')}
            </span>
          </span>
        </li>
      ))}
    </ol>
  </Block>
);

const ENDS: Readonly<Record<string, string>> = { DEATH: 'the process died in it', HANG: 'it did not return' };

/** The last native calls, oldest first, numbered within the case. */
function Trace({ trace: { before, calls } }: { trace: CallTrace }) {
  const timed = calls.some(({ durationMs }) => durationMs !== undefined);
  const note =
    before === 0 ? number(calls.length) : `the last ${number(calls.length)} of ${number(before + calls.length)}`;
  return (
    <Block title="Native calls" note={note}>
      <TableFrame label="Native calls, in order">
        <table class="trace">
          <thead>
            <tr>
              <th class="n">#</th>
              <th>Function</th>
              <th>Answer</th>
              {timed && <th class="n">Time</th>}
            </tr>
          </thead>
          <tbody>
            {calls.map(({ call, answer, durationMs }, at) => {
              const end = answer === undefined ? undefined : ENDS[answer];
              return (
                <tr key={at} class={end === undefined ? '' : `end s-${answer === 'HANG' ? 'timeout' : 'crash'}`}>
                  <td class="n dim">{number(before + at + 1)}</td>
                  <td>
                    <code>{call}</code>
                  </td>
                  <td>{end ?? answer ?? <span class="dim">still running on another thread</span>}</td>
                  {timed && <td class="n">{durationMs === undefined ? '' : callTime(durationMs)}</td>}
                </tr>
              );
            })}
          </tbody>
        </table>
      </TableFrame>
    </Block>
  );
}

/** Time of the case by native function, longest first. */
function NativeTimes({ callMs }: { callMs: Readonly<Record<string, number>> }) {
  const calls = Object.entries(callMs).sort(([, a], [, b]) => b - a);
  const most = calls[0]?.[1] ?? 0;
  return (
    <Block title="Time inside native functions" note="those of 0.05 ms or more">
      <TableFrame label="Time inside native functions">
        <table>
          <tbody>
            {calls.map(([call, ms]) => (
              <tr key={call}>
                <td>
                  <code>{call}</code>
                </td>
                <td class="n">{time(ms)}</td>
                <td>
                  <span class="meter" aria-hidden="true">
                    <span>
                      <span style={{ width: `${(100 * ms) / most}%` }} />
                    </span>
                  </span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
    </Block>
  );
}

function FindingBlock({ finding, row }: { finding: HtmlFinding; row: Row }) {
  const { message, level, call, detail, requirements = [], line, type } = finding;
  return (
    <section class={`finding level-${level}`}>
      <h3>{message}</h3>
      <p class="finding-facts">
        {level !== 'info' && <span class="level">{level.toUpperCase()}</span>}
        {requirements.map((requirement) => (
          <Link key={requirement} to={route('cases', { filter: { requirement } })}>
            {requirement}
          </Link>
        ))}
        {call !== undefined && (
          <span>
            in <Link to={route('cases', { filter: { call } })}>{call}</Link>
          </span>
        )}
        <code>
          {row.file}:{line ?? row.line}
        </code>
        <span class="dim">{type}</span>
      </p>
      <HeatMap finding={finding} />
      {detail !== undefined && detail.trim() !== '' && <Verbatim text={detail.replace(/\s+$/, '')} />}
    </section>
  );
}

const Output = ({ title, text }: { title: string; text: string }) => {
  const lines = text.trimEnd().split('\n').length;
  return (
    <Block title={title} note={`${number(lines)} ${lines === 1 ? 'line' : 'lines'}`} copy={text}>
      <Verbatim text={text.trimEnd()} wrap />
    </Block>
  );
};

const Numerics = ({ numerics }: { numerics: readonly Numeric[] }) => (
  <Block title="Numbers">
    <NumericTable label="Numeric comparisons" numerics={numerics} />
  </Block>
);

const Requirements = ({ row }: { row: Row }) => (
  <Block title="Requirements">
    <ul class="requirements">
      {[...new Set([...row.breaks, ...row.covers])].map((id) => (
        <li key={id}>
          <RequirementText id={id} violated={row.breaks.includes(id)} />
        </li>
      ))}
    </ul>
  </Block>
);

function Facts({ row }: { row: Row }) {
  const { report } = useApp();
  const facts: [string, ComponentChildren][] = [
    ['Place', <code key="place">{`${row.file}:${row.line}`}</code>],
    ['Id', <code key="id">{row.id}</code>],
  ];
  if (!report.head.timeless && row.worker !== null) {
    facts.push(
      ['Time', `${time(row.durationMs)}, ${time(row.nativeMs)} of it inside native calls`],
      [
        'Worker',
        `${row.worker}${row.startMs === null ? '' : `, from ${time(row.startMs)} after the start of the run`}`,
      ],
    );
  }
  facts.push(['Native calls', number(row.calls)]);
  return (
    <Block title="Facts">
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Block>
  );
}

interface BlockProps {
  title: string;
  note?: string;
  /** A text to copy. */
  copy?: string;
  children: ComponentChildren;
}

const Block = ({ title, note, copy, children }: BlockProps) => (
  <section class="block">
    <h3>
      {title} {note !== undefined && <small>{note}</small>}
      {copy !== undefined && <CopyButton text={copy} label={`Copy ${title}`} />}
    </h3>
    {children}
  </section>
);

const numericsOf = async (row: Row, all: Promise<readonly Numeric[]>): Promise<Numeric[]> =>
  (await all).filter((numeric) => numeric.row === row);
