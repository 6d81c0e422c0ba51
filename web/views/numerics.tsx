import { useMemo } from 'preact/hooks';
import type { Numeric } from '../data/report.ts';
import { byShare, histogram, isExact, type Operation, operations, share, withoutDistance } from '../data/ulp.ts';
import { route } from '../state/route.ts';
import { useApp } from '../ui/app.ts';
import { count, number, ulp } from '../ui/format.ts';
import { Histogram } from '../ui/histogram.tsx';
import { Link } from '../ui/link.tsx';
import { Meter, mismatches, NumericTable } from '../ui/numeric-table.tsx';
import { TableFrame } from '../ui/scroll.tsx';
import { useLoaded } from '../ui/use-loaded.ts';
import { Observed, PrecisionTable, RangePlot } from './precision.tsx';

/** Number of comparisons listed as closest to their bound. */
const WORST = 40;
/** Number of operations listed; the rest, which use least of their bound, is counted. */
const OPERATIONS = 150;

/** Accuracy of the plugin: every numeric comparison, also of cases that passed. */
export function Numerics() {
  const { report } = useApp();
  const numerics = useLoaded(() => report.numerics(), 'numerics');
  const { precision, observed } = report.head;
  if (!report.hasNumerics && observed.length === 0) {
    return (
      <div class="page">
        <h1>Numerics</h1>
        <p class="empty">No case of this run compared numbers.</p>
      </div>
    );
  }
  return (
    <div class="page">
      <h1>
        Numerics <small>{numerics === undefined ? 'loading…' : count(numerics.length, 'comparison')}</small>
      </h1>
      {report.hasNumerics && <Profile />}
      {precision.length > 0 && (
        <section class="card" aria-labelledby="precision">
          <h2 id="precision">
            Precision by operation and type <small>the largest deviation, where it is, and what is allowed</small>
          </h2>
          <PrecisionTable rows={precision} />
        </section>
      )}
      <RangePlot rows={precision} />
      {report.hasNumerics && numerics && <Plots numerics={numerics} />}
      <Observed rows={observed} />
    </div>
  );
}

const CHOSEN = { default: 'the default', option: 'chosen by --numerics', manifest: "from the plugin's manifest" };

/** The accuracy profile in effect, and the one that the results would need. */
function Profile() {
  const summary = useApp().report.head.numerics;
  if (!summary) return null;
  const { profile, from, needs } = summary;
  const all = needs.strict + needs.standard + needs.relaxed + needs.none;
  return (
    <p class="lead">
      Accuracy profile <b>{profile}</b> ({CHOSEN[from]}).{' '}
      {all > 0 &&
        `Of ${count(all, 'result')} that depend on it ${number(needs.strict)} meet strict, ${number(needs.standard)} need standard, ${number(needs.relaxed)} need relaxed, ${number(needs.none)} are outside every profile.`}
    </p>
  );
}

function Plots({ numerics }: { numerics: readonly Numeric[] }) {
  const bins = useMemo(() => histogram(numerics), [numerics]);
  const ops = useMemo(() => operations(numerics), [numerics]);
  const worst = useMemo(() => numerics.filter((numeric) => !isExact(numeric)).sort(byShare), [numerics]);
  const beyond = worst.filter((numeric) => numeric.beyond).length;
  const odd = worst.filter((numeric) => withoutDistance(numeric) > 0).length;
  return (
    <>
      <dl class="tiles">
        <Tile name="comparisons" value={number(numerics.length)} />
        <Tile name="exact (0 ULP)" value={number(numerics.length - worst.length)} />
        <Tile name="within their bound" value={number(worst.length - beyond)} />
        <Tile name="beyond their bound" value={number(beyond)} {...(beyond > 0 ? { tone: 'fail' } : {})} />
        <Tile name="with wrong NaN, infinity or sign" value={number(odd)} {...(odd > 0 ? { tone: 'fail' } : {})} />
      </dl>
      <section class="card" aria-labelledby="histogram">
        <h2 id="histogram">
          Biggest deviation of each comparison <small>in ULP, by powers of two</small>
        </h2>
        <Histogram bins={bins} what="comparisons" />
      </section>
      <section class="card" aria-labelledby="operations">
        <h2 id="operations">
          By operation <small>the comparison that used most of its bound</small>
        </h2>
        <Operations operations={ops.slice(0, OPERATIONS)} />
        {ops.length > OPERATIONS && (
          <p class="dim">and {number(ops.length - OPERATIONS)} more, which used no more of their bound</p>
        )}
      </section>
      {worst.length > 0 && (
        <section class="card" aria-labelledby="worst">
          <h2 id="worst">
            Nearest to their bound, or beyond it{' '}
            <small>{worst.length > WORST ? `${WORST} of ${number(worst.length)}` : number(worst.length)}</small>
          </h2>
          <NumericTable label="Worst comparisons" numerics={worst.slice(0, WORST)} cases />
        </section>
      )}
    </>
  );
}

const Tile = ({ name, value, tone }: { name: string; value: string; tone?: string }) => (
  <div class={tone === undefined ? 'tile' : `tile s-${tone}`}>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);

const Operations = ({ operations: ops }: { operations: readonly Operation[] }) => (
  <TableFrame label="Deviations by operation">
    <table>
      <thead>
        <tr>
          <th>Operation</th>
          <th class="n">Comparisons</th>
          <th class="n">Exact</th>
          <th class="n">Max ULP</th>
          <th class="n">Allowed</th>
          <th class="wide">Used of the bound</th>
        </tr>
      </thead>
      <tbody>
        {ops.map(({ name, comparisons, exact, worst }) => (
          <tr key={name}>
            <td>
              <Link to={route('cases', { id: worst.row.id, filter: { q: name.replace(']', '') } })} class="mono">
                {name}
              </Link>
            </td>
            <td class="n">{number(comparisons)}</td>
            <td class="n">{number(exact)}</td>
            <td class="n">
              {ulp(worst.maxUlp)}
              {withoutDistance(worst) > 0 && ` (${mismatches(worst)})`}
            </td>
            <td class="n">{ulp(worst.allowedUlp)}</td>
            <td>
              <Meter value={share(worst)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </TableFrame>
);
