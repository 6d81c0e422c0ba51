const BARS = '▁▂▃▄▅▆▇█';

/** Values as bars, the least to the greatest, one character each; all are low if they are equal, and a blank is unknown. */
export function sparkline(values: readonly (number | undefined)[]): string {
  const known = values.filter((value) => value !== undefined);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const bar = (value: number): string =>
    BARS[most === least ? 0 : Math.round(((value - least) / (most - least)) * (BARS.length - 1))]!;
  return values.map((value) => (value === undefined ? ' ' : bar(value))).join('');
}
