import type { Requirement, RequirementLevel, Requirements } from './requirements.ts';
import type { Case } from './types.ts';

/** One requirement and the case families that cover it. */
interface CoverageRow {
  requirement: Requirement;
  /** `suite:name` of each case family, without parameters. */
  cases: string[];
}

/** Requirements and the cases that cover them. */
interface Coverage {
  rows: CoverageRow[];
  areas: { area: string; total: number; covered: number }[];
  levels: { level: RequirementLevel; total: number; covered: number }[];
  total: number;
  covered: number;
}

/** In the order of the catalogue. */
export function coverage(cases: readonly Case[], requirements: Requirements): Coverage {
  const families = new Map<string, Set<string>>();
  for (const { suite, name, covers } of cases) {
    for (const id of covers) {
      if (!families.has(id)) families.set(id, new Set());
      families.get(id)!.add(`${suite}:${name}`);
    }
  }
  const rows = [...requirements.values()].map((requirement) => ({
    requirement,
    cases: [...(families.get(requirement.id) ?? [])],
  }));
  const counted = (some: readonly CoverageRow[]) => ({
    total: some.length,
    covered: some.filter((row) => row.cases.length > 0).length,
  });
  const areas = [...new Set(rows.map((row) => row.requirement.area))];
  const levels = [...new Set(rows.map((row) => row.requirement.level))];
  return {
    rows,
    areas: areas.map((area) => ({ area, ...counted(rows.filter((row) => row.requirement.area === area)) })),
    levels: levels.map((level) => ({ level, ...counted(rows.filter((row) => row.requirement.level === level)) })),
    ...counted(rows),
  };
}

/** A summary by area and level, then the requirements without a case. */
export function formatCoverage({ rows, areas, levels, total, covered }: Coverage): string {
  const share = (part: { covered: number; total: number }): string => `${part.covered} of ${part.total}`;
  const width = Math.max(...[...areas.map((a) => a.area), ...levels.map((l) => l.level)].map((name) => name.length), 0);
  const lines = [`${covered} of ${total} requirements have a case`, ''];
  lines.push(...areas.map((part) => `  ${part.area.padEnd(width)}  ${share(part)}`), '');
  lines.push(...levels.map((part) => `  ${part.level.padEnd(width)}  ${share(part)}`));
  const missing = rows.filter((row) => row.cases.length === 0);
  if (missing.length > 0) {
    lines.push('', 'Without a case:');
    lines.push(...missing.map(({ requirement: r }) => `  ${r.id} (${r.level}) ${r.text}`));
  }
  return `${lines.join('\n')}\n`;
}

/** The same as JSON. */
export function coverageJson({ rows, areas, levels, total, covered }: Coverage): string {
  const requirements = rows.map(({ requirement, cases }) => ({ ...requirement, cases }));
  return `${JSON.stringify({ total, covered, areas, levels, requirements }, null, 2)}\n`;
}

/** A Markdown table for each area: the traceability matrix of the documentation. */
export function coverageMarkdown({ rows, areas, total, covered }: Coverage): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  const lines = [`${covered} of ${total} requirements have a case.`];
  for (const { area, total: all, covered: some } of areas) {
    lines.push('', `## ${area} (${some} of ${all})`, '', '| Id | Level | Requirement | Cases |', '|---|---|---|---|');
    for (const { requirement, cases } of rows.filter((row) => row.requirement.area === area)) {
      const names = cases.length === 0 ? 'none' : cases.map((name) => `\`${name}\``).join(', ');
      lines.push(`| ${requirement.id} | ${requirement.level} | ${cell(requirement.text)} | ${names} |`);
    }
  }
  return `${lines.join('\n')}\n`;
}
