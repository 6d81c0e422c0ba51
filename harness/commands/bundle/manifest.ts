import type { Event } from '../../model/events.ts';
import type { PluginFacts } from '../../model/plugin-facts.ts';

type Of<T extends Event['type']> = Extract<Event, { type: T }>;

/** A file in a bundle (schemas/bundle.schema.json). */
export interface BundledFile {
  path: string;
  role: 'log' | 'report' | 'suite' | 'suite-data' | 'expectations' | 'statement' | 'plugin';
  /** Its format, suite, plugin or expectations file. */
  of?: string;
  bytes: number;
  sha256: string;
}

/** The contents of a bundle, and a summary of the run from its log. */
interface BundleManifest {
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
const BUNDLE_VERSION = '1.1';

/** The manifest of a bundle. Does not say when or where it was packed, so that the same run gives the same bundle. */
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
    plugins: plugins.map(({ name, path, sha256, sizeBytes, buildId }) => ({ name, path, sha256, sizeBytes, buildId })),
    files: [...files],
  };
}
