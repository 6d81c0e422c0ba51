import type { Fault } from './catalogue.ts';

/** A fault in the API version, for tests. */
export const sampleFault = (name: string, more: Partial<Fault> = {}): Fault => ({
  name,
  area: 'table',
  defect: `${name} is wrong.`,
  from: ['nowhere'],
  base: 'any',
  suites: ['load/table'],
  breaks: ['ABI-VER-001'],
  cases: [],
  plugins: 1,
  env: {},
  ...more,
});
