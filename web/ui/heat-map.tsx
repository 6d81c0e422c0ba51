import type { HtmlFinding } from '../../harness/report/html-data.ts';
import { count, number } from './format.ts';

const CELL = 14;

/** Share of a cell that differs: a character of the grid as a number. */
const shareOf = (mark: string): number => (mark === '.' ? 0 : mark === '#' ? 1 : Math.max(0.05, Number(mark) / 10));

/** Where arrays differ: a cell is darker the more of it differs. */
export function HeatMap({ finding: { where, whereText = [] } }: { finding: HtmlFinding }) {
  if (!where) return null;
  const { shape, mismatches, grid } = where;
  const { cells, rowsPerCell, columnsPerCell } = grid;
  const [down, across] = [cells.length, cells[0]?.length ?? 0];
  if (down * across < 2) return null;
  const folded = shape.length > 2 ? `; the other ${count(shape.length - 2, 'dimension')} folded together` : '';
  const line = shape.length === 1;
  const cell = rowsPerCell * columnsPerCell;
  const size = cell === 1 ? 'one element' : line ? `${cell} elements` : `${rowsPerCell} × ${columnsPerCell} elements`;
  const all = mismatches === shape.reduce((product, size) => product * size, 1);
  const text = whereText.join('; ') || (all ? 'every element' : 'scattered');
  return (
    <figure class="heat-map">
      <figcaption>
        <b>Where:</b> {text}.
      </figcaption>
      <svg
        viewBox={`-1 -1 ${across * CELL + 2} ${down * CELL + 2}`}
        style={{ width: `${across * CELL + 2}px` }}
        role="img"
        aria-label={`Map of ${number(mismatches)} elements that differ in an array of ${shape.join(' × ')}: ${text}`}
      >
        <rect class="ground" x="0" y="0" width={across * CELL} height={down * CELL} />
        {cells.flatMap((line, row) =>
          [...line].map((mark, column) =>
            mark === '.' ? null : (
              <rect
                key={`${row} ${column}`}
                class="cell"
                x={column * CELL}
                y={row * CELL}
                width={CELL - 1}
                height={CELL - 1}
                fill-opacity={0.25 + 0.75 * shareOf(mark)}
              />
            ),
          ),
        )}
      </svg>
      <p class="dim">
        {line ? count(shape[0]!, 'element') : `${shape.join(' × ')}, rows downwards, columns to the right`}; a cell is{' '}
        {size}
        {folded}. The darker, the more of it differs.
      </p>
      <details>
        <summary>The same as text</summary>
        <p class="dim">. none differs, 0 to 9 tenths do, # all do</p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the focus, or keys cannot scroll it. */}
        <pre tabIndex={0}>{cells.join('\n')}</pre>
      </details>
    </figure>
  );
}
