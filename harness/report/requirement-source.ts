import type { RequirementTexts } from './format.ts';

const XLA = 'https://github.com/openxla/xla/blob/main';

/** Where the documents are that sources of requirements name. */
const PLACES: readonly [name: RegExp, url: (name: string) => string][] = [
  [/\bxla\/[\w./-]+\.(?:h|cc|md|proto)\b/, (file) => `${XLA}/${file}`],
  [/(?<![/\w])pjrt_c_api\w*\.(?:h|cc)\b/, (file) => `${XLA}/xla/pjrt/c/${file}`],
  [/(?<![/\w])pjrt_(?:client|executable|compiler)\.h\b/, (file) => `${XLA}/xla/pjrt/${file}`],
  [/\bStableHLO\b/, () => 'https://github.com/openxla/stablehlo/blob/main/docs/spec.md'],
  [/\bld\.so\(8\)/, () => 'https://man7.org/linux/man-pages/man8/ld.so.8.html'],
];

/** The document that a source names first, if it is public. */
export function sourceLink(source: string): string | undefined {
  const named = PLACES.flatMap(([pattern, urlOf]) => {
    const found = pattern.exec(source);
    return found ? [{ at: found.index, url: urlOf(found[0]) }] : [];
  });
  return named.sort((a, b) => a.at - b.at)[0]?.url;
}

/** The text of a requirement, followed by its source and where that is. */
export const withSource = (id: string, { requirements, bases }: RequirementTexts): string | undefined => {
  const [text, source] = [requirements?.get(id), bases?.get(id)];
  if (source === undefined) return text;
  const link = sourceLink(source);
  return `${text} Source: ${source}${link === undefined ? '' : ` <${link}>`}`;
};
