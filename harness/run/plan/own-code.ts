import { builtFiles, changedFiles, ownFiles } from '../../base/own-files.ts';
import { UsageError } from '../../base/usage-error.ts';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import { foreignCode, foreignWords } from '../../verdict/mustpass/foreign-code.ts';

/**
 * A run for a submission is made by this program as it was published, and by nothing else.
 * @returns digest of its files; undefined in a checkout that was not built
 * @throws UsageError
 */
export function demandOwnCode(plugins: readonly ResolvedPlugin[], env: NodeJS.ProcessEnv): string | undefined {
  const found = foreignCode(env, process.execArgv);
  if (found.length > 0)
    throw new UsageError(
      `--mustpass: code of others can change what this run says: ${foreignWords(found)}; run without it`,
    );
  for (const { name, manifest, env: set } of plugins) {
    const inWorkers = foreignCode(set);
    if (inWorkers.length > 0)
      throw new UsageError(
        `--mustpass: the manifest of ${name} (${manifest?.file}) sets ${foreignWords(inWorkers)}: code of others can change what this run says; remove it from \`env\``,
      );
  }
  const built = builtFiles();
  if (!built) return undefined;
  const now = ownFiles();
  const changed = changedFiles(built, now);
  if (changed.length === 0) return now.sha256;
  const [first] = changed;
  throw new UsageError(
    `--mustpass: ${changed.length} of the files of this package are not those that were published, such as ${first}; install it again (in a checkout: npm run build)`,
  );
}
