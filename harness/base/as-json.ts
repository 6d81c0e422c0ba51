/** A value as JSON for programs and people, with a line end. */
export const asJson = (value: unknown): string => `${escaped(JSON.stringify(value, null, 2))}\n`;

/** The same on one line. */
export const asJsonLine = (value: unknown): string => `${escaped(JSON.stringify(value))}\n`;

/** JSON leaves the control characters from DEL on as they are, which terminals obey. */
const escaped = (text: string): string =>
  text.replace(/[\x7f-\x9f]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
