import { asJson } from '../../base/as-json.ts';
import { textTable } from '../../base/text-table.ts';
import { NEWEST_MINOR } from '../../knowledge/abi/index.ts';
import type { FunctionNeed, Need, StructNeed } from './needs.ts';
import { releaseFacts, releaseName } from './spec.ts';
import type { Chosen } from './types.ts';

const COLUMNS = ['function', 'absent or NULL', 'error', 'called'] as const;

const title = ({ framework, release }: Chosen): string =>
  `What a plugin must have for ${framework.title} ${release.version} (${release.date}, PJRT C API 0.${release.minor}), in the order in which it would fail`;

/** A list to work through, for the terminal. */
export function formatNeeds(chosen: Chosen, needs: readonly Need[]): string {
  const parts = [`${title(chosen)}\n`];
  const rows = needs.flatMap((need) => need.functions.map(cells));
  const [head = '', ...lines] = textTable([COLUMNS, ...rows]);
  for (const need of needs) {
    const own = lines.splice(0, need.functions.length);
    parts.push(
      [
        `\n${need.moment}`,
        ...need.rules.map((rule) => `  [ ] ${rule}`),
        ...(own.length > 0 ? [`      ${head}`] : []),
        ...own.map((line) => `  [ ] ${line}`),
        ...need.structs.map((s) => `  [ ] ${structText(s)}`),
        '',
      ].join('\n'),
    );
  }
  return `${parts.join('')}\n${footnotes(chosen).join('\n')}\n`;
}

/** The same for a document or an issue. */
export function formatNeedsMarkdown(chosen: Chosen, needs: readonly Need[]): string {
  const parts = [`# ${title(chosen)}`, ''];
  for (const need of needs) {
    parts.push(`## ${need.moment[0]!.toUpperCase()}${need.moment.slice(1)}`, '');
    parts.push(...need.rules.map((rule) => `- [ ] ${rule}`), ...need.structs.map((s) => `- [ ] ${structText(s)}`));
    if (need.functions.length > 0) {
      if (need.rules.length + need.structs.length > 0) parts.push('');
      parts.push('| Function | Absent or NULL | Error | Called |', '| --- | --- | --- | --- |');
      parts.push(...need.functions.map((f) => `| ${cells(f).join(' | ')} |`));
    }
    parts.push('');
  }
  return [...parts, ...footnotes(chosen).map((note) => `- ${note}`), ''].join('\n');
}

/** The same for programs. */
export const formatNeedsJson = (chosen: Chosen, needs: readonly Need[]): string =>
  asJson({ ...releaseFacts(chosen), status: chosen.release.status, needs });

const cells = ({ name, absent, error, step, when, tolerance }: FunctionNeed): string[] => [
  name,
  absent === 'crash' ? 'the process dies' : 'fine',
  error === 'fails' ? `${STEPS[step ?? ''] ?? step} fails` : error === 'process ends' ? 'the process ends' : error,
  [when ?? 'on every plugin', tolerance].filter(Boolean).join('; '),
];

/** The steps of the measured workload, in words. */
const STEPS: Record<string, string> = {
  init: 'the start',
  devices: 'listing devices',
  topology: 'asking for the topology',
  h2d: 'upload',
  d2h: 'download',
  d2d: 'copy between devices',
  jit: 'jit',
  multidev: 'sharded execution',
  dlpack: 'DLPack',
  unsafe_ptr: 'asking for a pointer',
  memstats: 'memory statistics',
  costmem: 'cost analysis',
  workload: 'everyday use',
};

const structText = ({ name, function: fn, bytes, others }: StructNeed): string =>
  `${name}: ${bytes} bytes, in ${fn} (other versions: ${others.map((o) => `${o.bytes} from 0.${o.minor}`).join(', ')})`;

const footnotes = (chosen: Chosen): string[] => {
  const { release } = chosen;
  return [
    `Known from: ${release.status}.`,
    ...(release.minor > NEWEST_MINOR
      ? [
          `0.${release.minor} is newer than the newest header that is known (0.${NEWEST_MINOR}): sizes are those of that one.`,
        ]
      : []),
    `Check a plugin: pjrt-conformance compat ./pjrt-plugin-foo.so --framework ${releaseName(chosen)}`,
  ];
};
