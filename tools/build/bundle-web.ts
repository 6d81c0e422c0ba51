/**
 * Part of `npm run build`: bundles web/ into the page template of HTML reports, dist/web/report.html, and writes the style of
 * the pages of `results render`, which have no scripts, dist/web/site.css.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { build, type Rolldown } from 'vite';
import { packagePath } from '../../harness/base/paths.ts';
import { licences } from './licences.ts';

const OUT = packagePath('dist', 'web', 'report.html');

const { output } = (await build({
  configFile: false,
  root: packagePath('web'),
  logLevel: 'error',
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    write: false,
    modulePreload: false,
    cssCodeSplit: false,
    target: ['chrome123', 'firefox120', 'safari17.5'],
    rolldownOptions: { input: packagePath('web', 'main.tsx'), output: { format: 'iife', codeSplitting: false } },
  },
})) as Rolldown.RolldownOutput;
const chunk = output.find((file) => file.type === 'chunk')!;
const sheet = output.find((file) => file.type === 'asset' && file.fileName.endsWith('.css')) as Rolldown.OutputAsset;
// A script element ends at the first `</script`, also inside a string, and `<!--` in one changes what ends it.
const script = chunk.code.trim().replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const style = String(sheet.source).trim();

const hash = (text: string): string => `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
/** The page may run only this script and this style, and may request nothing. */
const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`;

const parts: Record<string, string> = { csp: policy, style, script, licences: licences(chunk.moduleIds) };
const page = readFileSync(packagePath('web', 'index.html'), 'utf8').replace(
  /%(csp|style|script|licences)%/g,
  (_, name: string) => parts[name]!,
);
mkdirSync(dirname(OUT), { recursive: true });
writeFileSync(OUT, page);

const SITE = ['tokens', 'base', 'site'].map((name) => readFileSync(packagePath('web', 'style', `${name}.css`), 'utf8'));
writeFileSync(packagePath('dist', 'web', 'site.css'), SITE.join('\n'));
