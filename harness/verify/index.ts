/** Verification of bundles: independent of what writes logs, reports and verdicts. */

export { RULES, type Rule, UnreadableError } from './rules.ts';
export { type Verification, verifyBundle } from './verify-bundle.ts';
