/**
 * Numbers and strings of the log, with bounds that TypeScript does not know. The JSON Schemas of logs and reports are
 * generated from the types (tools/docs/log-schemas.ts): the tags of the comments are the bounds.
 */

/** An upper bound of every count, bytes included, so that sums stay exact. @asType integer @minimum 0 @maximum 1e14 */
export type Count = number;

/** @asType integer @minimum 1 */
export type Positive = number;

/** @asType integer */
export type Integer = number;

/** 1-based; 0 if there is none. @asType integer @minimum 0 */
export type Line = number;

/** At most about 30,000 years, so that sums stay finite. @minimum 0 @maximum 1e15 */
export type Milliseconds = number;

/** @minimum 0 */
export type NonNegative = number;

/** In ULP. In JSON, infinity is null. @minimum 0 @nullable */
export type Distance = number;

/** Workers are numbered from 1; merging logs renumbers them, one log after the other. @asType integer @minimum 0 @maximum 1e9 */
export type WorkerNumber = number;

/** @minLength 1 */
export type NonEmpty = string;

/** ISO 8601 in UTC. @pattern ^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?Z$ */
export type Instant = string;

/** YYYY-MM-DD. @pattern ^[0-9]{4}-[0-9]{2}-[0-9]{2}$ */
export type Day = string;

/** Of a log or report: major and minor. @pattern ^[0-9]+\.[0-9]+$ */
export type FormatVersion = string;
