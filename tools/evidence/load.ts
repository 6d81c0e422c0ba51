import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { packagePath } from '../../harness/base/paths.ts';
import type { Evidence } from './evidence.ts';

/** What recorded runs show, made by record.ts. */
export const EVIDENCE_FILE = packagePath('docs', 'data', 'evidence.json');
/** Why requirements rest on our own plugin alone. */
const ALONE_FILE = packagePath('tools', 'evidence', 'alone.yaml');

export const loadEvidence = (): Evidence =>
  existsSync(EVIDENCE_FILE) ? (JSON.parse(readFileSync(EVIDENCE_FILE, 'utf8')) as Evidence) : {};

/** Reasons by requirement. */
export const loadAlone = (): Record<string, string> =>
  (parse(readFileSync(ALONE_FILE, 'utf8')) as Record<string, string> | null) ?? {};
