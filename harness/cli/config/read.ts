import { readFileSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import { systemReason } from '../../base/system-reason.ts';
import { UsageError } from '../../base/usage-error.ts';
import { type LocatedYaml, parseYaml } from '../../suite/located-yaml.ts';
import { throwIfAny } from '../../suite/problem.ts';
import { checkSchema, validator } from '../../suite/schema-check.ts';

const MAX_BYTES = 1_000_000;

/**
 * Reads a configuration file and validates it against its schema. Executes nothing in it.
 * @throws UsageError, SuiteError with every problem and its location
 */
export function readConfigFile(file: string, cwd: string): LocatedYaml {
  const shown = relative(cwd, file);
  const document = parseYaml(textOf(file, shown).replace(/^\uFEFF/, ''), shown);
  throwIfAny(document.problems);
  // `init` may write a file with nothing but comments.
  document.value ??= {};
  throwIfAny(checkSchema(validator('config.schema.json'), document));
  return document;
}

function textOf(file: string, shown: string): string {
  const refuse = (why: string): UsageError =>
    new UsageError(`${shown}: ${why}; \`pjrt-conformance init\` writes a configuration file, --no-config reads none`);
  try {
    const facts = statSync(file);
    if (!facts.isFile())
      throw refuse(`is a ${facts.isDirectory() ? 'directory' : 'device or a pipe'}, expected a YAML file`);
    if (facts.size > MAX_BYTES) throw refuse(`has ${facts.size} bytes, too many for a configuration file`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const absent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw refuse(absent ? 'no such file' : `cannot be read: ${systemReason(error)}`);
  }
}
