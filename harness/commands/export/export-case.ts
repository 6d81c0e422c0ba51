/** A case as a C program: it runs once, its calls are recorded, and what it shows is written down in C. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { counted } from '../../base/counted.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import { packagePath } from '../../base/paths.ts';
import { scratchDirectory } from '../../base/scratch.ts';
import { systemReason } from '../../base/system-reason.ts';
import { TOOL } from '../../base/tool.ts';
import { UsageError } from '../../base/usage-error.ts';
import { type DeviceOptions, withDevices } from '../../host/devices/with-devices.ts';
import { cExtensionHeader } from '../../knowledge/abi/c-extension-header.ts';
import { cHeader } from '../../knowledge/abi/c-header.ts';
import { Abi } from '../../knowledge/abi/index.ts';
import { writeNpy } from '../../knowledge/arrays/npy.ts';
import { dtype } from '../../knowledge/numerics/dtypes.ts';
import type { FindingLine, RecordedLine } from '../../model/call-recording.ts';
import type { CaseResult } from '../../model/case-result.ts';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import { resolveAll } from '../../run/plugin/plugin-setup.ts';
import { resultsOn } from '../../run/plugin/results-on.ts';
import type { TimeoutOptions } from '../../run/plugin/timeouts.ts';
import { type SelectionOptions, selectedCases } from '../../run/suites/selection.ts';
import { loadRequirements } from '../../suite/requirements.ts';
import type { Case } from '../../suite/types.ts';
import { beyondC, tooLong } from './beyond-c.ts';
import { readRecording } from './recording.ts';
import { type Translation, translate } from './translate.ts';

/** Options of `export`. */
export interface ExportOptions extends TimeoutOptions, DeviceOptions {
  plugin: string;
  option?: string[];
  suites?: string[];
  /** Directory of programs, of which the case is one. */
  programs?: string;
  /** A recording, one of whose sessions the case is. */
  trace?: string;
  fetch: boolean;
  allowBuild?: boolean;
  /** Directory of the program; it must not exist yet, or be empty. */
  output: string;
}

/** What came of it. */
export interface Exported {
  case: string;
  status: CaseResult['status'];
  /** What the case found, as the program says it. */
  message?: string;
  /** Files that were written, relative to the directory; none if the case can't be a C program. */
  files: string[];
  directory: string;
  /** Why it can't. */
  beyond: string[];
  /** Native calls in the program. */
  calls: number;
}

/** Writes one case as a C program that does the same to the plugin. @throws UsageError, PluginError */
export async function exportCase(
  id: string,
  options: ExportOptions,
  environment: CommandEnvironment,
): Promise<Exported> {
  const { cases } = await selectedCases({ ...sourceOf(options), tests: [id], profile: 'full' }, environment.cwd, true);
  refuseOther(resolve(environment.cwd, options.output));
  const [testCase, another] = cases;
  if (!testCase || another)
    throw new UsageError(
      `${id} is ${counted(cases.length, 'case')}; a program is made of one, such as ${testCase?.id ?? 'buffers/host-errors:nowhere'}`,
    );
  const { plugin: spec, option, fetch, allowBuild } = options;
  const [plugin] = (await resolveAll({ plugin: [spec], option, fetch, allowBuild }, environment)) as [ResolvedPlugin];
  const scratch = scratchDirectory('export');
  try {
    let result: CaseResult | undefined;
    const how = { workers: 1, binding: 'lazy', timeouts: options, environment, recording: scratch } as const;
    const reason = await withDevices([plugin], options, environment, () =>
      resultsOn(plugin, [testCase], how, (_, one) => {
        result = one;
      }),
    );
    if (!result) throw new UsageError(`${testCase.id} did not run: ${reason}`);
    return write(testCase, plugin, result, readRecording(scratch) ?? [], resolve(environment.cwd, options.output));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Where the case is. */
function sourceOf({ suites, programs, trace }: ExportOptions): Pick<SelectionOptions, 'suites' | 'collection'> {
  if (programs !== undefined) return { collection: { kind: 'programs', directory: programs } };
  return trace === undefined ? { suites } : { collection: { kind: 'trace', directory: trace } };
}

function write(
  testCase: Case,
  plugin: ResolvedPlugin,
  result: CaseResult,
  lines: readonly RecordedLine[],
  directory: string,
): Exported {
  const minor = lines.find((line) => line.k === 'plugin')?.minor;
  const finding = shownBy(result, lines);
  const exported: Exported = {
    case: testCase.id,
    status: result.status,
    ...(result.findings[0] && { message: result.findings[0].message }),
    files: [],
    directory,
    beyond: [],
    calls: 0,
  };
  const long = tooLong(lines);
  if (long !== undefined) return { ...exported, beyond: [long] };
  const translation = minor === undefined ? undefined : translate(lines, Abi.at(minor), finding);
  const beyond = beyondC(testCase, result, translation);
  if (beyond.length > 0 || !translation) return { ...exported, beyond };
  const files = new Map<string, string | Uint8Array>([
    ['repro.c', programText(testCase, result, finding, translation)],
    ['Makefile', template('Makefile', { plugin: plugin.library })],
    ['pjrt_c_api.h', cHeader(Abi.at(minor!))],
    ...(translation.needs.has('extension')
      ? [['pjrt_c_extensions.h', cExtensionHeader('pjrt_c_api.h', Abi.at(minor!))] as const]
      : []),
    ...[...translation.data].map(
      ([name, bytes]) =>
        [name, name.endsWith('.npy') ? writeNpy({ dtype: dtype('u8'), shape: [bytes.length], bytes }) : bytes] as const,
    ),
  ]);
  replaceDirectory(directory, files);
  return { ...exported, files: [...files.keys()], calls: translation.calls };
}

/** Puts files into a directory, all or none of them; an older program there is replaced. @throws UsageError */
function replaceDirectory(directory: string, files: ReadonlyMap<string, string | Uint8Array>): void {
  const staging = `${directory}.${process.pid}.tmp`;
  try {
    for (const [name, contents] of files) {
      mkdirSync(dirname(join(staging, name)), { recursive: true });
      writeFileSync(join(staging, name), contents);
    }
    rmSync(directory, { recursive: true, force: true });
    renameSync(staging, directory);
  } catch (error) {
    rmSync(staging, { recursive: true, force: true });
    throw new UsageError(`--output ${directory}: it cannot be written: ${systemReason(error)}`, {
      options: ['output'],
    });
  }
}

/** Nothing else is lost. @throws UsageError */
function refuseOther(directory: string): void {
  if (!existsSync(directory) || existsSync(join(directory, 'repro.c'))) return;
  if (!statSync(directory).isDirectory() || readdirSync(directory).length > 0)
    throw new UsageError(
      `--output ${directory}: it holds something other than a program of \`export\`; name a new directory`,
      {
        options: ['output'],
      },
    );
}

/** The finding that the program shows: the first of the weightiest. */
function shownBy({ findings }: CaseResult, lines: readonly RecordedLine[]): FindingLine | undefined {
  const all = lines.filter((line): line is FindingLine => line.k === 'finding');
  const level = ['must', 'should'].find((one) => findings.some((finding) => finding.level === one));
  const first = findings.find((finding) => finding.level === level);
  return all.find(({ message, type }) => first && type === first.type && message === first.message);
}

const template = (name: string, values: Readonly<Record<string, string>>): string =>
  readFileSync(packagePath('templates', 'export', name), 'utf8').replace(
    /\{\{(\w+)\}\}/g,
    (_, key: string) => values[key] ?? '',
  );

/** How far a program can judge that has no condition of its own. */
const AS_ANSWERED = [
  '',
  'It fails if the calls that the finding is about answer as they did then, byte for byte; other answers it does not judge.',
];

function programText(
  testCase: Case,
  result: CaseResult,
  finding: FindingLine | undefined,
  translation: Translation,
): string {
  const includes = translation.needs.has('extension') ? '#include "pjrt_c_extensions.h"' : '#include "pjrt_c_api.h"';
  const requirements = loadRequirements();
  const rules = (finding?.requirements ?? testCase.covers).flatMap((id) => {
    const rule = requirements.get(id);
    return rule ? [`${id}: ${rule.text}`, ...(rule.source ? [`  Source: ${rule.source}`] : [])] : [];
  });
  const what = result.findings.map(({ level, message }) => `${level.toUpperCase()}: ${message}`);
  const about = [
    `${testCase.id}: ${testCase.title}`,
    `Made by ${TOOL.name} ${TOOL.version} from the native calls of the case, which ended as: ${result.status}.`,
    ...what,
    ...rules,
    ...(translation.judged === 'outputs' ? AS_ANSWERED : []),
    '',
    'make PLUGIN=path run; exit code 0: as it should be, 1: it fails, 2: the plugin answers otherwise than when this was recorded.',
    'TRACE=1 prints each call before it is made.',
  ].map((line) => ` * ${line.replaceAll('*/', '* /').replaceAll('/*', '/ *')}`.trimEnd());
  return `/*
${about.join('\n')}
 */
${template('support.c', { includes })}
${[...translation.needs].map((name) => template(`${name}.c`, {})).join('')}${translation.declarations.join('\n')}

int main(int argc, char **argv) {
${translation.needs.has('process') ? '  remember_process();\n' : ''}  open_plugin(argc > 1 ? argv[1] : getenv("PLUGIN"));
${translation.statements.map((one) => (one === '' ? '' : `  ${one}`)).join('\n')}
  fprintf(stderr, "as it should be\\n");
  return AS_IT_SHOULD;
}
`;
}
