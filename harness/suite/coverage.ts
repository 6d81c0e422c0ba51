import { asJson } from '../base/as-json.ts';
import { textTable } from '../base/text-table.ts';
import type { Requirement, RequirementLevel, Requirements } from './requirements.ts';
import type { Case } from './types.ts';

/** One requirement and the case families that cover it. */
interface CoveredRequirement extends Requirement {
  /** `suite:name` of each case family, without parameters. */
  cases: string[];
}

/** Requirements and the cases that cover them. */
export interface Coverage {
  total: number;
  covered: number;
  areas: { area: string; total: number; covered: number }[];
  levels: { level: RequirementLevel; total: number; covered: number }[];
  requirements: CoveredRequirement[];
}

/** In the order of the catalogue. */
export function coverage(cases: readonly Case[], catalogue: Requirements): Coverage {
  const families = new Map<string, Set<string>>();
  for (const { suite, name, covers } of cases) {
    for (const id of covers) {
      if (!families.has(id)) families.set(id, new Set());
      families.get(id)!.add(`${suite}:${name}`);
    }
  }
  const requirements = [...catalogue.values()].map((requirement) => ({
    ...requirement,
    cases: [...(families.get(requirement.id) ?? [])],
  }));
  const counted = (some: readonly CoveredRequirement[]) => ({
    total: some.length,
    covered: some.filter((one) => one.cases.length > 0).length,
  });
  const areas = [...new Set(requirements.map((one) => one.area))];
  const levels = [...new Set(requirements.map((one) => one.level))];
  return {
    ...counted(requirements),
    areas: areas.map((area) => ({ area, ...counted(requirements.filter((one) => one.area === area)) })),
    levels: levels.map((level) => ({ level, ...counted(requirements.filter((one) => one.level === level)) })),
    requirements,
  };
}

/** A summary by area and level, then the requirements without a case. */
export function formatCoverage({ requirements, areas, levels, total, covered }: Coverage): string {
  const share = (part: { covered: number; total: number }): string => `${part.covered} of ${part.total}`;
  const rows = [
    ...areas.map((part) => [part.area, share(part)]),
    [''],
    ...levels.map((part) => [part.level, share(part)]),
  ];
  const lines = [`${covered} of ${total} requirements have a case`, '', ...textTable(rows, { indent: '  ' })];
  const missing = requirements.filter((one) => one.cases.length === 0);
  if (missing.length > 0) {
    lines.push('', 'Without a case:');
    lines.push(...missing.map(({ id, level, text }) => `  ${id} (${level}) ${text}`));
  }
  return `${lines.join('\n')}\n`;
}

/** The same as JSON. */
export const coverageJson = (found: Coverage): string => asJson(found);

/** A Markdown table for each area: the traceability matrix of the documentation. */
export function coverageMarkdown({ requirements, areas, total, covered }: Coverage): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  const lines = [`${covered} of ${total} requirements have a case.`];
  for (const { area, total: all, covered: some } of areas) {
    lines.push('', `## ${area} (${some} of ${all})`, '', '| Id | Level | Requirement | Cases |', '|---|---|---|---|');
    for (const { id, level, text, cases } of requirements.filter((one) => one.area === area)) {
      const names = cases.length === 0 ? 'none' : cases.map((name) => `\`${name}\``).join(', ');
      lines.push(`| ${id} | ${level} | ${cell(text)} | ${names} |`);
    }
  }
  return `${lines.join('\n')}\n`;
}
