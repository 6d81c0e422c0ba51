import { Abi, NEWEST_MINOR, OLDEST_MINOR } from '../../knowledge/abi/index.ts';
import type { Prediction } from './prediction.ts';
import type { Chosen, Release } from './types.ts';

/**
 * Where a plugin stands to the promise of a release: frameworks promise to take plugins of the last weeks before them,
 * and as a rule take much older ones.
 * inside, outside · newer (the plugin is newer than the framework: nothing is promised) · unpromised (the framework
 * promises nothing that is known).
 */
export interface Window {
  standing: 'inside' | 'outside' | 'newer' | 'unpromised';
  /** How many weeks are promised, the day on which they begin, and the oldest minor of the C API that was current then. */
  weeks?: number;
  since?: string;
  oldestMinor?: number;
  /** One sentence, with dates. */
  text: string;
  /** Where the promise is written. */
  source?: string;
}

const DAY_MS = 86_400_000;

/** The standing of a plugin of API 0.`minor`; with the prediction, the sentence has the consequence. */
export function windowOf({ framework, release }: Chosen, minor: number, prediction?: Prediction): Window {
  const { title, promise } = framework;
  const name = `${title} ${release.version} (${month(release.date)})`;
  const plugin = `this plugin (0.${minor}${minor <= NEWEST_MINOR ? `, ${monthOf(minor)}` : ''})`;
  if (!promise) {
    return { standing: 'unpromised', text: `${title} makes no known promise about older plugins` };
  }
  const since = promisedSince(release, promise.weeks);
  const oldestMinor = currentMinor(since);
  const facts = { weeks: promise.weeks, since, oldestMinor, source: promise.source };
  if (minor > release.minor) {
    const text = `${plugin} is newer than ${name} with 0.${release.minor}: ${title} promises to accept older plugins, not newer ones${outcome(prediction, 'newer')}`;
    return { standing: 'newer', ...facts, text };
  }
  const standing = minor >= oldestMinor ? 'inside' : 'outside';
  const promised = `the ${promise.weeks} weeks that ${name} promises, which reach back to ${since} and 0.${oldestMinor}`;
  return { standing, ...facts, text: `${plugin} is ${standing} ${promised}${outcome(prediction, standing)}` };
}

/** The day on which the weeks before a release begin of which plugins are promised to be accepted. */
export const promisedSince = ({ date }: Release, weeks: number): string =>
  new Date(Date.parse(date) - weeks * 7 * DAY_MS).toISOString().slice(0, 10);

/** Minor of the C API that was current on a day; the newest known one for days after all tables. */
export function currentMinor(day: string): number {
  let minor = OLDEST_MINOR;
  for (let m = OLDEST_MINOR; m <= NEWEST_MINOR; m++) if (Abi.at(m).date <= day) minor = m;
  return minor;
}

function outcome(prediction: Prediction | undefined, standing: Window['standing']): string {
  if (!prediction || prediction.outcome === 'unknown') return '';
  const works = prediction.outcome === 'works' || prediction.outcome === 'limits';
  if (standing === 'inside') return works ? ', and works' : ', but does not work: worth reporting to the framework';
  return works ? ', but works' : ', and does not work';
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** `October 2025` */
const month = (day: string): string => `${MONTHS[Number(day.slice(5, 7)) - 1]} ${day.slice(0, 4)}`;

/** Months in which a version of the C API was the current one: `October to November 2025`. */
function monthOf(minor: number): string {
  const { date, lastDate } = Abi.at(minor);
  const [from, to] = [month(date), month(lastDate)];
  if (from === to) return from;
  return from.slice(-4) === to.slice(-4) ? `${from.slice(0, -5)} to ${to}` : `${from} to ${to}`;
}
