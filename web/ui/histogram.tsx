import type { Bin } from '../data/ulp.ts';
import { number } from './format.ts';
import { useWidth } from './use-width.ts';

const SHAPE = { height: 200, bottom: 26, top: 20, side: 16 };
/** Pixels that a label needs. */
const LABEL = 46;

interface HistogramProps {
  bins: readonly Bin[];
  /** What is counted: `elements`. */
  what: string;
}

/**
 * Distances in ULP as bars on a logarithmic scale, so that one bad one among thousands is visible; the table below has the
 * same data. It is drawn in pixels, so that its text keeps its size on a narrow screen.
 */
export function Histogram({ bins, what }: HistogramProps) {
  const [frame, width] = useWidth<HTMLDivElement>(800);
  const most = Math.max(...bins.map(({ inside, beyond }) => inside + beyond));
  const base = SHAPE.height - SHAPE.bottom;
  const room = base - SHAPE.top;
  const scale = (value: number): number => (value === 0 ? 0 : (room * Math.log10(value + 1)) / Math.log10(most + 1));
  const step = (width - 2 * SHAPE.side) / bins.length;
  const bar = Math.min(64, step * 0.7);
  const every = Math.ceil(LABEL / step);
  const beyond = bins.reduce((sum, bin) => sum + bin.beyond, 0);
  return (
    <>
      <div ref={frame}>
        <svg
          class="plot histogram"
          width={width}
          height={SHAPE.height}
          role="img"
          aria-label={`Histogram of the distances of ${what} in ULP, ${number(beyond)} of them beyond the bound; the table below has the numbers`}
        >
          <line x1="0" x2={width} y1={base} y2={base} class="axis" />
          {bins.map((bin, at) => {
            const x = SHAPE.side + step * (at + 0.5);
            const all = bin.inside + bin.beyond;
            const [total, bad] = [scale(all), (scale(all) * bin.beyond) / Math.max(1, all)];
            return (
              <g key={bin.label}>
                <title>
                  {/^\d|≤/.test(bin.label) ? `${bin.label} ULP` : bin.label}: {bin.inside} within the bound,{' '}
                  {bin.beyond} beyond
                </title>
                <rect class="inside" x={x - bar / 2} y={base - total} width={bar} height={total - bad} rx="2" />
                <rect class="beyond" x={x - bar / 2} y={base - bad} width={bar} height={bad} rx="2" />
                {all > 0 && (
                  <text x={x} y={base - total - 5} class="value">
                    {number(all)}
                  </text>
                )}
                {(bins.length - 1 - at) % every === 0 && (
                  <text x={x} y={SHAPE.height - 8}>
                    {bin.label}
                  </text>
                )}
              </g>
            );
          })}
        </svg>
      </div>
      <details>
        <summary>The same as a table (heights are logarithmic)</summary>
        <table>
          <thead>
            <tr>
              <th>ULP</th>
              <th class="n">within the bound</th>
              <th class="n">beyond</th>
            </tr>
          </thead>
          <tbody>
            {bins.map((bin) => (
              <tr key={bin.label}>
                <td>{bin.label}</td>
                <td class="n">{number(bin.inside)}</td>
                <td class="n">{number(bin.beyond)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}
