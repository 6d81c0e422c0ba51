import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { packagePath } from '../../base/paths.ts';
import { loadSuites } from '../../suite/load.ts';
import { stepsOf } from '../../suite/sample-case.test-helper.ts';
import type { Step } from '../../suite/types.ts';

const HERE = dirname(fileURLToPath(import.meta.url));
const REQUIREMENT = /\b[A-Z]{2,5}(?:-[A-Z0-9]+)+-\d{3}\b/g;

const sourceOf = (file: string): ts.SourceFile =>
  ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);

/** Ids of requirements in the strings of a file; comments may speak of others. */
function requirementsIn(file: string): Set<string> {
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) for (const [id] of node.text.matchAll(REQUIREMENT)) found.add(id);
    ts.forEachChild(node, visit);
  };
  visit(sourceOf(file));
  return found;
}

/** The file of each probe of an area, from the index of its directory. */
function probeFiles(area: string): Map<string, string> {
  const directory = join(HERE, area);
  const fileOf = new Map<string, string>();
  const files = new Map<string, string>();
  const visit = (node: ts.Node): void => {
    if (ts.isImportSpecifier(node)) {
      const { moduleSpecifier } = node.parent.parent.parent;
      fileOf.set(node.name.text, join(directory, (moduleSpecifier as ts.StringLiteral).text));
    } else if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.initializer)) {
      const file = fileOf.get(node.initializer.text);
      if (file !== undefined) files.set((node.name as ts.StringLiteral | ts.Identifier).text, file);
    }
    ts.forEachChild(node, visit);
  };
  visit(sourceOf(join(directory, 'index.ts')));
  return files;
}

test.each(['abi', 'buffers', 'client', 'compute'])(
  'what a probe says is violated is covered by a case that uses it: %s',
  (area) => {
    const { cases } = loadSuites([packagePath('suites')]);
    const files = probeFiles(area);
    expect(files.size).toBeGreaterThan(10);
    const uncovered = [...new Set(files.values())].flatMap((file) => {
      const uses = (step: Step): boolean => step.verb === 'probe' && files.get(step.name) === file;
      const using = cases.filter((c) => stepsOf(c).some(uses));
      const covered = new Set(using.flatMap((c) => c.covers));
      const missing = [...requirementsIn(file)].filter((id) => !covered.has(id));
      return missing.length === 0 ? [] : [`${file}: ${missing.join(', ')} (cases cover ${[...covered].join(', ')})`];
    });
    expect(uncovered).toEqual([]);
  },
);
