import type { TraceRecord } from './format.ts';

/** A trace that cannot be read: which file, where in it, and what is wrong. */
export class TraceError extends Error {
  override name = 'TraceError';

  /** About a record. */
  static in({ file, at, order }: Pick<TraceRecord, 'file' | 'at' | 'order'>, what: string): TraceError {
    return new TraceError(`${file}: at byte ${at}: record ${order}: ${what}`);
  }
}
