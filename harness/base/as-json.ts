/** A value as JSON for programs and people, with a line end. */
export const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
