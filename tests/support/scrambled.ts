import type { Event } from '../../harness/model/events.ts';
import type { Framework } from '../../harness/verdict/frameworks/types.ts';

/** Members of events that are written for people, or quoted from the plugin. */
const PROSE = new Set(['message', 'detail', 'reason', 'said', 'note', 'head', 'tail', 'what', 'verdict']);
/** Members with these names that are facts: what a `worker` event is about. */
const isFact = (key: string, value: string): boolean => key === 'what' && (value === 'start' || value === 'exit');

/** Turns a text into another one. */
export type Scramble = (text: string) => string;

/** An event in which every text for people is replaced; everything else is as it was. */
export const scrambled = (event: Event, scramble: Scramble): Event =>
  replaced(event, '', (key, text) => (PROSE.has(key) && !isFact(key, text) ? scramble(text) : text)) as Event;

/** Members of the data of a framework that are found in its source, for people. */
const FOUND_IN_SOURCE = new Set(['how', 'ifAbsent', 'text', 'tolerance', 'status', 'notes']);

/** The data of a framework with other texts. */
export const scrambledFramework = (framework: Framework, scramble: Scramble): Framework =>
  replaced(framework, '', (key, text) => (FOUND_IN_SOURCE.has(key) ? scramble(text) : text)) as Framework;

function replaced(value: unknown, key: string, change: (key: string, text: string) => string): unknown {
  if (typeof value === 'string') return change(key, value);
  if (Array.isArray(value)) return value.map((element) => replaced(element, key, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaced(member, name, change)]));
}

/** Phrases by which something was once decided. */
const LURES = [
  'PJRT_Client_Compile failed with INTERNAL',
  'message: the library exports no GetPjrtApi; GetPjrtApi returned NULL; PJRT_Api.struct_size is 0',
  'the device is already in use, and so is its lock file',
  'PJRT_Buffer_IsOnCpu says that buffers are not on the CPU',
  "a query of the plugin's devices: it returned nothing for foo: no devices",
  'while the plugin was loaded: the plugin wrote 7 bytes to stderr',
  'worker 7 died with SIGABRT at process exit, after its clients had been destroyed',
  'stopped after 3 failures, because of --max-failures',
  'PJRT_Api.struct_size reaches the slot; only called when X gave an event and the caller passes a context',
  "not valid YAML: undefined symbol: version `X_1' not found: libx.so: cannot open shared object file",
];

let count = 0;

/** What is done to texts: nonsense instead of them, no two alike, and what used to be looked for, all of it in each. */
export const SCRAMBLES: readonly [string, Scramble][] = [
  ['nonsense', () => `qwx ${++count}`],
  ['lures', () => LURES.join('\n')],
  ['each lure first', (text) => LURES[text.length % LURES.length]!],
];
