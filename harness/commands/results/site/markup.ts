import { htmlText } from '../../../report/markdown-text.ts';

/** Markup: text in it is escaped, markup is not. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Markup | string | number | undefined | false | readonly Part[];

/** Markup from a template; every value that is not markup is escaped, for text and for attributes. */
export const html = (texts: TemplateStringsArray, ...values: Part[]): Markup =>
  new Markup(texts.reduce((all, text, i) => `${all}${rendered(values[i - 1])}${text}`));

function rendered(part: Part): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Markup) return part.text;
  if (Array.isArray(part)) return part.map(rendered).join('');
  return htmlText(String(part)).replaceAll('"', '&quot;').replaceAll("'", '&#39;');
}

/** A link, if the address is one for the web or mail; other schemes could run something. */
export const link = (address: string, text: string = address): Markup =>
  /^https?:\/\//.test(address) ? html`<a href="${address}" rel="nofollow noreferrer">${text}</a>` : html`${text}`;
