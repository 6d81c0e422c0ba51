import type { JudgedCase, Judgement, Standing } from '../../../model/judgement.ts';

/** The cases of one area of the suites: `buffers`. */
export interface Area {
  name: string;
  counts: Record<Standing, number>;
  cases: JudgedCase[];
}

/** Cases that a plugin of its API version, with what it offers, has to pass. */
export const asked = ({ passed, failed, missing, waived }: Area['counts']): number =>
  passed + failed + missing + waived;

/** The areas of a judgement, in alphabetical order. */
export function areasOf({ cases, counts }: Judgement): Area[] {
  const zero = Object.fromEntries(Object.keys(counts).map((standing) => [standing, 0])) as Area['counts'];
  const areas = new Map<string, Area>();
  for (const one of cases) {
    const area = areas.get(one.area) ?? { name: one.area, counts: { ...zero }, cases: [] };
    areas.set(one.area, area);
    area.counts[one.standing]++;
    area.cases.push(one);
  }
  return [...areas.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
