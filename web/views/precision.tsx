import { useEffect, useState } from 'preact/hooks';
import type { NumericLimits } from '../../harness/model/numeric-record.ts';
import type { ObservedRow, PrecisionRow } from '../../harness/report/precision.ts';
import { type OrderBin, orderBins } from '../data/by-order.ts';
import { ACCURACY_NAMES } from '../data/profiles.ts';
import { route } from '../state/route.ts';
import { useApp } from '../ui/app.ts';
import { count, number, percent, ulp } from '../ui/format.ts';
import { Link } from '../ui/link.tsx';
import { TableFrame } from '../ui/scroll.tsx';
import { useWidth } from '../ui/use-width.ts';

const distance = (maxUlp: number | null): number => maxUlp ?? Number.POSITIVE_INFINITY;

/** `3 + 2·|x|, or abs 1e-6`. */
function limitText({ ulp: steps, growth, atol }: NumericLimits): string {
  const grown = growth === undefined ? number(steps) : `${number(steps)} + ${growth}·|x|`;
  return atol === undefined ? grown : `${grown} or abs ${Number(atol.toPrecision(2))}`;
}

const NEEDS = ['strict', 'standard', 'relaxed', 'none'];

const COLUMNS: { name: string; numeric?: true; compare?: (a: PrecisionRow, b: PrecisionRow) => number }[] = [
  { name: 'Operation', compare: (a, b) => a.op.localeCompare(b.op) || a.dtype.localeCompare(b.dtype) },
  { name: 'Type', compare: (a, b) => a.dtype.localeCompare(b.dtype) || a.op.localeCompare(b.op) },
  { name: 'Max ULP', numeric: true, compare: (a, b) => compareNumbers(distance(b.maxUlp), distance(a.maxUlp)) },
  {
    name: 'Meets',
    compare: (a, b) => NEEDS.indexOf(b.meets ?? '') - NEEDS.indexOf(a.meets ?? '') || a.op.localeCompare(b.op),
  },
  { name: 'Exact', numeric: true, compare: (a, b) => compareNumbers(exactShare(a), exactShare(b)) },
  { name: 'Elements', numeric: true, compare: (a, b) => b.elements - a.elements },
  { name: 'Operands' },
  { name: 'Expected' },
  { name: 'Actual' },
  { name: 'At' },
  { name: 'strict', numeric: true },
  { name: 'standard', numeric: true },
  { name: 'relaxed', numeric: true },
];

// Infinity minus infinity is no order.
const compareNumbers = (a: number, b: number): number => (a === b ? 0 : a - b);

const exactShare = ({ exact, elements }: PrecisionRow): number => (elements === 0 ? 1 : exact / elements);

const LISTED = 200;

/** Every operation and type: the largest deviation and where it is, the share of exact elements, the bounds. */
export function PrecisionTable({ rows }: { rows: readonly PrecisionRow[] }) {
  const [{ by, back }, setOrder] = useState({ by: 2, back: false });
  const wanted = useApp().route.how.op;
  const sorted = [...rows].sort((a, b) => COLUMNS[by]!.compare!(a, b) * (back ? -1 : 1));
  const first = sorted.findIndex((row) => nameOf(row) === wanted);
  // The one that a link leads to is among the listed ones.
  if (first > 0) sorted.unshift(...sorted.splice(first, 1));
  return (
    <>
      <TableFrame label="Precision by operation and type">
        <table class="sortable">
          <thead>
            <tr>
              {COLUMNS.map(({ name, numeric, compare }, at) => (
                <th
                  key={name}
                  class={numeric ? 'n' : ''}
                  {...(at === by ? { 'aria-sort': back ? 'descending' : ('ascending' as const) } : {})}
                >
                  {compare ? (
                    <button type="button" onClick={() => setOrder({ by: at, back: at === by ? !back : false })}>
                      {name}
                      <span aria-hidden="true">{at === by ? (back ? ' ▲' : ' ▼') : ''}</span>
                    </button>
                  ) : (
                    name
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.slice(0, LISTED).map((row) => (
              <Row key={nameOf(row)} row={row} here={nameOf(row) === wanted} />
            ))}
          </tbody>
        </table>
      </TableFrame>
      {sorted.length > LISTED && <p class="dim">and {number(sorted.length - LISTED)} more</p>}
    </>
  );
}

/** `exponential f32`. */
const nameOf = ({ op, dtype }: PrecisionRow): string => `${op} ${dtype}`;

function Row({ row, here }: { row: PrecisionRow; here: boolean }) {
  const { op, dtype, maxUlp, beyond, meets, exact, elements, bounds, worst } = row;
  const cell = (value: string | undefined, bits: string) => (
    <td>
      {value} <code class="bits">{bits}</code>
    </td>
  );
  return (
    <tr class={here ? 'here' : ''} {...(here ? { 'aria-current': 'true' as const } : {})}>
      <th scope="row" class="mono">
        {worst ? <Link to={route('cases', { id: worst.case })}>{op}</Link> : op}
      </th>
      <td>{dtype}</td>
      <td class="n">
        {maxUlp === null ? 'no distance' : ulp(maxUlp)}
        {beyond && <b class="s-fail"> ✗ beyond</b>}
      </td>
      <td>{meets === 'none' ? 'outside all' : (meets ?? '')}</td>
      <td class="n">{exact === elements ? 'all' : percent(Math.floor(100 * exactShare(row)) / 100)}</td>
      <td class="n">{number(elements)}</td>
      {worst ? (
        <>
          <td>
            {worst.operands?.map(({ value, bits }, at) => (
              <div key={at}>
                {value} <code class="bits">{bits}</code>
              </div>
            ))}
          </td>
          {cell(worst.expected, worst.expectedBits)}
          {cell(worst.actual, worst.actualBits)}
          <td>
            <code>[{worst.at?.join(',') ?? worst.index}]</code>
          </td>
        </>
      ) : (
        <td colSpan={4} class="dim">
          nothing deviates
        </td>
      )}
      {ACCURACY_NAMES.map((profile) => (
        <td key={profile} class="n">
          {bounds ? limitText(bounds[profile]) : ''}
        </td>
      ))}
    </tr>
  );
}

/** The error of one operation over its range, chosen among those that deviate. */
export function RangePlot({ rows }: { rows: readonly PrecisionRow[] }) {
  const plotted = rows
    .filter(({ worst, bounds }) => worst?.byOrder !== undefined && bounds !== undefined)
    .sort((a, b) => compareNumbers(distance(b.maxUlp), distance(a.maxUlp)) || a.op.localeCompare(b.op));
  const wanted = useApp().route.how.op ?? '';
  const [chosen, setChosen] = useState(wanted);
  useEffect(() => setChosen(wanted), [wanted]);
  if (plotted.length === 0) return null;
  const names = plotted.map(nameOf);
  const row = plotted[Math.max(0, names.indexOf(chosen))]!;
  const byOrder = row.worst!.byOrder!;
  return (
    <section class="card" aria-labelledby="range">
      <h2 id="range">
        Error over the range <small>largest error in each range of the {byOrder.of}</small>
      </h2>
      <p>
        <label class="choice">
          <span>Operation</span>{' '}
          <select onChange={(event) => setChosen(event.currentTarget.value)}>
            {names.map((name, at) => (
              <option key={name} value={name} selected={row === plotted[at]}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </p>
      <Plot row={row} bins={orderBins(byOrder, row.bounds)} of={byOrder.of} />
    </section>
  );
}

const SHAPE = { height: 260, top: 16, bottom: 34, left: 44, right: 12 };
const TICK = 64;

function Plot({ row, bins, of }: { row: PrecisionRow; bins: readonly OrderBin[]; of: string }) {
  const [frame, width] = useWidth<HTMLDivElement>(800);
  const finite = bins.map(({ ulp: steps }) => steps).filter(Number.isFinite);
  const most = Math.max(1, ...finite);
  // A bound far above every error would flatten them.
  const lines = ACCURACY_NAMES.map((profile) => ({
    profile,
    limits: row.bounds![profile],
    drawn: bins.some(({ allowed }) => allowed[profile] <= 4 * most + 4),
  }));
  const top = Math.max(
    ...lines.filter(({ drawn }) => drawn).flatMap(({ profile }) => bins.map(({ allowed }) => allowed[profile])),
    most,
  );
  const ceiling = Math.min(top, 16 * most + 16) * 1.25;
  const room = SHAPE.height - SHAPE.top - SHAPE.bottom;
  const floor = SHAPE.height - SHAPE.bottom;
  const y = (steps: number): number =>
    floor - (room * Math.log2(1 + Math.min(steps, ceiling))) / Math.log2(1 + ceiling);
  const step = (width - SHAPE.left - SHAPE.right) / bins.length;
  const x = (at: number): number => SHAPE.left + step * (at + 0.5);
  const every = Math.ceil(TICK / step);
  const marks = gridLines(ceiling);
  const filled = bins.filter(({ ulp: steps }) => !Number.isNaN(steps));
  const worst = filled.reduce((a, b) => (b.ulp > a.ulp ? b : a));
  const name = `${row.op} of ${row.dtype}`;
  const title = `Error of ${row.op} ${row.dtype} by range`;
  const label = `${name}: the largest error, ${ulp(worst.ulp)} ULP, is where the ${of} is ${worst.label}. The table below has the numbers`;
  return (
    <>
      <div ref={frame}>
        <svg class="plot range" width={width} height={SHAPE.height} role="img" aria-label={label}>
          {marks.map((steps) => (
            <g key={steps}>
              <line x1={SHAPE.left} x2={width - SHAPE.right} y1={y(steps)} y2={y(steps)} class="axis" />
              <text x={SHAPE.left - 6} y={y(steps) + 4} class="tick">
                {steps > 4096 ? `2^${Math.log2(steps)}` : number(steps)}
              </text>
            </g>
          ))}
          {lines
            .filter(({ drawn }) => drawn)
            .map(({ profile }) => (
              <path
                key={profile}
                class={`bound ${profile}`}
                d={bins
                  .map(({ allowed }, at) => {
                    const height = y(allowed[profile]);
                    return `${at === 0 ? 'M' : 'L'}${x(at) - step / 2},${height}H${x(at) + step / 2}`;
                  })
                  .join('')}
              />
            ))}
          {bins.map(({ label: range, from, ulp: steps, allowed }, at) => {
            const bad = steps > allowed.standard;
            return (
              <g key={range} class={bad ? 'beyond' : 'inside'}>
                {!Number.isNaN(steps) && (
                  <>
                    <title>{`${range}: ${Number.isFinite(steps) ? `${ulp(steps)} ULP` : 'no distance'}`}</title>
                    <line x1={x(at)} x2={x(at)} y1={floor} y2={y(steps)} />
                    {bad ? (
                      <path d={`M${x(at) - 4},${y(steps) - 4}l8,8m-8,0l8,-8`} />
                    ) : (
                      <circle cx={x(at)} cy={y(steps)} r="3" />
                    )}
                  </>
                )}
                {at % every === 0 && (
                  <text x={x(at)} y={floor + 16}>
                    {from}
                  </text>
                )}
              </g>
            );
          })}
          <text x={SHAPE.left} y={SHAPE.height - 4} class="start">
            ULP by order of the {of}
          </text>
        </svg>
      </div>
      <ul class="legend">
        {lines.map(({ profile, limits, drawn }) => (
          <li key={profile} class={profile}>
            <svg width="28" height="8" aria-hidden="true">
              <path class={`bound ${profile}`} d="M0,4H28" />
            </svg>
            {profile}: {limitText(limits)} ULP{drawn ? '' : ', above the plot'}
          </li>
        ))}
        <li>× beyond standard</li>
      </ul>
      <details>
        <summary>The same as a table (heights are logarithmic)</summary>
        <TableFrame label={title}>
          <table>
            <thead>
              <tr>
                <th>{of === 'operand' ? 'Operand' : 'Result'}</th>
                <th class="n">Max ULP</th>
                {ACCURACY_NAMES.map((profile) => (
                  <th key={profile} class="n">
                    {profile}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {filled.map((bin) => (
                <tr key={bin.label}>
                  <td>{bin.label}</td>
                  <td class="n">{Number.isFinite(bin.ulp) ? ulp(bin.ulp) : 'no distance'}</td>
                  {ACCURACY_NAMES.map((profile) => (
                    <td key={profile} class="n">
                      {ulp(bin.allowed[profile])}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </TableFrame>
      </details>
    </>
  );
}

/** 0, then powers of two that are at most five lines. */
function gridLines(ceiling: number): number[] {
  const highest = Math.floor(Math.log2(ceiling));
  const step = Math.max(1, Math.ceil(highest / 4));
  const exponents = Array.from({ length: Math.floor(highest / step) + 1 }, (_, at) => at * step);
  // Beside 0, 1 is only readable in a low plot.
  return [0, ...exponents.filter((exponent) => exponent > 0 || step === 1).map((exponent) => 2 ** exponent)];
}

/** What the plugin does where several ways are right. */
export function Observed({ rows }: { rows: readonly ObservedRow[] }) {
  if (rows.length === 0) return null;
  return (
    <section class="card" aria-labelledby="observed">
      <h2 id="observed">
        Observed behaviour <small>{count(rows.length, 'observation')}, none of which is right or wrong</small>
      </h2>
      <TableFrame label="Behaviours">
        <table>
          <thead>
            <tr>
              <th>Behaviour</th>
              <th>Of</th>
              <th>Is</th>
              <th>Seen in</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ behaviour, of, is, values, case: id }) => (
              <tr key={`${behaviour} ${of}`}>
                <th scope="row">
                  <Link to={route('cases', { id })}>{behaviour}</Link>
                </th>
                <td>{of}</td>
                <td>
                  <b>{is}</b>
                </td>
                <td class="mono seen">{values.join(', ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
    </section>
  );
}
