import { SuiteError } from '../harness/suite/problem.ts';
import { CompileError } from '../tests/support/c-compiler.ts';
import { DesignError } from './designs/design.ts';

/**
 * Runs a tool: exit code 0 when all is well, 1 when not, 2 with one message when what was asked for cannot be done.
 * @param help whether only the usage is asked for
 */
export async function runTool(usage: string, help: boolean, main: () => Promise<boolean>): Promise<void> {
  if (help) {
    console.log(usage);
    return;
  }
  try {
    process.exitCode = (await main()) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof DesignError || error instanceof SuiteError || error instanceof CompileError)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
}
