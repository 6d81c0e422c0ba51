import type { ArtifactInfo, Program } from './program.ts';
import { compareVersions, parseVersion, type StablehloVersion } from './stablehlo-version.ts';

/** Artifacts below this are only sent to plugins that announce a version below it. */
const UNANNOUNCED_FLOOR: StablehloVersion = [1, 0, 0];

/**
 * The artifact a framework would send: the newest one that is not newer than the plugin's
 * `stablehlo_current_version`, and not older than its `stablehlo_minimum_version`.
 *
 * A plugin that announces nothing gets the oldest artifact from 1.0.0 on. Frameworks send such a plugin what was
 * current about 12 weeks before their own release; a harness has no such date, and old artifacts are the ones every
 * reader of VHLO promises to accept.
 *
 * Undefined where no stored artifact fits; the caller says so, for instance by reporting the case as unsupported.
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
