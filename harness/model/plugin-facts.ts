import type { Count, Integer } from './values.ts';

/** Facts about one plugin of the run. */
export interface PluginFacts {
  name: string;
  path: string;
  sha256: string;
  sizeBytes: Count;
  /** The linker's build id, in hexadecimal. */
  buildId?: string;
  /** Known manifest that was applied, if any. */
  manifest?: string;
  /** Create options as on the command line: `num_devices:int64=2`. */
  options?: string[];
  apiVersion?: { major: Integer; minor: Integer };
  /** `newer`: newer than the harness's tables; `older`: older than them; `known`. */
  versionStanding?: 'known' | 'newer' | 'older';
  tableBytes?: Count;
  functions?: {
    inTable: Count;
    known: Count;
    nullSlots: string[];
    /** Functions of its version that are present although the declared table size excludes them. */
    behindEnd?: string[];
  };
  extensions?: {
    type: Integer;
    name: string;
    structSize: Count;
    knownSizes: Count[];
    slots: Count;
    nullSlots: string[];
  }[];
  /** Answers of each function during the run: `OK`, error codes, `DEATH` (the process died in it), `HANG`. */
  answers?: Record<string, string[]>;
  attributes?: Record<string, string | number | boolean | string[] | number[]>;
  platformName?: string;
  platformVersion?: string;
  devices?: { id: Integer; kind: string; debug: string }[];
  memories?: { id: Integer; kind: string }[];
  /** How many there are, where there are too many to list. @since log 1.9 */
  deviceCount?: Count;
  memoryCount?: Count;
  /** Why it could not be used: dlerror, refusal, the error of Client_Create. */
  failure?: PluginFailure;
}

/** Why a plugin could not be used; the message is for people. */
export interface PluginFailure {
  stage: 'load' | 'version' | 'initialize' | 'client';
  message: string;
  /** Error code of the plugin's answer. */
  code?: string;
  /** @since log 1.5 */
  problem?: StartProblem;
  /** The process ended in it: by itself, because it was killed at a deadline, or by an error of the harness. @since log 1.5 */
  ended?: 'death' | 'hang' | 'fault';
}

/**
 * What is wrong with a plugin that could not be used, where it is known.
 * missing-library, missing-version, undefined-symbol: the loader found no such library, version of one, or symbol ·
 * no-entry-point: no GetPjrtApi · no-table: GetPjrtApi returned NULL · short-table: the table has no room for a function ·
 * major-version, old-version: of the C API · needs-python: there is no Python to run it in · in-use: the plugin says that the device, or its lock file, is in use
 */
export type StartProblem =
  | 'missing-library'
  | 'missing-version'
  | 'undefined-symbol'
  | 'no-entry-point'
  | 'no-table'
  | 'short-table'
  | 'major-version'
  | 'old-version'
  | 'needs-python'
  | 'in-use';

/**
 * What a plugin says is wrong when it refuses to start, in its error or on stderr. Nothing but its words says it, so they are
 * read where they arrive, by this function alone.
 */
export const refusalProblem = (said: string): { problem?: 'in-use' } =>
  /\bin use\b|\block(?:ed|[ _-]?file)?\b|_lock(?:file)?\b/i.test(said) ? { problem: 'in-use' } : {};
