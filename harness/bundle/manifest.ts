import type { Event } from '../model/events.ts';
import type { PluginFacts } from '../model/plugin-facts.ts';

type Of<T extends Event['type']> = Extract<Event, { type: T }>;

/** A file of a bundle (schemas/bundle.schema.json). */
export interface BundledFile {
  path: string;
  role: 'log' | 'report' | 'suite' | 'suite-data' | 'expectations' | 'plugin';
  /** Format, suite, plugin or expectations file that it is. */
  of?: string;
  bytes: number;
  sha256: string;
}

/** What is in a bundle, and what the log says of the run. */
export interface BundleManifest {
  version: string;
  tool: Of<'header'>['tool'];
  run: Pick<Of<'footer'>, 'finishedAt' | 'exitCode' | 'verdict' | 'counts'> &
    Pick<Of<'header'>, 'startedAt' | 'profile'>;
  host: Of<'header'>['host'];
  environment: Record<string, string>;
  plugins: Pick<PluginFacts, 'name' | 'path' | 'sha256' | 'sizeBytes' | 'buildId'>[];
  files: BundledFile[];
}

/** Version of schemas/bundle.schema.json. */
const BUNDLE_VERSION = '1.0';

/** The manifest of a bundle. It says nothing of when or where it was packed: the same run gives the same bundle. */
export function bundleManifest(
  { tool, host, environment, startedAt, profile }: Of<'header'>,
  { finishedAt, exitCode, verdict, counts }: Of<'footer'>,
  plugins: readonly PluginFacts[],
  files: readonly BundledFile[],
): BundleManifest {
  return {
    version: BUNDLE_VERSION,
    tool,
    run: { startedAt, finishedAt, profile, exitCode, verdict, counts },
    host,
    environment: environment ?? {},
    plugins: plugins.map(({ name, path, sha256, sizeBytes, buildId }) => ({
      name,
      path,
      sha256,
      sizeBytes,
      ...(buildId === undefined ? {} : { buildId }),
    })),
    files: [...files],
  };
}
