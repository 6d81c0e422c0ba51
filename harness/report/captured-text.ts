import { cleanText } from '../base/sanitize.ts';
import type { CapturedText } from '../model/case-result.ts';

/** A captured stream as clean text, with the gap between head and tail marked. */
export function capturedText(captured: CapturedText | undefined): string {
  if (!captured) return '';
  const { head, tail, omittedBytes } = captured;
  // Cleaned together if the stream is complete: a sequence may begin in the head and end in the tail.
  if (omittedBytes === 0) return cleanText(head + tail);
  return `${cleanText(head).trimEnd()}\n… [${omittedBytes} bytes omitted]\n${cleanText(tail)}`;
}
