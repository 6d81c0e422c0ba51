import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { packagePath } from '../../../base/paths.ts';
import { html, Markup } from './markup.ts';

/** The style of the site, which `npm run build` writes. */
const STYLE = packagePath('dist', 'web', 'site.css');

let style: string | undefined;

/** One step of the way to a page: its text, and its address unless it is the page. */
export type Step = [text: string, href?: string];

/** A page without scripts. @param way from the first page to this one */
export function page(title: string, way: readonly Step[], content: Markup): string {
  style ??= readFileSync(STYLE, 'utf8').trim();
  const hash = createHash('sha256').update(style, 'utf8').digest('base64');
  const steps = way.map(([text, href]) =>
    href === undefined ? html`<li aria-current="page">${text}</li>` : html`<li><a href="${href}">${text}</a></li>`,
  );
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="pjrt-conformance">
<title>${title}</title>
${new Markup(`<style>${style}</style>`)}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header><nav aria-label="Way"><ol>${steps}</ol></nav></header>
<main id="main">
<h1>${title}</h1>
${content}
</main>
<footer><p class="dim">Made by <code>pjrt-conformance results render</code> from verified bundles. Passing a list says that its cases passed on one machine; it is no certificate.</p></footer>
</body>
</html>
`.text;
}

/** A table that scrolls sideways where it is wider than the window. */
export const table = (caption: string, head: Markup, rows: readonly Markup[]): Markup =>
  html`<div class="table" role="region" aria-label="${caption}" tabindex="0"><table><thead>${head}</thead><tbody>${rows}</tbody></table></div>`;

/** A number as people read it. */
export const count = (value: number): string => value.toLocaleString('en-US');
