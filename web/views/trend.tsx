import type { Status } from '../../harness/model/status.ts';
import type { CaseTrendKind } from '../../harness/report/trend/case-trends.ts';
import type { HtmlTrend } from '../../harness/report/trend/html.ts';
import { binaryBytes, count, moment, number, time } from '../ui/format.ts';
import { TableFrame, Verbatim } from '../ui/scroll.tsx';
import { SeriesPlot } from '../ui/series-plot.tsx';
import { STATUS, StatusIcon } from '../ui/status.tsx';
import { VerdictPage } from '../ui/verdict-page.tsx';

/** Entries of one kind that are shown; the rest is counted. */
const LAID_OUT = 200;

const ICONS: Readonly<Record<CaseTrendKind, Status>> = {
  'fails-since': 'fail',
  unstable: 'flaky',
  flaky: 'warn',
  'fixed-since': 'pass',
};

type Run = HtmlTrend['runs'][number];

const rate = ({ passed, tried }: Run): number | undefined => (tried === 0 ? undefined : passed / tried);
/** Only all is 100 %, and only none is 0 %, as on the terminal. */
function share(value: number): string {
  const rounded = Math.round(value * 1000) / 10;
  const least = value > 0 ? 0.1 : 0;
  return `${Math.min(Math.max(rounded, least), value < 1 ? 99.9 : 100).toFixed(1)} %`;
}

/** What changed over several runs, on one page. */
export function TrendPage({ trend }: { trend: HtmlTrend }) {
  const { verdict } = trend.runs.at(-1)!;
  const good = verdict.exitCode === 0;
  return (
    <VerdictPage
      kind="trend"
      plugins={trend.plugins}
      good={good}
      eyebrow={`${count(trend.runs.length, 'run')} over time`}
      heading={good ? 'The newest run passes' : 'The newest run does not pass'}
      verdict={
        <>
          <p class="lead">{verdict.line}</p>
          <p>{trend.line}.</p>
        </>
      }
    >
      {trend.cautions.map((caution) => (
        <p key={caution} class="callout s-warn">
          <b>Caution.</b> {caution}
        </p>
      ))}
      <Plots trend={trend} />
      <Cases trend={trend} />
      <Times trend={trend} />
      <Programs trend={trend} />
      <Runs trend={trend} />
    </VerdictPage>
  );
}

function Plots({ trend: { runs } }: { trend: HtmlTrend }) {
  const marked = runs.map(({ incomplete }) => incomplete);
  const series = [
    ['Pass rate', rate, share],
    ['Cases that fail the run', ({ failing }: Run) => failing, number],
    ['Time', ({ durationMs }: Run) => durationMs, time],
    ['Peak of memory', ({ peakRssBytes }: Run) => peakRssBytes, binaryBytes],
  ] as const;
  return (
    <section class="card" aria-labelledby="course">
      <h2 id="course">
        Over time <small>by the number of the run; an open circle is an incomplete run</small>
      </h2>
      <div class="columns">
        {series.map(([title, of, text]) => (
          <SeriesPlot
            key={title}
            title={title}
            values={runs.map(of)}
            text={text}
            marked={marked}
            further="The table of runs has the numbers"
          />
        ))}
      </div>
    </section>
  );
}

const OF_MARKS: Readonly<Record<string, Status>> = {
  '.': 'pass',
  F: 'fail',
  C: 'crash',
  T: 'timeout',
  '~': 'flaky',
  '-': 'notrun',
};
const wordOf = (mark: string): string => (mark === '-' ? 'not tried' : STATUS[OF_MARKS[mark]!].word);

/** How a case ended in each run: shapes, because colour alone must not distinguish them. */
const Strip = ({ strip }: { strip: string }) => (
  <span class="strip" role="img" aria-label={stripText(strip)}>
    {[...strip].map((mark, at) => (
      <span key={at} title={`Run ${at + 1}: ${wordOf(mark)}`}>
        <StatusIcon status={OF_MARKS[mark]!} />
      </span>
    ))}
  </span>
);

/** `passed in runs 1, 2; failed in run 3`. */
function stripText(strip: string): string {
  const marks = [...new Set(strip)];
  const runsOf = (mark: string): string => {
    const runs = [...strip].flatMap((other, at) => (other === mark ? [at + 1] : []));
    return `${runs.length === 1 ? 'run' : 'runs'} ${runs.join(', ')}`;
  };
  return marks.map((mark) => `${wordOf(mark)} in ${runsOf(mark)}`).join('; ');
}

function Cases({ trend }: { trend: HtmlTrend }) {
  const { cases, kinds, said } = trend;
  return (
    <>
      {(Object.keys(kinds) as CaseTrendKind[]).map((kind) => {
        const found = cases.flatMap((item, at) => (item.kind === kind ? [{ item, text: said.cases[at]! }] : []));
        if (found.length === 0) return null;
        return (
          <section key={kind} class="card" aria-labelledby={kind}>
            <h2 id={kind}>
              <StatusIcon status={ICONS[kind]} /> {kinds[kind].title}{' '}
              <small>
                {number(found.length)}: {kinds[kind].about}
              </small>
            </h2>
            <ul class="changes">
              {found.slice(0, LAID_OUT).map(({ item, text }) => (
                <li key={item.case}>
                  <p>
                    <span class="mono">{item.case}</span>
                  </p>
                  <p>
                    <Strip strip={item.strip} />
                  </p>
                  <p>{text}</p>
                  <p class="dim">{[item.finding, item.requirements.join(' ')].filter(Boolean).join(' · ')}</p>
                </li>
              ))}
            </ul>
            <Rest of={found.length} />
          </section>
        );
      })}
      <Proposals trend={trend} />
    </>
  );
}

/** What is not laid out is counted. */
const Rest = ({ of }: { of: number }) =>
  of > LAID_OUT ? <p class="dim">and {number(of - LAID_OUT)} more, which trend.json has (--report json)</p> : null;

function Proposals({ trend: { proposals } }: { trend: HtmlTrend }) {
  if (proposals.length === 0) return null;
  return (
    <section class="card" aria-labelledby="proposals">
      <h2 id="proposals">
        Expectations <small>that would excuse what is unstable or flaky; --expectations FILE writes them</small>
      </h2>
      <Verbatim
        text={proposals
          .map(({ cases, expect, reason }) => `${cases.join(', ')}\n    ${expect.join(', ')}: ${reason}`)
          .join('\n')}
      />
    </section>
  );
}

function Times({ trend }: { trend: HtmlTrend }) {
  const { omitted, records } = trend.times;
  return (
    <section class="card" aria-labelledby="times">
      <h2 id="times">
        Times <small>inside native functions, among runs of one kind of machine</small>
      </h2>
      {omitted !== undefined && <p>Not compared: {omitted}.</p>}
      {omitted === undefined && records.length === 0 && <p>No function takes more or less time than before.</p>}
      <ul class="changes">
        {records.map((record, at) => (
          <li key={at}>
            <p>
              <StatusIcon status={record.verdict === 'slower' ? 'warn' : 'pass'} />{' '}
              <span class="mono">{record.function}</span>
              {record.suite !== undefined && <span class="dim"> in {record.suite}</span>}{' '}
              <span class="tag">{`${time(record.oldMs)} → ${time(record.newMs)}`}</span>
            </p>
            <p>{trend.said.times[at]}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Programs({ trend }: { trend: HtmlTrend }) {
  const { programs, said, runs } = trend;
  if (programs.length === 0) return null;
  const marked = runs.map(() => false);
  return (
    <section class="card" aria-labelledby="programs">
      <h2 id="programs">
        Memory of programs <small>as the plugin says, where it changed</small>
      </h2>
      <ul class="changes">
        {programs.slice(0, LAID_OUT).map((item, at) => (
          <li key={`${item.program} ${item.field}`}>
            <p>
              <StatusIcon status={item.grown ? 'warn' : 'pass'} /> <span class="mono">{item.program}</span>{' '}
              <span class="tag">{item.field}</span>
            </p>
            <p>{said.programs[at]}</p>
            <SeriesPlot
              title={item.field}
              values={item.bytes.map((value) => value ?? undefined)}
              text={binaryBytes}
              marked={marked}
            />
          </li>
        ))}
      </ul>
      <Rest of={programs.length} />
    </section>
  );
}

const Runs = ({ trend: { runs, builds } }: { trend: HtmlTrend }) => (
  <section class="card" aria-labelledby="runs">
    <h2 id="runs">
      Runs <small>the oldest first</small>
    </h2>
    <TableFrame label="Runs">
      <table>
        <thead>
          <tr>
            <th class="n">Run</th>
            <th>Log</th>
            <th>Started</th>
            <th>Plugin</th>
            <th>Tool</th>
            <th>Host</th>
            <th class="n">Passed</th>
            <th class="n">of</th>
            <th class="n">Failures</th>
            <th class="n">Known</th>
            <th class="n">Flaky</th>
            <th class="n">Died</th>
            <th class="n">Time</th>
            <th class="n">Memory</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run, at) => (
            <tr key={at}>
              <td class="n">{at + 1}</td>
              <th scope="row">
                {run.name}
                {run.incomplete && <span class="tag">incomplete</span>}
              </th>
              <td>{moment(run.startedAt)}</td>
              <td class="mono">{builds[at]}</td>
              <td>{run.tool}</td>
              <td>
                {run.host} <small class="dim">{run.machine}</small>
              </td>
              <td class="n">{rate(run) === undefined ? '—' : share(rate(run)!)}</td>
              <td class="n">{number(run.tried)}</td>
              <td class="n">{number(run.failing)}</td>
              <td class="n">{number(run.excused)}</td>
              <td class="n">{number(run.counts.flaky)}</td>
              <td class="n">{number(run.counts.crash + run.counts.timeout)}</td>
              <td class="n">{run.durationMs === undefined ? '—' : time(run.durationMs)}</td>
              <td class="n">{run.peakRssBytes === undefined ? '—' : binaryBytes(run.peakRssBytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  </section>
);
