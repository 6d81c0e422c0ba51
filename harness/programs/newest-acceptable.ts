import type { ArtifactInfo, Program } from './program.ts';
import { compareVersions, parseVersion, type StablehloVersion } from './stablehlo-version.ts';

/** Older artifacts are only sent to plugins that announce an older version. */
const UNANNOUNCED_FLOOR: StablehloVersion = [1, 0, 0];

/**
 * The artifact that a framework would send: the newest one that is not newer than the plugin's `stablehlo_current_version`
 * and not older than its `stablehlo_minimum_version`; undefined if there is none.
 *
 * A plugin that announces nothing gets the oldest artifact from 1.0.0 on. Frameworks send such a plugin the version that was
 * current about 12 weeks before their own release; a harness has no such date, and every reader of VHLO promises to accept
 * old artifacts.
 */
export function newestAcceptable(
  program: Pick<Program, 'artifacts'>,
  current: StablehloVersion | undefined,
  minimum?: StablehloVersion,
): ArtifactInfo | undefined {
  const notTooOld = program.artifacts.filter(
    ({ version }) => minimum === undefined || compareVersions(parseVersion(version), minimum) >= 0,
  );
  if (current === undefined) {
    return notTooOld.find(({ version }) => compareVersions(parseVersion(version), UNANNOUNCED_FLOOR) >= 0);
  }
  return notTooOld.findLast(({ version }) => compareVersions(parseVersion(version), current) <= 0);
}
