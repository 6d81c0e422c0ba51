import type { ExpectationEntry } from '../../model/expectation.ts';
import type { PluginFacts } from '../../model/plugin-facts.ts';
import { matchesCase, matchesGlob } from '../../suite/case-glob.ts';
import type { Conditions, Expectation } from './expectation.ts';

/** What conditions are compared with. */
export interface Circumstances {
  /** The (first) plugin of the run, as far as it is known. */
  plugin: Pick<PluginFacts, 'name'> & Partial<Pick<PluginFacts, 'sha256' | 'apiVersion' | 'platformVersion'>>;
  host: { os: string; arch: string; name: string };
  /** The date of the run, YYYY-MM-DD. */
  date: string;
}

/** Why a condition does not hold; undefined if all hold. */
export function unmetCondition(conditions: Conditions, { plugin, host }: Circumstances): string | undefined {
  const { apiMinor, sha256 } = conditions;
  const minor = plugin.apiVersion?.minor;
  const texts = [
    ['plugin', 'the plugin is', plugin.name],
    ['platformVersion', 'the platform version is', plugin.platformVersion],
    ['os', 'the operating system is', host.os],
    ['arch', 'the processor is', host.arch],
    ['host', 'the host is', host.name],
  ] as const;
  for (const [name, words, value] of texts) {
    const glob = conditions[name];
    if (glob === undefined || (value !== undefined && matchesGlob(glob, value))) continue;
    return `${words} ${value === undefined ? 'not known' : value}, not ${glob}`;
  }
  if (sha256 !== undefined && !plugin.sha256?.startsWith(sha256)) {
    return `the sha256 of the plugin does not begin with ${sha256}`;
  }
  if (apiMinor === undefined) return undefined;
  const range = [apiMinor.min ?? '…', apiMinor.max ?? '…'].join(' to ');
  if (minor === undefined) return `the API version is not known, not 0.(${range})`;
  const { min = 0, max = Number.POSITIVE_INFINITY } = apiMinor;
  return minor >= min && minor <= max ? undefined : `the API version is 0.${minor}, not 0.(${range})`;
}

/** Whether the entry has expired. */
export const isExpired = ({ expires }: Pick<Expectation, 'expires'>, date: string): boolean =>
  expires !== undefined && date > expires;

const PLACEHOLDER = /^(?:(?:TODO|FIXME|TBD|XXX)\b.*|[\W_]*|(?:n\/a|none|unknown)\W*)$/is;

/** Whether a reason only holds the place of one, as `--update-expectations` writes it. */
const isPlaceholder = (reason: string): boolean => PLACEHOLDER.test(reason);

/** The meaning of an entry for a run, given the ids of all existing cases. */
export function standingOf(entry: Expectation, circumstances: Circumstances, ids: readonly string[]): ExpectationEntry {
  const { file, line, cases, expect, reason, expires } = entry;
  const base = {
    file,
    line,
    cases,
    expect,
    reason,
    expires,
    ...(isPlaceholder(reason) ? { placeholder: true as const } : {}),
  };
  const fits = (glob: string): boolean => ids.some((id) => matchesCase(glob, id));
  const idle = cases.filter((glob) => !fits(glob));
  // A glob that matches nothing is a mistake even if another glob of the entry matches.
  if (idle.length > 0) return { ...base, cases: idle, standing: 'unmatched' };
  const [why] = entry.when.flatMap((conditions) => unmetCondition(conditions, circumstances) ?? []);
  if (why !== undefined) return { ...base, standing: 'elsewhere', why };
  return { ...base, standing: isExpired(entry, circumstances.date) ? 'expired' : 'active' };
}
