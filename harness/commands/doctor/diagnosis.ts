import { counted } from '../../base/counted.ts';
import type { Image } from '../../knowledge/binary/image.ts';
import type { FileLook } from '../inspect/file-facts.ts';
import { type Finding, finding, ordered } from './finding.ts';

/** Everything that `doctor` finds out; schemas/diagnosis.schema.json describes it. */
export interface Diagnosis {
  /** Of this format. */
  version: '1.0';
  plugin: { name: string; path: string; sha256?: string; manifest?: string };
  /** Whether it loads and creates a client. */
  usable: boolean;
  /** Devices of the client, where there is one. */
  devices?: number;
  exitCode: 0 | 3;
  /** One line, the most likely cause in it. */
  verdict: string;
  /** Most likely cause first. */
  findings: Finding[];
}

/** Puts findings in order and draws the conclusion. `stage`: how far the plugin got. */
export function conclude(
  plugin: Diagnosis['plugin'],
  findings: readonly Finding[],
  stage: 'file' | 'load' | 'initialize' | 'client' | 'devices' | 'usable',
  devices: number | undefined,
): Diagnosis {
  const list = ordered(findings);
  const [cause] = list.filter((f) => f.severity === 'error');
  const usable = stage === 'usable';
  const count = devices ?? 0;
  const failure = {
    file: 'cannot be loaded',
    load: 'does not load',
    initialize: 'loads, but is not initialized',
    client: 'loads, but creates no client',
    devices: 'creates a client, but does not list its devices',
    usable: '',
  }[stage];
  return {
    version: '1.0',
    plugin,
    usable,
    ...(usable ? { devices: count } : {}),
    exitCode: usable ? 0 : 3,
    verdict: usable
      ? `loads and creates a client (${counted(count, 'device')})`
      : `${failure}: ${cause?.what ?? 'for an unknown reason'}`,
    findings: list,
  };
}

/** What the file alone says: a cause that is certain, or that it is a library for this machine. */
export function fileFindings({ facts: { description, elf, images }, misfit }: FileLook, loaded: boolean): Finding[] {
  const again = 'build or download it again; an interrupted transfer leaves such files';
  const faults = [...(elf?.faults ?? []), ...(images ?? []).flatMap((image) => image.faults)];
  const damaged = faults.map((fault) =>
    finding('damaged', loaded ? 'warning' : 'error', `the file is damaged: ${fault}`, [], again),
  );
  if (misfit === undefined) return [finding('file', 'ok', `it is ${description}`), ...damaged];
  const traits = elf ? traitsOf(elf, false) : (images ?? []).flatMap((one) => traitsOf(one, images!.length > 1));
  const { what, describes, advice = 'give the library that was built for this machine' } = misfit;
  return [
    finding('file', 'error', `the file is ${what}`, describes ? traits : [`it is ${description}`], advice),
    ...damaged,
  ];
}

/** Whether a library for another machine may be the right one there. */
function traitsOf(image: Pick<Image, 'exports' | 'api'> & Partial<Image>, several: boolean): string[] {
  const { machine, minimumSystems = [], exports, api } = image;
  const systems = minimumSystems.map(({ system, version }) => `${system} ${version}`).join(' or ');
  const traits = [
    ...(systems === '' ? [] : [`needs ${systems} or newer`]),
    ...(exports ? [exports.getPjrtApi ? 'exports GetPjrtApi' : 'exports no GetPjrtApi'] : []),
    ...(api ? [`has the table of API ${api.major}.${api.minor}`] : []),
  ];
  return traits.length === 0 ? [] : [`${several ? `for ${machine}: ` : ''}it ${traits.join(', ')}`];
}
