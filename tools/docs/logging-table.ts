import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parse } from 'yaml';
import { packagePath } from '../../harness/base/paths.ts';
import { generalEnvironment } from '../../harness/host/plugins/environment-advice.ts';
import type { EnvironmentAdvice } from '../../harness/model/plugin.ts';

/** Logging variables, of all plugins and of each, as a Markdown table. */
export function loggingTable(): string {
  const known = readdirSync(packagePath('plugins', 'known')).sort();
  const own = known.map((file): [string, EnvironmentAdvice[]] => {
    const manifest = parse(readFileSync(packagePath('plugins', 'known', file), 'utf8')) as {
      environment?: EnvironmentAdvice[];
    };
    return [basename(file, '.yaml'), manifest.environment ?? []];
  });
  const rows = [['XLA', generalEnvironment()] as const, ...own].flatMap(([of, entries]) =>
    entries
      .filter(({ debug, example }) => debug !== undefined || example !== undefined)
      .map(({ name, debug, example, about }) => {
        const value = debug === undefined ? `try \`${example}\`` : `set to \`${debug}\``;
        return `| \`${name}\` | ${of} | ${value} | ${about} |`;
      }),
  );
  return ['| Variable | Of | With `--debug` | What it does |', '| --- | --- | --- | --- |', ...rows, ''].join('\n');
}
