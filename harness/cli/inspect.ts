import { fileFacts } from '../inspect/file-facts.ts';
import { formatInspection } from '../inspect/format.ts';
import { formatInspectionJson, type Inspection } from '../inspect/inspection.ts';
import { loadedFacts } from '../inspect/loaded-facts.ts';
import type { ResolvedPlugin } from '../plugins/types.ts';
import { cleanLine } from '../report/sanitize.ts';
import { exitCode } from '../verdict/exit-codes.ts';
import { draftDeclaration, formatDeclaration } from './declare.ts';
import { type Look, look } from './look.ts';
import { withPatience } from './patience.ts';
import { resolveAll } from './plugin-setup.ts';
import type { Surroundings } from './surroundings.ts';
import { forAll } from './timeouts.ts';

/** Options of `inspect` as commander gives them. */
export interface InspectOptions {
  timeout?: number;
  declare?: boolean;
  fetch: boolean;
  format: 'text' | 'json';
}

/** A healthy plugin is loaded in a fraction of it; inspect is not the command that waits. */
const TIMEOUT_MS = 10_000;
/** A client may take its time. */
const CLIENT_TIMEOUT_MS = 120_000;

/**
 * `inspect`: what a plugin's file says about itself, and what the plugin says once it is loaded. No client is created.
 * @returns the exit code
 */
export async function inspect(spec: string, options: InspectOptions, around: Surroundings): Promise<number> {
  const [plugin] = await resolveAll({ plugin: [spec], binding: 'lazy', fetch: options.fetch }, around);
  const { name, library, sizeBytes, sha256, manifest, recognisedBy } = plugin!;
  if (options.declare) return declare(plugin!, options, around);
  const { facts: file } = fileFacts(library, process);
  let seen: Look | undefined;
  if (file.unloadable === undefined) {
    const limits = forAll(options.timeout ?? TIMEOUT_MS);
    const ways = { clients: false, binding: 'lazy', explain: true, deadlines: limits } as const;
    seen = await withPatience(around.stderr, `loading ${name}`, look(plugin!, ways, around));
    if (around.signal.aborted) return exitCode('interrupted');
  }
  const loaded = seen && loadedFacts(seen.facts);
  const failure = seen?.facts.failure;
  const inspection: Inspection = {
    version: '1.0',
    plugin: {
      name,
      path: library,
      sizeBytes,
      sha256,
      ...(manifest ? { manifest: manifest.name } : {}),
      ...(manifest && recognisedBy ? { recognisedBy } : {}),
    },
    file,
    ...(loaded ? { loaded } : {}),
    ...(failure ? { failure } : {}),
    warnings: [
      ...plugin!.warnings,
      ...(seen?.notes ?? []).filter((n) => n.level !== 'info').map((n) => cleanLine(n.message)),
    ],
  };
  around.stdout.write(
    options.format === 'json' ? formatInspectionJson(inspection) : formatInspection(inspection, new Date()),
  );
  return loaded && !failure ? 0 : exitCode('unusable');
}

/** `inspect --declare`: a draft of what the plugin's manifest can promise. */
async function declare(plugin: ResolvedPlugin, options: InspectOptions, around: Surroundings): Promise<number> {
  const drafting = draftDeclaration(plugin, options.timeout ?? CLIENT_TIMEOUT_MS, around);
  const { declared, failure } = await withPatience(around.stderr, `trying ${plugin.name}`, drafting);
  if (around.signal.aborted) return exitCode('interrupted');
  if (failure) {
    const code = failure.code === undefined ? '' : `${failure.code}: `;
    around.stderr.write(
      `error: ${plugin.name} cannot be tried, at its ${failure.stage}: ${code}${cleanLine(failure.message)}\n` +
        '       a declaration is drafted from what a client does; `doctor` looks for the cause\n',
    );
    return exitCode('unusable');
  }
  around.stdout.write(
    options.format === 'json'
      ? `${JSON.stringify({ declares: declared }, null, 2)}\n`
      : formatDeclaration(plugin.name, declared),
  );
  return 0;
}
