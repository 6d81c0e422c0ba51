const NUMBERS = new Intl.NumberFormat('en-US');

/** `12,345`. */
export const number = (value: number): string => NUMBERS.format(value);

/** `1 case`, `12,345 cases`. */
export const count = (value: number, noun: string): string => `${number(value)} ${noun}${value === 1 ? '' : 's'}`;

/** `0.42 ms`, `40 ms`, `1.2 s`, `2 min 03 s`. */
export function time(milliseconds: number): string {
  if (milliseconds === 0) return '0 ms';
  if (milliseconds < 10) return `${milliseconds.toFixed(2)} ms`;
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

/** `3 µs`, `0.42 ms`: the time of one native call. */
export const callTime = (milliseconds: number): string =>
  milliseconds > 0 && milliseconds < 0.1 ? `${Math.round(milliseconds * 1000)} µs` : time(milliseconds);

/** `1.4 MB`. */
export function bytes(value: number): string {
  const power = value < 1000 ? 0 : Math.min(4, Math.floor(Math.log10(value) / 3));
  const scaled = value / 1000 ** power;
  return `${power === 0 || scaled >= 100 ? Math.round(scaled) : scaled.toFixed(1)} ${['B', 'kB', 'MB', 'GB', 'TB'][power]}`;
}

/** `640 B`, `4.00 KiB`, `1.25 MiB`: memory, as the terminal writes it. */
export function binaryBytes(value: number): string {
  const power = Math.min(3, Math.floor(Math.log2(Math.max(1, value)) / 10));
  if (power === 0) return `${value} B`;
  const scaled = value / 1024 ** power;
  return `${scaled.toFixed(scaled < 10 ? 2 : scaled < 100 ? 1 : 0)} ${['KiB', 'MiB', 'GiB'][power - 1]}`;
}

/** A distance in ULP, which may be astronomic or undefined. */
export function ulp(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '∞';
  return value < 1e7 ? number(Math.round(value * 100) / 100) : value.toExponential(1);
}

/** A share as whole percent; a positive one is never shown as 0 %, and a multiple not in percent. */
export function percent(share: number): string {
  if (!Number.isFinite(share)) return '∞';
  if (share >= 10) return `${share < 1e7 ? number(Math.round(share)) : share.toExponential(1)} ×`;
  if (share > 0 && share < 0.01) return '<1 %';
  return `${number(Math.round(share * 100))} %`;
}

/** A time in the reader's time zone. */
export function moment(iso: string | undefined): string {
  if (iso === undefined) return '—';
  const date = new Date(iso);
  return Number.isNaN(date.getTime())
    ? iso
    : date.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
}
