import { counted } from '../../base/counted.ts';
import { cleanLine, cut } from '../../base/sanitize.ts';
import { padded, textTable, wrapped } from '../../base/text-table.ts';
import { type ExtensionSize, NEWEST_MINOR } from '../../knowledge/abi/index.ts';
import type { ApiInData } from '../../knowledge/binary/api-in-data.ts';
import type { Image } from '../../knowledge/binary/image.ts';
import type { ElfFacts } from './file-facts.ts';
import type { Inspection } from './inspection.ts';
import type { LoadedFacts } from './loaded-facts.ts';

/** Width of the label column. */
const LABEL = 13;
/** Maximum line width. */
const WIDTH = 118;
/** Names that are listed before the rest is only counted. */
const LISTED = 6;

/** The inspection as one screen of text. `today` is for the age of versions. */
export function formatInspection(inspection: Inspection, today: Date): string {
  const { plugin, file, loaded, failure, warnings } = inspection;
  const manifest = plugin.manifest ? ` (manifest ${plugin.manifest}, by its ${plugin.recognisedBy})` : '';
  const lines = [`${plugin.name}${manifest}  ${plugin.path}`, '', 'File', ...row('is', file.description)];
  if (file.unloadable !== undefined) lines.push(...row('', `! this machine cannot load it: ${unsaid(file)}`));
  lines.push(...row('size', `${count(plugin.sizeBytes)} bytes (${megabytes(plugin.sizeBytes)})`));
  lines.push(...row('sha256', plugin.sha256));
  if (file.elf) lines.push(...elfLines(file.elf));
  for (const image of file.images ?? []) lines.push(...imageLines(image, file.images!.length > 1));
  lines.push('', 'Plugin');
  if (loaded) lines.push(...loadedLines(loaded, today));
  if (failure) {
    const [first = '', ...more] = failure.message.split('\n');
    const code = failure.code ? `${failure.code}: ` : '';
    lines.push(...row(FAILED[failure.stage], `${code}${cleanLine(first)}`));
    for (const line of more) lines.push(...row('', `| ${cut(cleanLine(line), WIDTH - LABEL - 4)}`));
    lines.push(...row('', `next: pjrt-conformance doctor ${plugin.path}`));
  } else if (!loaded) {
    lines.push(...row('not loaded', 'the file cannot be loaded here, so it was not queried'));
  }
  for (const warning of warnings) lines.push(...row('warning', cleanLine(warning)));
  return `${lines.join('\n')}\n`;
}

/** Why a file cannot be loaded, without what it is, if that is most of it. */
const unsaid = ({ unloadable = '', description }: Inspection['file']): string =>
  unloadable.startsWith(`${description}; `) ? unloadable.slice(description.length + 2) : unloadable;

const FAILED = { load: 'load failed', version: 'refused', initialize: 'init failed', client: 'no client' };

function elfLines(elf: ElfFacts): string[] {
  const { exports } = elf;
  const lines = [
    ...row('build id', elf.buildId ?? 'none'),
    ...(elf.soname === undefined ? [] : row('soname', cleanLine(elf.soname))),
    ...row('needs', elf.needed.map(cleanLine).join(', ') || 'no library'),
    ...(elf.newestVersions.length === 0 ? [] : row('at least', elf.newestVersions.map(versionText).join(', '))),
    ...(elf.rpath ? row('RPATH', elf.rpath.map(cleanLine).join(', ')) : []),
    ...(elf.runpath ? row('RUNPATH', elf.runpath.map(cleanLine).join(', ')) : []),
    ...exportLines(exports),
    ...apiLines(elf.api),
  ];
  for (const { what, names, risk } of exports.shared) {
    lines.push(...row('', `! ${names.length} of ${what} (${listed(names)}): ${risk}`));
  }
  if (exports.unique.length > 0) {
    lines.push(
      ...row('', `! ${exports.unique.length} unique in the process, whatever loads it: ${listed(exports.unique)}`),
    );
  }
  if (elf.python) {
    const what = `calls ${listed(elf.python.functions)} and starts no Python: it needs a Python process`;
    lines.push(...row('', `! ${what}`));
  }
  if (elf.textRelocations) lines.push(...row('', '! relocations in its code (DT_TEXTREL): hardened systems refuse it'));
  for (const fault of elf.faults) lines.push(...row('damaged', fault));
  return lines;
}

const exportLines = ({ count, getPjrtApi }: { count: number; getPjrtApi: boolean }): string[] =>
  row('exports', `${counted(count, 'symbol')}, ${getPjrtApi ? 'GetPjrtApi among them' : 'but no GetPjrtApi'}`);

/** Nothing is known of a table that the plugin fills when it is loaded, as most do. */
const apiLines = (api: ApiInData | undefined): string[] =>
  api ? row('API', `${api.major}.${api.minor}, by the table in its data (struct_size ${api.structSize})`) : [];

/** @param several whether the file has more than this one */
function imageLines(image: Image, several: boolean): string[] {
  const { machine, name, minimumSystems, needed, optional, searchPaths, exports, api, faults } = image;
  const systems = minimumSystems.map(({ system, version }) => `${system} ${version}`);
  return [
    ...(several ? row('for', machine) : []),
    ...(name === undefined ? [] : row('name', cleanLine(name))),
    ...(systems.length === 0 ? [] : row('at least', systems.join(', '))),
    ...row('needs', needed.map(cleanLine).join(', ') || 'no library'),
    ...(optional.length === 0 ? [] : row('may need', optional.map(cleanLine).join(', '))),
    ...(searchPaths.length === 0 ? [] : row('RPATH', searchPaths.map(cleanLine).join(', '))),
    ...(exports ? exportLines(exports) : []),
    ...apiLines(api),
    ...faults.flatMap((fault) => row('damaged', fault)),
  ];
}

/** C++ names say little; the C functions of glibc show what to avoid. */
const versionText = ({ family, version, symbols }: ElfFacts['newestVersions'][number]): string => {
  const functions = symbols.filter((name) => !name.startsWith('_Z'));
  return `${family} ${version}${family === 'GLIBC' && functions.length > 0 ? ` (for ${listed(functions)})` : ''}`;
};

function loadedLines(loaded: LoadedFacts, today: Date): string[] {
  const { apiVersion, table, extensions, attributes, stablehlo } = loaded;
  const version = `${apiVersion.major}.${apiVersion.minor}`;
  const lines = [...row('API', `${version}, ${ageText(loaded, today)}`), ...row('table', tableText(loaded, version))];
  if (table.nullSlots.length > 0) lines.push(...row('', `NULL: ${table.nullSlots.join(', ')}`));
  if (extensions) lines.push(...extensionLines(extensions));
  if (stablehlo) {
    lines.push(...row('StableHLO', `${stablehlo.minimum ?? '?'} to ${stablehlo.current ?? '?'}`));
  } else if (attributes) {
    lines.push(...row('StableHLO', 'no range given (stablehlo_minimum_version, stablehlo_current_version)'));
  }
  const others = Object.entries(attributes ?? {}).filter(([name]) => !/^stablehlo_\w+_version$/.test(name));
  if (others.length > 0) {
    lines.push(
      ...row('attributes', others.map(([name, value]) => cleanLine(`${name}=${valueText(value)}`)).join(', ')),
    );
  }
  return lines;
}

function ageText({ published, standing }: LoadedFacts, today: Date): string {
  if (!published) {
    return standing === 'older'
      ? 'older than this tool knows'
      : `newer than this tool knows (0.${NEWEST_MINOR}); the known part is used`;
  }
  const days = Math.floor((today.getTime() - Date.parse(published.first)) / 86_400_000);
  const months = Math.floor(days / 30.44);
  const age = months < 1 ? 'less than a month old' : months === 1 ? 'a month old' : `${months} months old`;
  return `published ${published.first}${published.last === published.first ? '' : ` to ${published.last}`}, ${age}`;
}

function tableText({ table }: LoadedFacts, version: string): string {
  const { structSize, expected, functions, known, nullSlots } = table;
  const fits =
    expected.length === 0
      ? ''
      : expected.includes(structSize)
        ? `, as ${version} has`
        : `, but ${version} has ${expected.join(' or ')}`;
  const unknown = functions > known ? `, ${functions - known} of them unknown` : '';
  const nulls = nullSlots.length === 0 ? 'none NULL' : `${nullSlots.length} NULL`;
  return `struct_size ${structSize}${fits}; ${functions} functions${unknown}, ${nulls}`;
}

function extensionLines(extensions: NonNullable<LoadedFacts['extensions']>): string[] {
  if (extensions.length === 0) return row('extensions', 'none');
  const rows = extensions.map(({ name, structSize, slots, nullSlots, size }) => {
    const nulls = nullSlots.length === 0 ? '' : `, NULL: ${nullSlots.join(', ')}`;
    const functions = `${counted(slots, 'function')}${nulls}`;
    return [cleanLine(name), `${structSize} bytes, ${sizeText(size)}; ${functions}`];
  });
  const lines = textTable(rows).flatMap((line) => row('', line));
  return [...row('extensions', `${extensions.length}, in the order of the chain`), ...lines];
}

function sizeText({ fit, since, until, minor, lacks }: ExtensionSize): string {
  const lacking = lacks.length === 0 ? '' : `, without ${lacks.map(shortName).join(', ')}`;
  const version = minor === undefined ? '' : ` (API 0.${minor})`;
  switch (fit) {
    case 'newest':
      return `the layout since ${since}${version}`;
    case 'older':
      return `the layout of ${since}${version} to ${until}${lacking}`;
    case 'longer':
      return 'newer, because longer than any layout that this tool knows';
    case 'other':
      return `the size of no published layout${lacking}`;
    case 'none':
      return 'a layout that this tool does not know';
  }
}

/** `PJRT_Layouts_PJRT_Executable_GetOutputLayouts` as `Executable_GetOutputLayouts`. */
const shortName = (name: string): string => name.replace(/^PJRT_\w+?_PJRT_|^PJRT_/, '');

const valueText = (value: string | number | boolean | string[] | number[]): string =>
  Array.isArray(value) ? `[${value.join(', ')}]` : String(value);

const count = (value: number): string => value.toLocaleString('en-US');
const megabytes = (bytes: number): string =>
  bytes < 100_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;

const listed = (names: readonly string[]): string => {
  const shown = names.slice(0, LISTED).map((name) => cut(cleanLine(name), 60));
  return `${shown.join(', ')}${names.length > LISTED ? ` and ${names.length - LISTED} more` : ''}`;
};

/** A label and its text, wrapped and aligned. */
function row(label: string, text: string): string[] {
  const lines = wrapped(text, WIDTH - LABEL - 2);
  return lines.map((line, i) => `  ${padded(i === 0 ? label : '', LABEL)} ${i === 0 ? '' : '  '}${line}`.trimEnd());
}
