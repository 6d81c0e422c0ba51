import { useWidth } from './use-width.ts';

const SHAPE = { height: 150, top: 14, bottom: 24, left: 78, right: 14 };
/** Pixels that the number of a run needs. */
const LABEL = 26;

interface SeriesPlotProps {
  /** What is drawn: `Pass rate`. */
  title: string;
  /** A value for each run; undefined: unknown. */
  values: readonly (number | undefined)[];
  text: (value: number) => string;
  /** Runs that are marked, because what they say is not all. */
  marked: readonly boolean[];
  /** Where the numbers are that the plot does not have in words. */
  further?: string;
}

/** Values over runs as a line. It is drawn in pixels, so that its text keeps its size on a narrow screen. */
export function SeriesPlot({ title, values, text, marked, further }: SeriesPlotProps) {
  const [frame, width] = useWidth<HTMLDivElement>(400);
  const known = values.flatMap((value, at) => (value === undefined ? [] : [{ value, at }]));
  if (known.length === 0) return null;
  const [least, most] = [Math.min(...known.map(({ value }) => value)), Math.max(...known.map(({ value }) => value))];
  const floor = SHAPE.height - SHAPE.bottom;
  const room = floor - SHAPE.top;
  const y = (value: number): number =>
    most === least ? floor - room / 2 : floor - (room * (value - least)) / (most - least);
  const step = (width - SHAPE.left - SHAPE.right) / Math.max(1, values.length - 1);
  const x = (at: number): number => SHAPE.left + step * at;
  const every = Math.ceil(LABEL / Math.max(1, step));
  const [first, last] = [known[0]!, known.at(-1)!];
  const ends = most === least ? [most] : [least, most];
  const label = `${title} over ${values.length} runs: ${text(first.value)} in run ${first.at + 1}, ${text(last.value)} in run ${last.at + 1}, ${text(least)} to ${text(most)}${further === undefined ? '' : `. ${further}`}`;
  return (
    <figure class="series">
      <figcaption>
        {title} <span class="dim">{text(last.value)}</span>
      </figcaption>
      <div ref={frame}>
        <svg class="plot range" width={width} height={SHAPE.height} role="img" aria-label={label}>
          {ends.map((value) => (
            <g key={value}>
              <line x1={SHAPE.left} x2={width - SHAPE.right} y1={y(value)} y2={y(value)} class="axis" />
              <text x={SHAPE.left - 8} y={y(value) + 4} class="tick">
                {text(value)}
              </text>
            </g>
          ))}
          <path
            class="course"
            d={known.map(({ value, at }, i) => `${i === 0 ? 'M' : 'L'}${x(at)},${y(value)}`).join('')}
          />
          {known.map(({ value, at }) => (
            <circle key={at} class={marked[at] ? 'point open' : 'point'} cx={x(at)} cy={y(value)} r="3.5">
              <title>{`Run ${at + 1}${marked[at] ? ', incomplete' : ''}: ${text(value)}`}</title>
            </circle>
          ))}
          {values.map(
            (_, at) =>
              at % every === 0 && (
                <text key={at} x={x(at)} y={SHAPE.height - 6}>
                  {at + 1}
                </text>
              ),
          )}
        </svg>
      </div>
    </figure>
  );
}
