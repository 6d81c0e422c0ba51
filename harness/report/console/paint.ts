import { styleText } from 'node:util';

export type Style = 'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold';
/** Colours a text, or leaves it unchanged. */
export type Paint = (style: Style | Style[], text: string) => string;

/** Paints for output with or without colours. */
export const painter =
  (color: boolean): Paint =>
  (style, text) =>
    color ? styleText(style, text, { validateStream: false }) : text;
