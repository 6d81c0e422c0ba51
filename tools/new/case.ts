import { UsageError } from '../../harness/base/usage-error.ts';
import { appendItem, asYaml } from './append-item.ts';
import { needed, type Read, type Scaffold, type Values } from './scaffold.ts';

/** A case that runs, and passes, before it is changed to what it is to check. @param id `suite/path:case-id` */
export function newCase(id: string, values: Values, read: Read): Scaffold {
  const [suite = '', name] = id.split(':');
  if (name === undefined || !/^[a-z0-9-]+(\/[a-z0-9-]+)+$/.test(suite) || !/^[a-z0-9-]+$/.test(name))
    throw new UsageError(
      `"${id}" is not the id of a case: write suite/path:case-id, such as buffers/host-transfer:my-case`,
    );
  const file = `suites/${suite}.yaml`;
  const entry = {
    id: name,
    description: values.description ?? 'A program computes the expected result.',
    covers: needed(values, 'covers', 'the requirements that it exercises, such as BUF-HOST-003,BUF-HOST-004').split(
      ',',
    ),
    steps: [
      {
        run: 'misc/add_one',
        with: { input: { values: { dtype: 'f32', shape: [4], of: [1, 2, 3, 4] } } },
        gives: { output: { values: { dtype: 'f32', shape: [4], of: [2, 3, 4, 5] } } },
      },
    ],
  };
  const text = read(file);
  if (text && new RegExp(`^ +- id: ${name}$`, 'm').test(text))
    throw new UsageError(`${file} has a case ${name} already`);
  return {
    files: { [file]: text ? appendItem(text, ['cases'], entry) : newSuite(suite, values, entry) },
    next: [
      `${file}    # change the steps to what the case is about (docs/writing-suites.md)`,
      `npx tsx harness/cli/main.ts validate && npx tsx harness/cli/main.ts --plugin xla-cpu --tests '${id}*'`,
      `npm run new -- fault NAME --breaks REQUIREMENT --suites '${id}*'    # see it fail; or say in plugins/faults/idle-cases.yaml why no fault can`,
    ],
  };
}

function newSuite(suite: string, values: Values, first: object): string {
  const description = needed(values, 'about', `the suite ${suite} is new: what it is about, in one sentence`);
  const schema = `${'../'.repeat(suite.split('/').length)}schemas/suite.schema.json`;
  return [`# yaml-language-server: $schema=${schema}`, ...asYaml({ suite, description, cases: [first] }), ''].join(
    '\n',
  );
}
