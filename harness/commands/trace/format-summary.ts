import { EXTENSIONS } from '../../knowledge/abi/index.ts';
import { tableOf } from './columns.ts';
import type { ProcessSummary, TraceSummary } from './summary.ts';

/** Rows of functions that are shown of a process, with what the rest has in one. */
const SHOWN = 20;

/** A summary for a terminal. */
export function formatSummary({ manifest, processes, cut }: TraceSummary): string {
  const keeps = { all: 'all host data', hashes: 'hashes of host data', none: 'no host data' }[manifest.keep];
  const only = onlyOf(manifest);
  const head = `recorded ${manifest.recorded}, with ${keeps}${only}\n`;
  const none = processes.length === 0 ? 'no process has loaded a plugin\n' : '';
  const notes = cut.map((file) => `${file} ends inside of its last record, which is left out\n`);
  const texts = processes.map((process) => formatProcess(process, manifest));
  return [head, none, ...texts, ...notes].join('');
}

function onlyOf({ programsOnly, window, part }: TraceSummary['manifest']): string {
  if (part) return `; a part, with ${part.calls} of ${part.of} calls`;
  if (window) return `; executions ${window.first} to ${window.last} of each process, programs only elsewhere`;
  return programsOnly ? ', programs only' : '';
}

function formatProcess(summary: ProcessSummary, { keep, part }: TraceSummary['manifest']): string {
  const { process, plugins, calls, callbacks, threads, executions, compilations, programs, ns, ending } = summary;
  const lines = [
    '',
    `${process}: ${counted(calls, 'call')} in ${seconds(ns)}, ${counted(threads, 'thread')}, ${counted(callbacks, 'callback')}, ${counted(summary.records, 'record')}, ${size(summary.bytes)}`,
    ...plugins.map(({ path, version, platform, devices, unseen }) => {
      const names = unseen.map((type) => EXTENSIONS.get(type)?.name ?? `type ${type}`);
      return `  plugin ${path}, PJRT C API ${version}${platform ? `, ${platform}` : ''}${devices === undefined ? '' : `, ${counted(devices, 'device')}`}${names.length > 0 ? `; not all seen: ${names.join(', ')}` : ''}`;
    }),
    `  ${counted(executions, 'execution')} (${summary.withContents} with arguments and results), ${counted(compilations, 'compilation')} of ${counted(programs, 'program')}`,
    `  ${size(summary.uploaded)} of host data given, ${size(summary.read)} read${keep !== 'none' && summary.missing > 0 ? `; missing: the data of ${counted(summary.missing, 'read')}` : ''}`,
    // A part has no end.
    ...(part
      ? []
      : [
          `  ended: ${ending ?? 'without a last record: the process was killed or is still running, or the disk was full'}`,
        ]),
    '',
    ...functionRows(summary),
  ];
  if (summary.errors.length > 0) {
    lines.push('', '  errors');
    for (const { function: name, code, message, calls: times } of summary.errors)
      lines.push(`  ${times} x ${name}, code ${code}: ${message.split('\n')[0]}`);
  }
  return `${lines.join('\n')}\n`;
}

function functionRows({ functions }: ProcessSummary): string[] {
  const shown = functions.slice(0, functions.length > SHOWN + 1 ? SHOWN : undefined);
  const rest = functions.slice(shown.length);
  const rows = shown.map(({ function: name, calls, ns, errors, open }) => [
    name,
    String(calls),
    milliseconds(ns),
    errors > 0 ? String(errors) : '',
    open > 0 ? String(open) : '',
  ]);
  if (rest.length > 0) {
    const sum = (of: (one: (typeof rest)[number]) => number): number => rest.reduce((total, one) => total + of(one), 0);
    rows.push([
      `${rest.length} others`,
      String(sum(({ calls }) => calls)),
      milliseconds(sum(({ ns }) => ns)),
      String(sum(({ errors }) => errors) || ''),
      String(sum(({ open }) => open) || ''),
    ]);
  }
  return tableOf([['function', 'calls', 'ms', 'errors', 'open'], ...rows]);
}

const counted = (count: number, what: string): string =>
  `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
const seconds = (ns: number): string => `${(ns / 1e9).toFixed(2)} s`;
const milliseconds = (ns: number): string => (ns / 1e6).toFixed(ns < 1e7 ? 2 : 0);

/** Bytes in a unit that people read. */
function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const [value, unit] = bytes < 1024 * 1024 ? [bytes / 1024, 'KiB'] : [bytes / 1024 / 1024, 'MiB'];
  return `${value.toFixed(1)} ${unit}`;
}
