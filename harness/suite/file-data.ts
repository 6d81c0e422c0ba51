import type { FileData } from '../knowledge/numerics/data.ts';
import type { Step } from './types.ts';

/** The arrays of files that steps name, wherever data may stand. */
export function fileData(steps: readonly Step[]): FileData[] {
  const found: FileData[] = [];
  visit(steps);
  return found;

  function visit(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    if (isFileData(value)) found.push(value);
    else for (const inner of Object.values(value)) visit(inner);
  }
}

const isFileData = (value: object): value is FileData => {
  const { file } = value as { file?: { path?: unknown } };
  return typeof file === 'object' && file !== null && typeof file.path === 'string';
};
