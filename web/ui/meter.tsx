import { percent } from './format.ts';

/** A share of a bound as a bar with its number; beyond the bound it is full, marked, and labelled. */
export const Meter = ({ value }: { value: number }) => (
  <span class={value > 1 ? 'meter beyond' : 'meter'}>
    <span aria-hidden="true">
      <span style={{ width: `${Math.min(100, value * 100)}%` }} />
    </span>
    {value === 0 ? 'exact' : value > 1 ? `${percent(value)} ✗ beyond` : percent(value)}
  </span>
);
