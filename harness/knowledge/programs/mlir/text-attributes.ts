import type { TextCursor } from './text-cursor.ts';

/** The value of an attribute: its text, and where it begins. */
export interface AttributeText {
  text: string;
  pos: number;
}

/** The attributes in braces, by name; a unit attribute has an empty text. */
export function attributes(cursor: TextCursor): Map<string, AttributeText> {
  const found = new Map<string, AttributeText>();
  cursor.expect('{');
  if (cursor.accept('}')) return found;
  do {
    const name = cursor.word() ?? cursor.string() ?? cursor.fail('the name of an attribute');
    const text = cursor.accept('=') ? cursor.until([',', '}']) : '';
    found.set(name, { text: text.trimEnd(), pos: cursor.pos - text.length });
  } while (cursor.accept(','));
  cursor.expect('}', "',' or '}'");
  return found;
}
