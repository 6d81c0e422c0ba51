import { counted } from '../../base/counted.ts';
import { groupedBy } from '../../base/grouping.ts';
import { cleanLine } from '../../base/sanitize.ts';
import { textTable } from '../../base/text-table.ts';
import { fileOf, type Run, statusOf } from '../../model/run.ts';
import { STATUSES, type Status } from '../../model/status.ts';
import { recordedVerdict } from '../../verdict/verdict.ts';

/** The run of the same cases on one device. */
export interface DeviceRun {
  /** Name of the device, as that of its directory. */
  name: string;
  /** The variables that make it visible. */
  env: Readonly<Record<string, string>>;
  run: Run;
  /** Undefined if there was no run. */
  exitCode?: number;
  /** Path of its log. */
  log?: string;
  /** Why there was no run. */
  failure?: string;
}

/** A case with different statuses on different devices. */
interface Difference {
  case: string;
  file: string;
  /** By device; a device that did not come to the case is missing. */
  statuses: Record<string, Status>;
  /** The first finding or the reason of each device, by device. */
  messages: Record<string, string>;
}

/** Devices that ran the same cases, and where they differ; the form of devices.json (schemas/devices.schema.json). */
export interface DeviceComparison {
  version: '1.0';
  devices: {
    name: string;
    env: Readonly<Record<string, string>>;
    log?: string;
    exitCode?: number;
    /** The verdict on the device, or why there was no run. */
    verdict: string;
    counts: Partial<Record<Status, number>>;
  }[];
  differences: Difference[];
}

/** Compares runs of the same cases on several devices. */
export function compareDevices(runs: readonly DeviceRun[]): DeviceComparison {
  const ids = new Set(runs.flatMap(({ run }) => [...run.cases.keys()]));
  return {
    version: '1.0',
    devices: runs.map(({ name, env, run, exitCode, log, failure }) => ({
      name,
      env,
      log,
      exitCode,
      verdict: failure === undefined ? recordedVerdict(run).line : `no run: ${cleanLine(failure)}`,
      counts: Object.fromEntries(
        STATUSES.filter((status) => run.counts[status] > 0).map((status) => [status, run.counts[status]]),
      ),
    })),
    differences: [...ids].flatMap((id) => differenceOf(id, runs) ?? []),
  };
}

function differenceOf(id: string, runs: readonly DeviceRun[]): Difference | undefined {
  const seen = runs.flatMap(({ name, run }) => {
    const found = run.cases.get(id);
    return found?.result ? [{ name, found, status: statusOf(found), result: found.result }] : [];
  });
  if (new Set(seen.map(({ status }) => status)).size < 2) return undefined;
  const messages = seen.flatMap(({ name, result: { findings, reason } }): [string, string][] => {
    const message = findings[0]?.message ?? reason;
    return message === undefined ? [] : [[name, cleanLine(message)]];
  });
  return {
    case: id,
    file: fileOf(seen[0]!.found),
    statuses: Object.fromEntries(seen.map(({ name, status }) => [name, status])),
    messages: Object.fromEntries(messages),
  };
}

/** Cases that are printed; devices.json has all. */
const PRINTED = 20;

/** The comparison for people: a row for each device, then each case that differs. */
export function deviceLines({ devices, differences }: DeviceComparison): string[] {
  const rows = textTable([['device', 'verdict'], ...devices.map(({ name, verdict }) => [name, verdict])]);
  if (differences.length === 0) return [...rows, 'every case has the same status on all devices that ran it'];
  const more = differences.length - PRINTED;
  return [
    ...rows,
    `${counted(differences.length, 'case has', 'cases have')} different statuses:`,
    ...differences.slice(0, PRINTED).flatMap((difference) => [`  ${difference.case}`, ...statusLines(difference)]),
    ...(more > 0 ? [`  … and ${more} more in devices.json`] : []),
  ];
}

/** The devices with one status and one message in a line. */
function statusLines({ statuses, messages }: Difference): string[] {
  const groups = groupedBy(Object.keys(statuses), (name) =>
    messages[name] === undefined ? statuses[name]! : `${statuses[name]}: ${messages[name]}`,
  );
  const rows = [...groups].map(([text, names]) => [names.join(' '), text]);
  return textTable(rows, { indent: '    ' });
}
