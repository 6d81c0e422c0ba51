import { cleanLine } from '../base/sanitize.ts';
import type { PluginFacts } from '../model/plugin-facts.ts';
import type { Note } from '../model/run.ts';
import { staleEntries, staleText } from '../verdict/expectations.ts';
import { reproduceCommand } from './failure-text.ts';
import { isRed, type OutcomeElement, type Testcase } from './junit-document.ts';
import { mustpassCase } from './junit-mustpass.ts';
import type { JudgedRun } from './junit-provenance.ts';

/** The cases of the synthetic suite `harness`: what no case of the plan shows. @param isPlanRed whether a case of the plan is red */
export function harnessCases(judged: JudgedRun, isPlanRed: boolean): Testcase[] {
  const { run, verdict } = judged;
  const notes = [...notesCases(judged), ...staleCases(judged), ...(run.mustpass ? [mustpassCase(run.mustpass)] : [])];
  if (verdict.exitCode === 0 && run.cases.size > 0) return notes;
  const cases = run.plugins.filter((facts) => facts.failure).map((facts) => pluginCase(judged, facts));
  cases.push(...notes);
  const ended = run.footer && !run.footer.interrupted;
  const fault = run.faults.length > 0 || run.notes.some((note) => note.level === 'error');
  if (!ended || fault || !(isPlanRed || cases.some((item) => isRed(item.element)))) cases.push(completionCase(judged));
  return cases;
}

const red = (name: string, element: OutcomeElement, type: string, message: string, body: string): Testcase => ({
  ...{ name, durationMs: 0, element, type, message, body },
});

function pluginCase({ run, verdict }: JudgedRun, { name, path, failure }: PluginFacts): Testcase {
  const code = failure?.code ? `${failure.code}: ` : '';
  const message = cleanLine(`${failure?.stage} of ${name} failed: ${code}${failure?.message}`);
  const body = [message, ` ${cleanLine(path)}`, `verdict: ${verdict.line}`].join('\n');
  const label = run.plugins.length > 1 ? `plugin loads[plugin=${name}]` : 'plugin loads';
  return red(label, 'failure', `pjrt.Plugin.${failure?.stage}`, message, body);
}

/** What the run noticed outside its cases: a failure if a MUST was violated, else a pass with a note. */
function notesCases({ run, verdict }: JudgedRun): Testcase[] {
  const text = (note: Note): string => [note.message, note.detail].filter(Boolean).join('\n');
  const breaches = run.notes.filter((note) => note.breach);
  const warnings = run.notes.filter((note) => note.level === 'warning' && !note.breach);
  const cases: Testcase[] = [];
  if (breaches.length > 0) {
    const message = cleanLine(breaches[0]!.message);
    const body = [...breaches.map(text), `verdict: ${verdict.line}`].join('\n');
    cases.push(red('workers survive between cases', 'failure', 'pjrt.Crash', message, body));
  }
  if (warnings.length > 0) {
    const out = warnings.map((note) => `WARNING: ${text(note)}`).join('\n');
    cases.push({ name: 'warnings of the run', durationMs: 0, out });
  }
  return cases;
}

/** Stale entries of expectations files: a failure if that counts, else a pass with a note. */
function staleCases({ run, weighing }: JudgedRun): Testcase[] {
  const stale = staleEntries(run).map(staleText);
  if (stale.length === 0) return [];
  const name = 'expectations are up to date';
  const body = stale.map((text) => ` ${text}`).join('\n');
  if (!weighing.strictExpectations) return [{ name, durationMs: 0, out: `WARNING:\n${body}` }];
  const message = cleanLine(`${stale.length} of ${run.expectations!.length} entries are stale`);
  return [red(name, 'failure', 'pjrt.StaleExpectation', message, `${message}\n${body}`)];
}

function completionCase({ run, verdict }: JudgedRun): Testcase {
  const why = cleanLine(run.cases.size === 0 && verdict.exitCode === 0 ? 'no case was planned' : verdict.line);
  const errors = run.notes.filter((note) => note.level === 'error');
  const unfinished = [...run.running].map((item) => `was running: ${reproduceCommand(run, item.plan.id)}`);
  const body = [
    why,
    ...run.faults,
    ...errors.map((note) => (note.detail ? `${note.message}\n${note.detail}` : note.message)),
    ...unfinished,
    `${run.counts.notrun} of ${run.cases.size} planned cases did not run`,
  ].join('\n');
  return red('run completed', 'error', 'pjrt.RunIncomplete', why, body);
}
