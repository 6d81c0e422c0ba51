/**
 * The text policy of all reports. Plugins may print anything: colours, NUL, half characters, window titles. One such byte
 * makes an XML file unreadable or controls a reader's terminal, so all text is cleaned.
 */

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Bytes from a plugin as text; what is not UTF-8 becomes U+FFFD. */
export const decodeUtf8 = (bytes: Uint8Array): string => decoder.decode(bytes);

// CSI, then OSC/DCS/SOS/PM/APC up to their terminator on the same line, then two-character and charset escapes.
const ANSI =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]+[0-~]|\x1b[0-OQ-WYZ`-~]/g;

// Forbidden in XML 1.0, or terminal controls: C0 except tab and newline, DEL, C1, lone surrogates, U+FFFE and U+FFFF.
const UNPRINTABLE =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

// What reorders or hides text: bidirectional controls, characters without a width, tags, fillers.
const UNSEEN =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each is a character of its own.
  /[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb]|\ud82f[\udca0-\udca3]|\ud834[\udd73-\udd7a]|[\udb40-\udb43][\udc00-\udfff]/g;

// Joiners, and selectors of a form, stay where scripts and pictures need them: they hide nothing between other than ASCII.
// biome-ignore lint/suspicious/noMisleadingCharacterClass: each is a character of its own.
const JOINERS = /(?<![\x80-\uffff])(?!\ufe0f\u20e3)[\u200c\u200d\ufe0e\ufe0f]+|[\u200c\u200d]+(?![\x80-\uffff])/g;

// The usual case: nothing has to change.
// biome-ignore lint/suspicious/noMisleadingCharacterClass: a range.
const CLEAN = /^[\t\n\x20-\x7e\xa0-\xac\xae-\u034e\u0350-\u061b\u2010-\u2027\u2030-\u205f\u2190-\u2bff]*$/;

/** Text without terminal sequences, with LF line ends, and with every other unprintable character made visible. */
export function cleanText(text: string): string {
  if (CLEAN.test(text)) return text;
  const shown = text.replace(ANSI, '').replace(/\r\n?/g, '\n').replace(UNPRINTABLE, visible).replace(UNSEEN, visible);
  return shown.replace(JOINERS, (joiners) => Array.from(joiners, visible).join(''));
}

/** Clean text on one line: line ends become `\n`, tabs become spaces. For attributes, names and messages. */
export const cleanLine = (text: string): string => cleanText(text).trim().replaceAll('\n', '\\n').replaceAll('\t', ' ');

function visible(character: string): string {
  const code = character.codePointAt(0)!;
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}

/** Head and tail of a text, cut between code points, with the size of the gap between them. */
export function truncate(text: string, headUnits: number, tailUnits: number, hint = ''): string {
  if (text.length <= headUnits + tailUnits) return text;
  const head = text.slice(0, boundary(text, headUnits));
  const tailFrom = boundary(text, text.length - tailUnits);
  const omitted = Buffer.byteLength(text.slice(head.length, tailFrom), 'utf8');
  return `${head}\n… [${omitted} bytes omitted${hint}]\n${text.slice(tailFrom)}`;
}

// A cut inside a surrogate pair moves before the pair.
function boundary(text: string, at: number): number {
  const code = text.charCodeAt(at);
  const before = text.charCodeAt(at - 1);
  return code >= 0xdc00 && code <= 0xdfff && before >= 0xd800 && before <= 0xdbff ? at - 1 : at;
}

/** The last lines of a text, without trailing blank lines, each truncated to a width. */
export function lastLines(text: string, count: number, width = 400): string[] {
  // Only the end matters: megabytes of text are not split for their last lines.
  const end = text.trimEnd().slice(-count * width * 4);
  const lines = end === '' ? [] : end.split('\n');
  return lines.slice(-count).map((line) => cut(line, width));
}

/** One line truncated to a width, with an ellipsis. */
export const cut = (line: string, width: number): string =>
  line.length <= width ? line : `${line.slice(0, boundary(line, Math.max(width - 1, 0)))}…`;
