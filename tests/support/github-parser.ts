import type * as Workflows from '@actions/workflow-parser';
import type * as Actions from '@actions/workflow-parser/actions/index';
import { tsImport } from 'tsx/esm/api';

// The package imports JSON in a way that bundlers and tsx support, but not Node.
const load = <T>(name: string): Promise<T> => tsImport(name, import.meta.url) as Promise<T>;

/** Errors of GitHub's own parser for a workflow, or for the `action.yml` of an action. */
export async function githubFaults(kind: 'workflow' | 'action', content: string): Promise<string[]> {
  const { NoOperationTraceWriter, parseWorkflow } = await load<typeof Workflows>('@actions/workflow-parser');
  const { parseAction } = await load<typeof Actions>('@actions/workflow-parser/actions/index');
  const parse = kind === 'workflow' ? parseWorkflow : parseAction;
  const { context } = parse({ name: `${kind}.yml`, content }, new NoOperationTraceWriter());
  return context.errors.getErrors().map((error) => error.message);
}
