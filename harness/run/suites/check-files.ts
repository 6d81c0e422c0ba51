/** What is wrong with the files of a user, whatever kind of file each is. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { readTextFile } from '../../base/text-file.ts';
import { ManifestError, parseConfig } from '../../host/plugins/config-file.ts';
import { toManifest } from '../../host/plugins/manifest.ts';
import { PluginError } from '../../host/plugins/plugin-error.ts';
import { parsePolicy } from '../../report/compare/policy.ts';
import { checkedDocument } from '../../suite/checked-document.ts';
import { parseYaml } from '../../suite/located-yaml.ts';
import { fileProblem, SuiteError, type SuiteProblem } from '../../suite/problem.ts';
import { parseRequirements } from '../../suite/requirements.ts';
import type { Validation } from '../../suite/validate.ts';
import { parseExpectations } from '../../verdict/expectations/load.ts';
import { parseStatement } from '../../verdict/mustpass/statement.ts';
import { parseWaivers } from '../../verdict/mustpass/waiver.ts';
import { checkSuites } from './check-suites.ts';
import { FILE_KINDS, type FileKind, kindOf } from './file-kinds.ts';

/** The readers of a run; each throws with every problem that it finds. */
const READERS: Record<Exclude<FileKind, 'suite'>, (text: string, file: string) => unknown> = {
  'expectations file': parseExpectations,
  'plugin manifest': (text, file) => toManifest(parseConfig(file, text)),
  'configuration file': checkConfiguration,
  'requirements catalogue': parseRequirements,
  'policy of the gate': parsePolicy,
  'statement of a submission': parseStatement,
  'waivers file': parseWaivers,
};

/** `validate`: problems of suites, which directories contain, and of files of any kind. Problems are data here, not errors. */
export async function checkFiles(paths: readonly string[], cwd: string): Promise<Validation> {
  const suites: string[] = [];
  const files: NonNullable<Validation['files']> = [];
  const problems: SuiteProblem[] = [];
  for (const path of paths) {
    const text = textIn(resolve(cwd, path));
    const kind = text === undefined ? 'suite' : kindOf(text, path);
    if (kind === 'suite') suites.push(path);
    else if (kind === undefined)
      problems.push(fileProblem(path, 'no key of this file is known', unknownKeys(text!, path)));
    else {
      const found = problemsIn(() => READERS[kind](text!, path), path);
      files.push({ file: path, kind, valid: found.length === 0 });
      problems.push(...found);
    }
  }
  const others = files.length > 0 ? { files } : {};
  if (suites.length === 0 && paths.length > 0) return { suites: 0, cases: 0, ...others, problems };
  const checked = await checkSuites(suites, cwd);
  return { ...checked, ...others, problems: [...checked.problems, ...problems] };
}

/** The text of a file; undefined for a directory, and for what cannot be read, of which the reader of suites says why. */
function textIn(path: string): string | undefined {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
  try {
    return readTextFile(path).replace(/^\uFEFF/, '');
  } catch {
    return undefined;
  }
}

const unknownKeys = (text: string, file: string): Partial<SuiteProblem> => ({
  expected: `a ${FILE_KINDS.slice(0, -1).join(', ')} or ${FILE_KINDS.at(-1)}`,
  got: `the keys ${Object.keys(parseYaml(text, file).value as object).join(', ')}`,
});

/** Comments alone are a valid configuration, as `init` may write it. */
function checkConfiguration(text: string, file: string): void {
  if (parseYaml(text, file).value ?? undefined) checkedDocument(text, file, 'config.schema.json');
}

function problemsIn(read: () => unknown, file: string): readonly SuiteProblem[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof SuiteError) return error.problems;
    if (error instanceof ManifestError) return [error.problem];
    if (error instanceof PluginError) return [fileProblem(file, error.parts?.what ?? error.message)];
    throw error;
  }
}
