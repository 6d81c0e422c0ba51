/** A file of durations, from which shards are balanced (schemas/durations.schema.json). */
export interface DurationsFile {
  type: 'durations';
  version: 1;
  /** Milliseconds that each case cost, with its process if it had one of its own. */
  cases: Record<string, number>;
}
