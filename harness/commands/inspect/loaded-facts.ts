import { Abi, type ExtensionSize, expectedTableBytes, extensionSize, NEWEST_MINOR } from '../../knowledge/abi/index.ts';
import type { PluginFacts } from '../../model/plugin-facts.ts';

/** Facts from a loaded plugin. */
export interface LoadedFacts {
  apiVersion: { major: number; minor: number };
  /** `newer`: newer than any version this tool knows. */
  standing: 'known' | 'newer' | 'older';
  /** Dates between which headers had this version; absent for unknown versions. */
  published?: { first: string; last: string };
  table: {
    structSize: number;
    /** Table sizes of this version; empty for unknown versions. */
    expected: number[];
    /** Functions in the table, and how many of them this tool knows. */
    functions: number;
    known: number;
    nullSlots: string[];
  };
  /** Absent if reading the chain failed. */
  extensions?: (NonNullable<PluginFacts['extensions']>[number] & { size: ExtensionSize })[];
  attributes?: NonNullable<PluginFacts['attributes']>;
  /** Range of StableHLO versions of programs, from the attributes. */
  stablehlo?: { minimum?: string; current?: string };
}

/** Compares a worker's facts with the version tables; undefined if the plugin has no API table. */
export function loadedFacts(facts: PluginFacts): LoadedFacts | undefined {
  const { apiVersion, versionStanding, tableBytes, functions, extensions, attributes } = facts;
  if (!apiVersion || tableBytes === undefined || !functions) return undefined;
  const { minor } = apiVersion;
  const abi = Abi.at(minor);
  const stablehlo = attributes && stablehloRange(attributes);
  return {
    apiVersion,
    standing: versionStanding ?? 'known',
    ...(minor > NEWEST_MINOR ? {} : { published: { first: abi.date, last: abi.lastDate } }),
    table: {
      structSize: tableBytes,
      expected: expectedTableBytes(minor),
      functions: functions.inTable,
      known: functions.known,
      nullSlots: functions.nullSlots,
    },
    ...(extensions
      ? { extensions: extensions.map((node) => ({ ...node, size: extensionSize(node.type, node.structSize) })) }
      : {}),
    attributes,
    stablehlo,
  };
}

function stablehloRange(attributes: NonNullable<PluginFacts['attributes']>): LoadedFacts['stablehlo'] | undefined {
  const version = (name: string): string | undefined => {
    const value = attributes[`stablehlo_${name}_version`];
    return Array.isArray(value) && value.length > 0 ? value.join('.') : undefined;
  };
  const [minimum, current] = [version('minimum'), version('current')];
  if (minimum === undefined && current === undefined) return undefined;
  return { ...(minimum ? { minimum } : {}), ...(current ? { current } : {}) };
}
