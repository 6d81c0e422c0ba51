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

/** What `--timeout` calls each deadline. */
const WORDS = {
  load: 'load',
  clientCreate: 'client',
  first: 'first',
  call: 'call',
  case: 'case',
  exit: 'exit',
} as const satisfies Record<keyof Deadlines, string>;

const entries = (Object.keys(WORDS) as (keyof Deadlines)[]).map((key) => {
  const word = WORDS[key];
  const name = `timeout${word[0]!.toUpperCase()}${word.slice(1)}` as keyof TimeoutOptions;
  return { key, word, name };
});

const flag = (word: string, ms: number): string => `--timeout ${word}=${duration(ms)}`;

/** The deadlines requested on a command line. */
export const askedBy = (options: TimeoutOptions): AskedDeadlines =>
  Object.fromEntries(entries.flatMap(({ key, name }) => (options[name] === undefined ? [] : [[key, options[name]]])));

/** Deadlines as options. */
export const asOptions = (asked: AskedDeadlines): TimeoutOptions =>
  Object.fromEntries(entries.flatMap(({ key, name }) => (asked[key] === undefined ? [] : [[name, asked[key]]])));

/** The options as words of a command line. */
export function timeoutWords(options: TimeoutOptions): string[] {
  const given = entries.flatMap(({ name, word }) =>
    options[name] === undefined ? [] : [`${word}=${duration(options[name])}`],
  );
  return given.length > 0 ? ['--timeout', given.join(',')] : [];
}

/** The note if a manifest requests more time than the command line. */
export function* overruled(
  options: TimeoutOptions,
  plugin: string,
  manifest: PluginDeadlines | undefined,
): Generator<Event> {
  for (const { key, name, word } of entries) {
    const asked = options[name];
    const more = key === 'exit' ? undefined : manifest?.[key];
    if (asked === undefined || more === undefined || more <= asked) continue;
    const message = `${flag(word, asked)} has no effect: the manifest of ${plugin} asks for ${duration(more)}, and the longer deadline applies`;
    yield { type: 'note', level: 'info', message };
  }
}

/** Suggested increase of a missed deadline, as a factor. */
const MORE = 5;

/** Whole seconds of what took long. */
const longer = (ms: number): number => (ms * MORE < 10_000 ? ms * MORE : Math.ceil((ms * MORE) / 1000) * 1000);

/** The option that gives a plugin more time. */
export const moreTime = ({ deadline, ms }: Missed): string => `${flag(WORDS[deadline], longer(ms))} gives it more time`;

/** The same for commands with one option for everything. */
export const moreTimeForAll = ({ ms }: Missed): string => `--timeout ${duration(longer(ms))} gives it more time`;

/** For commands with one option for everything: exactly that long, whatever else requests. */
export const forAll = (ms: number): AskedDeadlines => ({ load: ms, clientCreate: ms, first: ms, call: ms, case: ms });

/** A duration as options take it: `90s`, `10m`; of the parts of a millisecond, which deadlines in proportion have, the next whole one. */
export function duration(exact: number): string {
  const ms = Math.ceil(exact);
  if (ms % 60_000 === 0) return `${ms / 60_000}m`;
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}
