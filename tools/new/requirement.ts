import { parse } from 'yaml';
import { UsageError } from '../../harness/base/usage-error.ts';
import { appendItem } from './append-item.ts';
import { needed, type Read, type Scaffold, type Values } from './scaffold.ts';

const FILE = 'suites/requirements.yaml';

interface Row {
  id: string;
}

/** A requirement with the next free number of its group, such as `BUF-HOST`. */
export function newRequirement(group: string, values: Values, read: Read): Scaffold {
  if (!/^[A-Z0-9]+(-[A-Z0-9]+)+$/.test(group) || /-\d{3}$/.test(group))
    throw new UsageError(
      `"${group}" is not a group of requirements: write the id without its number, such as BUF-HOST`,
    );
  const text = read(FILE)!;
  const { areas } = parse(text) as { areas: Record<string, Row[]> };
  const inGroup = ({ id }: Row): boolean => id.startsWith(`${group}-`) && /^\d{3}$/.test(id.slice(group.length + 1));
  const area = values.area ?? Object.keys(areas).find((name) => areas[name]!.some(inGroup));
  if (area === undefined)
    throw new UsageError(
      `no area has requirements of ${group}: name one with --area (${Object.keys(areas).join(', ')})`,
    );
  const numbers = Object.values(areas)
    .flat()
    .filter(inGroup)
    .map(({ id }) => Number(id.slice(-3)));
  const id = `${group}-${String(Math.max(0, ...numbers) + 1).padStart(3, '0')}`;
  const row = {
    id,
    api: needed(values, 'api', 'the function, struct or topic that it concerns, such as Buffer_ReadyEvent'),
    level: values.level ?? 'must',
    cpu: values.cpu ?? 'y',
    text: needed(values, 'text', 'the requirement in one sentence'),
    source: needed(values, 'source', 'the header text, the file of XLA or of a framework that makes it a requirement'),
  };
  return {
    files: { [FILE]: appendItem(text, ['areas', area], row) },
    next: [
      `npm run new -- case SUITE:ID --covers ${id}    # a case that exercises it`,
      'npm run docs                                   # docs/coverage.md lists requirements',
    ],
  };
}
