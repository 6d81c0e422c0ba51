import { join } from 'node:path';
import { asJson } from '../../base/as-json.ts';
import { writeFileAtomically } from '../../report/write-file.ts';
import { writeHtml } from './html.ts';
import { writeJunit } from './junit.ts';
import { writeMarkdown } from './markdown.ts';
import type { Matrix } from './matrix.ts';
import { matrixLines } from './text.ts';

type Produce = (matrix: Matrix, write: (chunk: string) => void) => void;

/** The reports of a matrix, all of which are written. */
const FILES: readonly (readonly [name: string, file: string, produce: Produce])[] = [
  ['json', 'coexist.json', (matrix, write) => write(asJson(matrix))],
  ['junit', 'coexist.xml', writeJunit],
  ['html', 'coexist.html', writeHtml],
  ['markdown', 'coexist.md', writeMarkdown],
  ['text', 'coexist.txt', (matrix, write) => write(`${matrixLines(matrix, { verbose: true }).join('\n')}\n`)],
];

/** Writes the reports atomically. @returns their names and paths @throws WriteFileError */
export function writeMatrix(matrix: Matrix, directory: string): [name: string, path: string][] {
  return FILES.map(([name, file, produce]) => {
    const path = join(directory, file);
    writeFileAtomically(path, (write) => produce(matrix, write));
    return [name, path];
  });
}
