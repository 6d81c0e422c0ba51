import { appendFileSync } from 'node:fs';
import type { CommandEnvironment } from '../base/environment.ts';
import { systemReason } from '../base/system-reason.ts';

/** In a step of a GitHub workflow, adds Markdown to the summary of the job. */
export async function appendToJobSummary(
  produce: (write: (chunk: string) => void) => Promise<void>,
  { env, stderr }: CommandEnvironment,
): Promise<void> {
  if (!env.GITHUB_STEP_SUMMARY) return;
  let text = '';
  await produce((chunk) => (text += chunk));
  try {
    appendFileSync(env.GITHUB_STEP_SUMMARY, text);
  } catch (error) {
    // Not worth failing for: the files have been written.
    stderr.write(`warning: the job summary could not be written: ${systemReason(error)}\n`);
  }
}
