import type { Status } from '../../harness/model/status.ts';
import type { Action, Change } from '../../harness/report/compare/change.ts';
import type { HtmlComparison } from '../../harness/report/compare/html.ts';
import { CopyButton } from '../ui/copy.tsx';
import { bytes, count, moment, number, percent, time, ulp } from '../ui/format.ts';
import { TableFrame, Verbatim } from '../ui/scroll.tsx';
import { CountBar, STATUS, STATUS_ORDER, StatusIcon } from '../ui/status.tsx';
import { VerdictPage } from '../ui/verdict-page.tsx';

/** Number of changes of one kind that are shown in full, and rows of a table; the rest is counted. */
const LAID_OUT = 200;

const ACTIONS: Readonly<Record<Action, { title: string; icon: Status }>> = {
  fail: { title: 'Fails the gate', icon: 'fail' },
  warn: { title: 'Worth a look', icon: 'warn' },
  ignore: { title: 'Better, new, or of no consequence', icon: 'pass' },
};

/** What changed between two runs, on one page. */
export function ComparisonPage({ comparison }: { comparison: HtmlComparison }) {
  const { gate, cautions } = comparison;
  const good = gate.verdict !== 'fail';
  return (
    <VerdictPage
      kind="comparison"
      plugins={comparison.new.plugins.map(({ name }) => name)}
      good={good}
      eyebrow="Gate between two runs"
      heading={good ? 'No regression' : 'Regressions'}
      verdict={
        <>
          <p class="lead">{gate.line}</p>
          <p>
            {number(gate.counts.fail)} fail the gate, {number(gate.counts.warn)} are worth a look,{' '}
            {number(gate.counts.ignore)} are better, new, or of no consequence.
          </p>
        </>
      }
    >
      {cautions.map((caution) => (
        <p key={caution} class="callout s-warn">
          <b>Caution.</b> {caution}
        </p>
      ))}
      <Sides comparison={comparison} />
      {(['fail', 'warn', 'ignore'] as const).map((action) => (
        <Changes key={action} action={action} comparison={comparison} />
      ))}
      <Transitions comparison={comparison} />
      <Numbers comparison={comparison} />
      {!comparison.timeless && <Times comparison={comparison} />}
    </VerdictPage>
  );
}

const Sides = ({ comparison }: { comparison: HtmlComparison }) => (
  <div class="columns">
    {(['old', 'new'] as const).map((name) => {
      const { logs, runs, plugins, verdict, counts, cases, tool, host, startedAt } = comparison[name];
      return (
        <section key={name} class="card" aria-label={`The ${name} run`}>
          <h2>
            {name === 'old' ? 'Old' : 'New'} <small>{plugins.map((plugin) => plugin.name).join(' + ')}</small>
          </h2>
          <CountBar counts={counts} />
          <p>
            {count(cases, 'case')}:{' '}
            {STATUS_ORDER.filter((status) => counts[status] > 0)
              .map((status) => `${number(counts[status])} ${STATUS[status].word}`)
              .join(', ')}
          </p>
          <dl class="facts">
            <Fact name="Verdict" value={`${verdict.line} (exit code ${verdict.exitCode})`} />
            {plugins.map(({ path, sha256, apiVersion, platformVersion }) => (
              <Fact
                key={path}
                name="Plugin"
                value={[
                  path,
                  apiVersion && `API ${apiVersion.major}.${apiVersion.minor}`,
                  platformVersion,
                  sha256 && `sha256 ${sha256.slice(0, 16)}…`,
                ]
                  .filter(Boolean)
                  .join(' · ')}
              />
            ))}
            <Fact name="Log" value={`${logs.join(', ')}${runs > 1 ? ` (${runs} runs)` : ''}`} />
            <Fact name="Tool" value={tool} />
            <Fact name="Host" value={host} />
            <Fact name="Started" value={startedAt && moment(startedAt)} />
          </dl>
        </section>
      );
    })}
  </div>
);

const Fact = ({ name, value }: { name: string; value: string | undefined }) =>
  value ? (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  ) : null;

/** Lines of details that are shown at once. */
const SHORT = 4;

function Changes({ action, comparison }: { action: Action; comparison: HtmlComparison }) {
  const changes = comparison.changes.filter((change) => change.action === action);
  if (changes.length === 0) return null;
  const { title, icon } = ACTIONS[action];
  const kinds = Object.entries(comparison.titles)
    .map(([kind, heading]) => ({ heading, found: changes.filter((change) => change.kind === kind) }))
    .filter(({ found }) => found.length > 0);
  return (
    <section class="card" aria-label={title}>
      <h2>
        <StatusIcon status={icon} /> {title} <small>{number(changes.length)}</small>
      </h2>
      {kinds.map(({ heading, found }) => (
        <details key={heading} open={action === 'fail' || found.length <= 3}>
          <summary>
            <b>{heading}</b> {number(found.length)}
          </summary>
          <ul class="changes">
            {found.slice(0, LAID_OUT).map((change, at) => (
              <li key={at}>
                <ChangeBlock change={change} />
              </li>
            ))}
          </ul>
          {found.length > LAID_OUT && (
            <p class="dim">and {number(found.length - LAID_OUT)} more, which comparison.json has (--report json)</p>
          )}
        </details>
      ))}
    </section>
  );
}

function ChangeBlock({ change }: { change: Change }) {
  const { subject, plugin, message, detail = [], place, requirements = [], reproduce, caution, exception } = change;
  const from = change.old !== undefined && change.old !== change.new ? `${change.old} → ` : '';
  return (
    <>
      <p>
        <span class="mono">{subject}</span>
        {plugin !== undefined && <span class="dim"> of {plugin}</span>}
        {change.new !== undefined && <span class="tag">{`${from}${change.new}`}</span>}
      </p>
      <p>{message}</p>
      {(place !== undefined || requirements.length > 0) && (
        <p class="dim">{[place, requirements.join(' ')].filter(Boolean).join(' · ')}</p>
      )}
      {detail.length > SHORT ? (
        <details>
          <summary>Details, {count(detail.length, 'line')}</summary>
          <Verbatim text={detail.join('\n')} />
        </details>
      ) : (
        detail.length > 0 && <Verbatim text={detail.join('\n')} />
      )}
      {exception !== undefined && <p class="dim">{exception}</p>}
      {caution !== undefined && <p class="dim">Caution: {caution}</p>}
      {reproduce !== undefined && (
        <div class="command">
          <Verbatim text={reproduce} />
          <CopyButton text={reproduce} label="Copy the command" />
        </div>
      )}
    </>
  );
}

/** Number of cases by old and new status. */
function Transitions({ comparison }: { comparison: HtmlComparison }) {
  const { transitions } = comparison;
  const order = [...STATUS_ORDER, 'none'] as const;
  const [from, to] = (['old', 'new'] as const).map((side) =>
    order.filter((status) => transitions.some((transition) => transition[side] === status)),
  );
  const word = (status: Status | 'none'): string => (status === 'none' ? 'not there' : STATUS[status].word);
  return (
    <section class="card" aria-labelledby="transitions">
      <h2 id="transitions">
        From status to status <small>rows: old, columns: new</small>
      </h2>
      <TableFrame label="From status to status">
        <table class="matrix">
          <thead>
            <tr>
              <th>Old</th>
              {to!.map((status) => (
                <th key={status} class="n">
                  {word(status)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {from!.map((was) => (
              <tr key={was}>
                <th scope="row">{word(was)}</th>
                {to!.map((is) => {
                  const cases = transitions.find((t) => t.old === was && t.new === is)?.count ?? 0;
                  return (
                    <td key={is} class={cases === 0 ? 'n none' : was === is ? 'n' : 'n moved'}>
                      {number(cases)}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
    </section>
  );
}

function Numbers({ comparison }: { comparison: HtmlComparison }) {
  const { operations, records } = comparison.numerics;
  if (operations.length === 0) return null;
  const distance = (value: number | null): string => ulp(value ?? Number.POSITIVE_INFINITY);
  const moved = [...records].sort((a, b) => Number(b.drifted) - Number(a.drifted));
  const growth = (record: { oldUlp: number | null; newUlp: number | null }): number =>
    record.oldUlp === record.newUlp
      ? 0
      : (record.newUlp ?? Number.POSITIVE_INFINITY) - (record.oldUlp ?? Number.POSITIVE_INFINITY);
  const ranked = [...operations].sort((a, b) => growth(b) - growth(a) || a.operation.localeCompare(b.operation));
  return (
    <section class="card" aria-labelledby="numbers">
      <h2 id="numbers">
        Numbers{' '}
        <small>{records.length === 0 ? 'no distance changed' : `${count(records.length, 'distance')} changed`}</small>
      </h2>
      {moved.length > 0 && (
        <TableFrame label="Distances that changed">
          <table>
            <thead>
              <tr>
                <th>Case</th>
                <th>Value</th>
                <th class="n">Old ULP</th>
                <th class="n">New ULP</th>
                <th class="n">Allowed</th>
                <th>Drift</th>
              </tr>
            </thead>
            <tbody>
              {moved.slice(0, LAID_OUT).map((record) => (
                <tr key={`${record.case} ${record.what}`}>
                  <td class="mono">{record.case}</td>
                  <td>{record.what}</td>
                  <td class="n">{distance(record.oldUlp)}</td>
                  <td class="n">{distance(record.newUlp)}</td>
                  <td class="n">{distance(record.allowedUlp)}</td>
                  <td>{record.drifted ? <b class="s-fail">✗ drifted</b> : 'within the policy'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableFrame>
      )}
      {moved.length > LAID_OUT && <p class="dim">and {number(moved.length - LAID_OUT)} more</p>}
      <details open={moved.length > 0}>
        <summary>{count(operations.length, 'operation')} compared, by type</summary>
        <TableFrame label="Operations">
          <table>
            <thead>
              <tr>
                <th>Operation</th>
                <th class="n">Comparisons</th>
                <th class="n">Old max ULP</th>
                <th class="n">New max ULP</th>
                <th>Change</th>
                <th class="n">Exact before</th>
                <th class="n">Exact now</th>
              </tr>
            </thead>
            <tbody>
              {ranked.slice(0, LAID_OUT).map((operation) => (
                <tr key={operation.operation}>
                  <td class="mono">{operation.operation}</td>
                  <td class="n">{number(operation.records)}</td>
                  <td class="n">{distance(operation.oldUlp)}</td>
                  <td class="n">{distance(operation.newUlp)}</td>
                  <td>{growth(operation) > 0 ? '▲ worse' : growth(operation) < 0 ? '▼ better' : ''}</td>
                  <td class="n">{operation.oldExact === undefined ? '' : number(operation.oldExact)}</td>
                  <td class="n">{operation.newExact === undefined ? '' : number(operation.newExact)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableFrame>
      </details>
    </section>
  );
}

function Times({ comparison }: { comparison: HtmlComparison }) {
  const { times, memory } = comparison;
  const records = times.records.filter(({ suite, cases }) => suite === undefined && cases > 0);
  return (
    <section class="card" aria-labelledby="times">
      <h2 id="times">Time and memory</h2>
      <p>
        {times.omitted !== undefined
          ? `Times are not compared: ${times.omitted}.`
          : `The harness itself took ${times.machine.ratio.toFixed(2)} times as long; that is corrected for.`}{' '}
        {memory.oldBytes !== undefined &&
          memory.newBytes !== undefined &&
          `Peak of memory: ${bytes(memory.oldBytes)}, then ${bytes(memory.newBytes)}.`}
      </p>
      {records.length > 0 && (
        <TableFrame label="Time in native functions">
          <table>
            <thead>
              <tr>
                <th>Function</th>
                <th class="n">Cases</th>
                <th class="n">Old</th>
                <th class="n">New</th>
                <th class="n">Ratio</th>
                <th class="n">Confidence</th>
                <th>Verdict</th>
              </tr>
            </thead>
            <tbody>
              {records.slice(0, LAID_OUT).map((record) => (
                <tr key={record.function}>
                  <td class="mono">{record.function}</td>
                  <td class="n">{number(record.cases)}</td>
                  <td class="n">{time(record.oldMs)}</td>
                  <td class="n">{time(record.newMs)}</td>
                  <td class="n">{record.ratio.toFixed(2)}</td>
                  <td class="n">
                    {percent(record.verdict === 'faster' ? record.fasterConfidence : record.confidence)}
                  </td>
                  <td>{record.verdict === 'slower' ? <b class="s-warn">▲ slower</b> : record.verdict}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableFrame>
      )}
    </section>
  );
}
