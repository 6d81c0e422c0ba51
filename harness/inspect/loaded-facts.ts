import { Abi, type ExtensionSize, expectedTableBytes, extensionSize, NEWEST_MINOR } from '../abi/index.ts';
import type { PluginFacts } from '../model/plugin-facts.ts';

/** What a plugin says about itself once it is loaded. */
export interface LoadedFacts {
  apiVersion: { major: number; minor: number };
  /** `newer`: beyond what this tool knows. */
  standing: 'known' | 'newer' | 'older';
  /** Days between which headers had this version; absent for a version that is not known. */
  published?: { first: string; last: string };
  table: {
    structSize: number;
    /** Sizes that tables of this version have; empty for a version that is not known. */
    expected: number[];
    /** Functions in the table, and those among them that this tool knows. */
    functions: number;
    known: number;
    nullSlots: string[];
  };
  /** Absent when the look at the chain failed. */
  extensions?: (NonNullable<PluginFacts['extensions']>[number] & { size: ExtensionSize })[];
  attributes?: NonNullable<PluginFacts['attributes']>;
  /** Range of StableHLO versions that programs may have, from the attributes. */
  stablehlo?: { minimum?: string; current?: string };
}

/** Reads what a worker told against the tables; undefined when the plugin gave no table. */
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
    ...(attributes ? { attributes } : {}),
    ...(stablehlo ? { stablehlo } : {}),
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
