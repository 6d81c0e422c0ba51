import type { AskedDeadlines, Deadlines, Missed } from '../host/deadlines.ts';
import type { Event } from '../model/events.ts';
import type { PluginDeadlines } from '../plugins/types.ts';

/** Options that set deadlines, in milliseconds. */
export interface TimeoutOptions {
  timeoutLoad?: number;
  timeoutClient?: number;
  timeoutFirst?: number;
  timeoutCall?: number;
  timeoutCase?: number;
  timeoutExit?: number;
}

/** The flag of each deadline; what it is as an option follows from that. */
const FLAGS: Readonly<Record<keyof Deadlines, string>> = {
  load: '--timeout-load',
  clientCreate: '--timeout-client',
  first: '--timeout-first',
  call: '--timeout-call',
  case: '--timeout-case',
  exit: '--timeout-exit',
};

const entries = (Object.entries(FLAGS) as [keyof Deadlines, string][]).map(([key, flag]) => {
  const name = flag.slice(2).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()) as keyof TimeoutOptions;
  return { key, flag, name };
});

/** The deadlines that a command line asks for. */
export const askedBy = (options: TimeoutOptions): AskedDeadlines =>
  Object.fromEntries(entries.flatMap(({ key, name }) => (options[name] === undefined ? [] : [[key, options[name]]])));

/** Deadlines as the options that ask for them. */
export const asOptions = (asked: AskedDeadlines): TimeoutOptions =>
  Object.fromEntries(entries.flatMap(({ key, name }) => (asked[key] === undefined ? [] : [[name, asked[key]]])));

/** The options again, as words of a command line. */
export const timeoutWords = (options: TimeoutOptions): string[] =>
  entries.flatMap(({ name, flag }) => (options[name] === undefined ? [] : [flag, duration(options[name])]));

/** What is to be said where a manifest asks for more than the command line. */
export function* overruled(
  options: TimeoutOptions,
  plugin: string,
  manifest: PluginDeadlines | undefined,
): Generator<Event> {
  for (const { key, name, flag } of entries) {
    const asked = options[name];
    const more = key === 'exit' ? undefined : manifest?.[key];
    if (asked === undefined || more === undefined || more <= asked) continue;
    const message = `${flag} ${duration(asked)} has no effect: the manifest of ${plugin} asks for ${duration(more)}, and the longer deadline applies`;
    yield { type: 'note', level: 'info', message };
  }
}

/** How many times as long as the deadline that has passed is worth a try. */
const MORE = 5;

const advice = (flag: string, ms: number): string => `${flag} ${duration(ms * MORE)} gives it more time`;

/** Which option gives a plugin more time than it had. */
export const moreTime = ({ deadline, ms }: Missed): string => advice(FLAGS[deadline], ms);

/** The same for commands that have one option for all that they do. */
export const moreTimeForAll = ({ ms }: Missed): string => advice('--timeout', ms);

/** Where one option is for all: as long as it says, whatever others ask for. */
export const forAll = (ms: number): AskedDeadlines => ({ load: ms, clientCreate: ms, first: ms, call: ms, case: ms });

/** A time as options take it: `90s`, `10m`. */
export function duration(ms: number): string {
  if (ms % 60_000 === 0) return `${ms / 60_000}m`;
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}
