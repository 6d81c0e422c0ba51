import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';
import { Abi, EXTENSIONS, NEWEST_MINOR } from '../../harness/knowledge/abi/index.ts';
import type { Manifest, ResolvedPlugin } from '../../harness/model/plugin.ts';
import { buildLibrary, filesOf } from '../wrapper/build-library.ts';
import { type BaseName, DESIGNS, type Design, DesignError, type Wrapping } from './design.ts';

const REFERENCE = packagePath('plugins', 'reference');
const OUTPUT = packagePath('build', 'designs');

/** Builds the library that makes plugins of other designs; it parses programs like the reference plugin. */
export function buildDesigns(): Promise<string> {
  const outputs = join(OUTPUT, 'generated', 'outputs.inc');
  writeOutputs(outputs);
  const reading = ['base', 'ir'].map((part) => join(REFERENCE, part));
  const headers = reading.flatMap((directory) => filesOf(directory, /\.h$/));
  return buildLibrary({
    target: join(OUTPUT, 'obj', 'pjrt-plugin-designs.so'),
    parts: [
      { sources: reading.flatMap((directory) => filesOf(directory, /\.cc$/)), headers },
      { sources: filesOf(DESIGNS, /\.cc$/), headers: [...filesOf(DESIGNS, /\.h$/), ...headers, outputs] },
    ],
    include: [REFERENCE, dirname(outputs)],
  });
}

/** For failures.cc: the place and size of each output of each function that can fail. */
function writeOutputs(file: string): void {
  const abi = Abi.at(NEWEST_MINOR);
  const lines = abi.functions.flatMap((name) => {
    const outputs = abi.returnType(name) === 'void' ? [] : abi.struct(`${name}_Args`).outputs;
    const places = outputs.map(({ offset, size }) => `Output{${offset}, ${size}}`);
    return places.length === 0 ? [] : [`OUTPUTS(${[name, ...places].join(', ')})\n`];
  });
  mkdirSync(dirname(file), { recursive: true });
  if (!existsSync(file) || readFileSync(file, 'utf8') !== lines.join('')) writeFileSync(file, lines.join(''));
}

/** The base of the designs. */
export interface Base {
  name: BaseName;
  plugin: ResolvedPlugin;
}

/** Number of devices of a base unless the design sets it, as in mutation testing: some cases check the option. */
const OPTIONS: Record<BaseName, Record<string, unknown>> = {
  reference: { num_devices: 4 },
  'xla-cpu': { cpu_device_count: 4 },
};

/** The variables that turn a base into a plugin of this design. @throws DesignError for unknown names */
export function environmentOf(design: Design, baseLibrary: string): Record<string, string> {
  const wrapper = design.wrapper ?? {};
  const values: Record<string, string | number | undefined> = {
    PJRT_DESIGN_BASE: baseLibrary,
    PJRT_DESIGN_SLOTS: slotsOf(design.name, wrapper),
    PJRT_DESIGN_EXTENSIONS: extensionsOf(design.name, wrapper),
    PJRT_DESIGN_ELEMENT_TYPES_REFUSED: refusedTypesOf(design.name, wrapper),
    PJRT_DESIGN_OPS_REFUSED: wrapper.withoutOps?.map((op) => `stablehlo.${op}`).join(','),
    PJRT_DESIGN_TEXT: wrapper.text === false ? 'refused' : undefined,
    PJRT_DESIGN_ON_CPU: wrapper.onCpu === false ? 'no' : undefined,
    PJRT_DESIGN_DONATION: wrapper.donation === false ? 'no' : undefined,
    PJRT_DESIGN_CLIENTS: wrapper.clients,
    PJRT_DESIGN_ONE_PROCESS: wrapper.oneProcess,
    PJRT_DESIGN_ONE_MEMORY: wrapper.oneMemory,
    PJRT_DESIGN_EXECUTE: wrapper.execute,
    PJRT_DESIGN_MEMORIES: wrapper.memories,
    PJRT_DESIGN_ANSWERS: wrapper.answers?.join(','),
    PJRT_DESIGN_OUTPUTS_ON_ERROR: wrapper.outputsOnError,
    PJRT_DESIGN_DEVICE_IDS: wrapper.deviceIds?.join(','),
    PJRT_DESIGN_HARDWARE_IDS: wrapper.hardwareIds?.join(','),
    PJRT_DESIGN_MEMORY_IDS: wrapper.memoryIds?.join(','),
    PJRT_DESIGN_CALLS: wrapper.calls,
    PJRT_DESIGN_SIZE_QUERY: wrapper.sizeQuery === false ? 'refused' : undefined,
    PJRT_DESIGN_COMPILE_MS: wrapper.compileMilliseconds,
    PJRT_DESIGN_CLIENT_MS: wrapper.clientMilliseconds,
  };
  const set = Object.entries(values).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(set.map(([name, value]) => [name, String(value)])), ...design.environment };
}

function slotsOf(design: string, { unimplemented = [], missing = [] }: Wrapping): string | undefined {
  const gaps = new Map<string, string>();
  const functions = Abi.at(NEWEST_MINOR).functions.map((name) => name.replace(/^PJRT_/, ''));
  const take = (globs: readonly string[], what: string): void => {
    for (const glob of globs) {
      const start = glob.endsWith('*') ? glob.slice(0, -1) : undefined;
      const meant = functions.filter((name) => (start === undefined ? name === glob : name.startsWith(start)));
      if (meant.length === 0) throw new DesignError(`${design}: the C API has no function PJRT_${glob}`);
      for (const name of meant) gaps.set(name, what);
    }
  };
  take(unimplemented, 'UNIMPLEMENTED');
  take(missing, 'null');
  return gaps.size === 0 ? undefined : [...gaps].map(([name, what]) => `${name}=${what}`).join(',');
}

function extensionsOf(design: string, { onlyExtensions, withoutExtensions = [] }: Wrapping): string | undefined {
  if (onlyExtensions === undefined && withoutExtensions.length === 0) return undefined;
  const all = [...EXTENSIONS.values()];
  const names = all.map(({ name }) => name);
  for (const name of [...(onlyExtensions ?? []), ...withoutExtensions]) {
    if (!names.includes(name)) throw new DesignError(`${design}: no extension is called ${name}`);
  }
  return all
    .filter(({ name }) => (onlyExtensions?.includes(name) ?? true) && !withoutExtensions.includes(name))
    .map(({ type }) => type)
    .join(',');
}

function refusedTypesOf(design: string, { elementTypes }: Wrapping): string | undefined {
  if (elementTypes === undefined) return undefined;
  const values = [...Abi.at(NEWEST_MINOR).enumValues('PJRT_Buffer_Type')].map(
    ([name, value]) => [name.replace(/^PJRT_Buffer_Type_/, '').toLowerCase(), value] as const,
  );
  const names = values.map(([name]) => name);
  for (const name of elementTypes) {
    if (!names.includes(name)) throw new DesignError(`${design}: no element type is called ${name}`);
  }
  return values
    .filter(([name]) => !['invalid', 'token'].includes(name) && !elementTypes.includes(name))
    .map(([, value]) => value)
    .join(',');
}

/** The manifest of a plugin of this design, or of the plain base. */
export function manifestOf(design: Design | undefined, base: Base, library: string): Record<string, unknown> {
  const { platformName, topology, knownOptions } = base.plugin.manifest as Manifest;
  return {
    name: design?.name.replaceAll('+', '-and-') ?? base.name,
    library,
    env: design ? environmentOf(design, base.plugin.library) : {},
    options: { ...OPTIONS[base.name], ...design?.options?.[base.name] },
    knownOptions,
    ...(platformName === undefined ? {} : { platformName }),
    ...(topology === undefined ? {} : { topology: { name: topology.name } }),
    ...design?.manifest,
  };
}

/** The library of such a plugin: what only chooses a design of the reference plugin needs no wrapper around it. */
export const libraryOf = async (design: Design | undefined, base: Base): Promise<string> =>
  design?.wrapper === undefined ? base.plugin.library : buildDesigns();

/** Writes a manifest into a directory, for `--plugin`. */
export function writeManifest(directory: string, manifest: Record<string, unknown>): string {
  const file = join(directory, 'manifest.json');
  writeFileSync(file, `${JSON.stringify(manifest, undefined, 2)}\n`);
  return file;
}

export const directoryOf = (base: Base): string => join(OUTPUT, base.name);
