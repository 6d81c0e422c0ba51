import type { Numeric } from '../data/report.ts';
import { share } from '../data/ulp.ts';
import { route } from '../state/route.ts';
import { number, percent, ulp } from './format.ts';
import { Link } from './link.tsx';
import { TableFrame } from './scroll.tsx';

/** A share of a bound as a bar with its number; beyond the bound it is full, marked, and labelled. */
export const Meter = ({ value }: { value: number }) => (
  <span class={value > 1 ? 'meter beyond' : 'meter'}>
    <span aria-hidden="true">
      <span style={{ width: `${Math.min(100, value * 100)}%` }} />
    </span>
    {value === 0 ? 'exact' : value > 1 ? `${percent(value)} ✗ beyond` : percent(value)}
  </span>
);

interface NumericTableProps {
  label: string;
  numerics: readonly Numeric[];
  /** Comparisons of several cases: each row names its case. */
  cases?: boolean;
}

/** Wrong elements without a distance. */
export const mismatches = ({ nanMismatches, infinityMismatches, signMismatches }: Numeric): string =>
  [
    nanMismatches > 0 ? `${number(nanMismatches)} NaN` : '',
    infinityMismatches > 0 ? `${number(infinityMismatches)} infinity` : '',
    signMismatches > 0 ? `${number(signMismatches)} sign` : '',
  ]
    .filter(Boolean)
    .join(', ');

/** The accuracy profile that it needs. */
const profile = ({ meets }: Numeric): string => (meets === 'none' ? 'outside all' : (meets ?? ''));

/** Numeric comparisons: the largest deviation of each, and its share of the bound. */
export const NumericTable = ({ label, numerics, cases }: NumericTableProps) => (
  <TableFrame label={label}>
    <table>
      <thead>
        <tr>
          {cases && <th>Case</th>}
          <th>Value</th>
          <th class="n">Max ULP</th>
          <th>No distance</th>
          <th class="n">Allowed</th>
          <th class="wide">Used</th>
          <th>Profile</th>
          <th class="n">At index</th>
          <th>Expected</th>
          <th>Actual</th>
        </tr>
      </thead>
      <tbody>
        {numerics.map((numeric, at) => (
          <tr key={at}>
            {cases && (
              <td>
                <Link to={route('cases', { id: numeric.row.id })} class="mono">
                  {numeric.row.id}
                </Link>
              </td>
            )}
            <td>{numeric.what}</td>
            <td class="n">{ulp(numeric.maxUlp)}</td>
            <td>{mismatches(numeric)}</td>
            <td class="n">{ulp(numeric.allowedUlp)}</td>
            <td>
              <Meter value={share(numeric)} />
            </td>
            <td>{profile(numeric)}</td>
            <td class="n">{number(numeric.index)}</td>
            <td>
              <code>{numeric.expectedBits}</code>
            </td>
            <td>
              <code>{numeric.actualBits}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </TableFrame>
);
