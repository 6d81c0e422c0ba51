import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Attempt } from '../../harness/model/case-result.ts';
import type { CaseExpectation } from '../../harness/model/expectation.ts';
import type { CaseDetail } from '../../harness/report/html-data.ts';
import type { Numeric, Row } from '../data/report.ts';
import { route } from '../state/route.ts';
import { useApp } from '../ui/app.ts';
import { CopyButton } from '../ui/copy.tsx';
import { count, number, time } from '../ui/format.ts';
import { FunctionLink } from '../ui/function-link.tsx';
import { LEVEL_MEANINGS, LevelChip } from '../ui/level.tsx';
import { Link } from '../ui/link.tsx';
import { NumericTable } from '../ui/numeric-table.tsx';
import { RequirementText } from '../ui/requirement.tsx';
import { Verbatim } from '../ui/scroll.tsx';
import { StatusBadge } from '../ui/status.tsx';
import { useLoaded } from '../ui/use-loaded.ts';
import { Block } from './case/block.tsx';
import { NativeTimes, Trace } from './case/calls.tsx';
import { FindingBlock } from './case/finding.tsx';
import { Source } from './case/source.tsx';

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
  const source = useLoaded(() => report.source(row), row.id);
  const numerics = useLoaded(() => numericsOf(row, report.numerics()), row.id) ?? [];
  const findings = detail?.findings ?? [];
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
        <LevelChip level={row.level} />
        {row.breach && <span class="tag">{breachText(row)}</span>}
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
      {row.level !== 'must' && (
        <p class="dim">
          {row.level.toUpperCase()}: {LEVEL_MEANINGS[row.level]}.
        </p>
      )}
      <RootCause row={row} />
      {detail === undefined ? <p class="dim">Loading…</p> : <Outcome row={row} detail={detail} />}
      {detail && source && (
        <Source
          row={row}
          source={source}
          findings={findings}
          op={numerics.find(({ beyond }) => beyond)?.op ?? undefined}
        />
      )}
      {detail?.lastWords !== undefined && (
        <p class="says">
          <b>Before it ended, the process wrote:</b> <span class="mono">{detail.lastWords}</span>
        </p>
      )}
      {detail?.stderr !== undefined && <Output title="stderr" text={detail.stderr} />}
      {detail?.stdout !== undefined && <Output title="stdout" text={detail.stdout} />}
      {numerics.length > 0 && <Numerics numerics={numerics} />}
      {detail?.trace && <Trace trace={detail.trace} />}
      <Requirements row={row} />
      {detail?.callMs && <NativeTimes callMs={detail.callMs} />}
      <Facts row={row} />
    </>
  );
}

/** What the result violates; a violated OPT counts as a MUST does. */
const breachText = ({ level, breach }: Row): string =>
  level === 'opt' && breach === 'must' ? 'counts as a violated MUST' : `violates a ${breach?.toUpperCase()}`;

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
  const { findings = [], knownDeviation, expectation, attempts, reproduce, inFlight, signal, exitCode, after } = detail;
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
              in <FunctionLink call={inFlight} />
            </>
          )}
          .
        </p>
      )}
      {after && (
        <p class="callout">
          Alone this case passes. It fails only after{' '}
          {after.further === undefined
            ? ''
            : `some of ${count(after.further + after.cases.length, 'case')}, from the first to the last of these: `}
          {after.cases.map((id, at) => (
            <>
              {at > 0 && ' and '}
              <Link key={id} to={route('cases', { id })}>
                {id}
              </Link>
            </>
          ))}
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
                why &&
                  {
                    repeat: 'repeated (--repeat)',
                    rerun: 'run again after a failure',
                    alone: 'in a process of its own',
                  }[why],
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

const Output = ({ title, text }: { title: string; text: string }) => {
  const lines = text.trimEnd().split('\n').length;
  return (
    <Block title={title} note={`${number(lines)} ${lines === 1 ? 'line' : 'lines'}`} copy={text}>
      <Verbatim text={text.trimEnd()} wrap />
    </Block>
  );
};

const Numerics = ({ numerics }: { numerics: readonly Numeric[] }) => {
  const deviating = numerics.find(({ op, maxUlp, beyond }) => op !== null && (beyond || maxUlp > 0));
  return (
    <Block title="Numbers">
      <NumericTable label="Numeric comparisons" numerics={numerics} />
      {deviating && (
        <p>
          <Link to={route('numerics', { how: { op: `${deviating.op} ${deviating.dtype}` } })}>
            {deviating.op} of {deviating.dtype} in all cases
          </Link>
        </p>
      )}
    </Block>
  );
};

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

const numericsOf = async (row: Row, all: Promise<readonly Numeric[]>): Promise<Numeric[]> =>
  (await all).filter((numeric) => numeric.row === row);
