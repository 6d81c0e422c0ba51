import type { AskedDeadlines, Deadlines, Missed } from '../../host/deadlines.ts';
import type { Event } from '../../model/events.ts';
import type { PluginDeadlines } from '../../model/plugin.ts';
import type { Count } from '../../model/values.ts';

/** Options that set deadlines, in milliseconds. */
export interface TimeoutOptions {
  timeoutLoad?: Count;
  timeoutClient?: Count;
  timeoutFirst?: Count;
  timeoutCall?: Count;
  timeoutCase?: Count;
  timeoutExit?: Count;
}

/** The flag of each deadline; the option name follows from it. */
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

/** The deadlines requested on a command line. */
export const askedBy = (options: TimeoutOptions): AskedDeadlines =>
  Object.fromEntries(entries.flatMap(({ key, name }) => (options[name] === undefined ? [] : [[key, options[name]]])));

/** Deadlines as options. */
export const asOptions = (asked: AskedDeadlines): TimeoutOptions =>
  Object.fromEntries(entries.flatMap(({ key, name }) => (asked[key] === undefined ? [] : [[name, asked[key]]])));

/** The options as words of a command line. */
export const timeoutWords = (options: TimeoutOptions): string[] =>
  entries.flatMap(({ name, flag }) => (options[name] === undefined ? [] : [flag, duration(options[name])]));

/** The note if a manifest requests more time than the command line. */
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

/** Suggested increase of a missed deadline, as a factor. */
const MORE = 5;

const advice = (flag: string, ms: number): string => `${flag} ${duration(ms * MORE)} gives it more time`;

/** The option that gives a plugin more time. */
export const moreTime = ({ deadline, ms }: Missed): string => advice(FLAGS[deadline], ms);

/** The same for commands with one option for everything. */
export const moreTimeForAll = ({ ms }: Missed): string => advice('--timeout', ms);

/** For commands with one option for everything: exactly that long, whatever else requests. */
export const forAll = (ms: number): AskedDeadlines => ({ load: ms, clientCreate: ms, first: ms, call: ms, case: ms });

/** A duration as options take it: `90s`, `10m`. */
export function duration(ms: number): string {
  if (ms % 60_000 === 0) return `${ms / 60_000}m`;
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}
