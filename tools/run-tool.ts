import { UsageError } from '../harness/base/usage-error.ts';
import { SuiteError } from '../harness/suite/problem.ts';
import { CompileError } from '../tests/support/c-compiler.ts';
import { DesignError } from './designs/design.ts';

/**
 * Runs a tool: exit code 0 on success, 1 on failure, 2 with one message if the request cannot be carried out.
 * @param help whether only the usage is requested
 */
export async function runTool(usage: string, help: boolean, main: () => Promise<boolean>): Promise<void> {
  if (help) {
    console.log(usage);
    return;
  }
  try {
    process.exitCode = (await main()) ? 0 : 1;
  } catch (error) {
    const explained = [DesignError, SuiteError, CompileError, UsageError].some((kind) => error instanceof kind);
    if (!explained) throw error;
    console.error((error as Error).message);
    process.exitCode = 2;
  }
}
