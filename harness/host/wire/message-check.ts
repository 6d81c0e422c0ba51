import { createRequire } from 'node:module';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { packagePath } from '../../base/paths.ts';
import type { FromWorker } from './protocol.ts';

/** Where the compiled schema of messages is: compiling it takes longer than many a run. */
export const MESSAGE_CHECK_PATH = packagePath('dist', 'host', 'wire', 'message-check.cjs');

const require = createRequire(import.meta.url);
let checks: Record<string, ValidateFunction> | undefined;

/** What is wrong with a message of a worker, in words; undefined if it is a message. */
export function messageFault(value: unknown): string | undefined {
  checks ??= require(MESSAGE_CHECK_PATH) as Record<string, ValidateFunction>;
  const type = (value as FromWorker | null)?.type;
  const check = typeof type === 'string' && Object.hasOwn(checks, type) ? checks[type]! : undefined;
  if (!check) return 'an answer of an unknown type';
  if (check(value) === true) return undefined;
  const { instancePath, message } = check.errors?.[0] ?? {};
  return `an answer ${type} whose ${instancePath?.slice(1) || 'form'} ${message ?? 'does not match'}`;
}
