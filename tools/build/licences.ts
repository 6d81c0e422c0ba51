import { readdirSync, readFileSync } from 'node:fs';
import { packagePath } from '../../harness/base/paths.ts';

/**
 * The licences of the libraries in a bundle, which must accompany every copy, as text for a comment of HTML or JavaScript.
 * Throws if a library has no licence file.
 * @param inputs paths of the modules in the bundle
 */
export function licences(inputs: readonly string[]): string {
  const packages = new Set(inputs.flatMap((input) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []));
  return [...packages]
    .sort()
    .map((name) => {
      const directory = packagePath('node_modules', name);
      const { version } = JSON.parse(readFileSync(`${directory}/package.json`, 'utf8'));
      const file = readdirSync(directory).find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
      if (file === undefined) throw new Error(`${name} ${version} has no licence file that a bundle could carry`);
      return `\n${name} ${version}\n${readFileSync(`${directory}/${file}`, 'utf8')}`;
    })
    .join('\n')
    .replaceAll('--', '- -')
    .replaceAll('*/', '* /');
}
