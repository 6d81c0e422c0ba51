import { suggestion } from '../../base/did-you-mean.ts';
import { compareVersions } from '../../base/dotted-version.ts';
import { UsageError } from '../../base/usage-error.ts';
import { FRAMEWORKS, findRelease, loadFramework } from './load.ts';
import type { Chosen, Framework } from './types.ts';

/** A release that nobody knows, or a text that names none. The message says what there is. */
class ReleaseError extends Error {
  override name = 'ReleaseError';
}

/** `jax@0.10.2`, the newest patch of `jax@0.10`, the newest known release of `jax` or `jax@latest`. @throws ReleaseError */
export function parseRelease(spec: string): Chosen {
  const [name = '', version = 'latest', ...rest] = spec.split('@');
  const known = FRAMEWORKS.find((f) => f === name.toLowerCase());
  if (!known) {
    throw new ReleaseError(
      `nothing is known of the framework "${name}"; known are ${FRAMEWORKS.join(', ')}${suggestion(name, FRAMEWORKS)}`,
    );
  }
  if (version === '' || rest.length > 0) throw new ReleaseError(`"${spec}": write it as in ${known}@${newest(known)}`);
  const framework = loadFramework(known);
  const release = version === 'latest' ? framework.releases.at(-1) : findRelease(framework, version);
  if (!release) throw new ReleaseError(unknownRelease(framework, version));
  return { framework, release };
}

/** The release that an option names. @throws UsageError */
export function chosenRelease(option: string, spec: string): Chosen {
  try {
    return parseRelease(spec);
  } catch (error) {
    if (!(error instanceof ReleaseError)) throw error;
    throw new UsageError(`${option} ${spec}: ${error.message}`, { options: [option.replace(/^--/, '')] });
  }
}

/** Every release of every framework, oldest first. */
export const allReleases = (): Chosen[] =>
  FRAMEWORKS.map(loadFramework).flatMap((framework) => framework.releases.map((release) => ({ framework, release })));

/** `jax@0.10.2` */
export const releaseName = ({ framework, release }: Chosen): string => `${framework.name}@${release.version}`;

/** A release in reports for programs. */
export const releaseFacts = ({ framework, release: { version, date, minor } }: Chosen) => ({
  ...{ framework: framework.name, version, date, apiMinor: minor },
});

const newest = (name: (typeof FRAMEWORKS)[number]): string => loadFramework(name).releases.at(-1)!.version;

function unknownRelease(framework: Framework, version: string): string {
  const versions = framework.releases.map((r) => r.version);
  const what = `nothing is known of ${framework.title} ${version}`;
  if (!/^\d+(\.\d+)*$/.test(version)) return `${what}; versions are such as ${versions.at(-1)}`;
  const below = versions.findLast((v) => compareVersions(v, version) < 0);
  const near = below === undefined ? `the oldest known is ${versions[0]}` : `the nearest before it is ${below}`;
  return `${what}; ${near}\n  known: ${versions.join(', ')}`;
}
