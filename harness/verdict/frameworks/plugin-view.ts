import type { BadEnd } from '../../model/note-fact.ts';
import type { PluginFailure } from '../../model/plugin-facts.ts';
import type { Ability } from '../abilities.ts';
import type { Release } from './types.ts';

/** One stage of a session that the harness went through as a caller of the release's API version. */
export interface Stage {
  stage: 'client' | 'attributes' | 'transfer' | 'compile' | 'execute' | 'error';
  /** Undefined: it went well, or was not reached. */
  failure?: { call?: string; code?: string; message: string; died: boolean; ended?: PluginFailure['ended'] };
}

/** What a framework release is to a plugin in a session. */
export type Consumer = Pick<Release, 'minor' | 'createOptions'>;

/** How a plugin refuses a client. */
export interface NoClient {
  code?: string;
  message: string;
  /** It did not answer: the process ended. */
  ended?: PluginFailure['ended'];
}

/** A requirement on data that a case saw violated. */
export interface DataFailure {
  case: string;
  requirements: readonly string[];
  /**
   * wrong: arrays differ · inaccurate: they differ by no more than some numerics profile could allow · refused: a call
   * answered with an error · other: the data is right, or was not seen · died: the process ended, or hung.
   */
  how: 'wrong' | 'inaccurate' | 'refused' | 'other' | 'died';
  call?: string;
  code?: string;
}

/** What became of a session of the package, which a release was recorded doing. */
export interface RecordedResult {
  framework: string;
  release: string;
  script: string;
  /** Undefined: it passed. */
  failure?: DataFailure;
}

/** What prediction needs to know of a plugin. */
export interface PluginView {
  minor: number;
  /** By full name. */
  abilities: ReadonlyMap<string, Ability>;
  /** How functions answered that do not work, by full name. */
  answers: Readonly<Record<string, readonly string[]>>;
  extensions: readonly { name: string; structSize: number; nullSlots?: readonly string[] }[];
  stablehloCurrent?: string;
  /** As the client says, or as is known of the plugin without one. */
  platformName?: string;
  /** What PJRT_Buffer_IsOnCpu says of its buffers; undefined when that was not seen. */
  buffersOnCpu?: boolean;
  /** Milliseconds of a session's stage that compiles a small program; undefined when that did not succeed. */
  compileMs?: number;
  /** Functions of its version that the table's struct_size leaves out, and that stand behind its end all the same. */
  behindTable?: readonly string[];
  /** What a process does that destroys no error (PJRT_Error_Destroy with NULL), if it does not go on. */
  nullError?: string;
  /** What it does instead of giving the size of an array to a caller that passes no destination. */
  noSize?: string;
  /** Exported symbols that matter to a framework. */
  exportsTensorflowInit: boolean;
  /** How a process ended that had destroyed its clients and then exited, if not as it should. */
  exit?: BadEnd;
  /** What it got wrong of the data on which frameworks rely, without known deviations; undefined when that was not tried. */
  dataFailures?: readonly DataFailure[];
  /** Sessions of the package that were played on it and that it supports; slow: it compiles too slowly for that; undefined when that was not tried. */
  recorded?: readonly RecordedResult[] | 'slow';
  /** Stages as such a consumer; undefined when that was not tried. */
  session(consumer: Consumer): readonly Stage[] | undefined;
  /** Its answer when it gives no client to a caller of its own version either, as a rule for want of a device. */
  noClient?: NoClient;
}
