import { openTrace } from '../../../knowledge/trace/open-trace.ts';
import { sessionsOf } from '../../../knowledge/trace/sessions.ts';
import { SuiteFault } from '../../steps/outcome.ts';
import { number, probe, text } from '../probe.ts';
import { SessionPlayer } from './session-player.ts';

/**
 * All calls of a recorded session are made again, in the order in which they began: what succeeded succeeds, and programs give what
 * they gave.
 */
export const replay = probe('replay', { trace: text, process: text, plugin: number }, (context, options) => {
  const trace = openTrace(options.trace);
  const process = trace.processes.find(({ name }) => name === options.process);
  const session = process && sessionsOf(process).find(({ plugin }) => plugin === options.plugin);
  if (!session) throw new SuiteFault(`${options.trace} has no ${options.process} with plugin ${options.plugin}`);
  new SessionPlayer(context, trace, session).play();
});
