import { openTrace } from '../../../knowledge/trace/open-trace.ts';
import { sessionFile } from '../../../knowledge/trace/session-files.ts';
import { sessionsOf } from '../../../knowledge/trace/sessions.ts';
import { traceDirectory } from '../../../knowledge/trace/trace-directory.ts';
import { SuiteFault } from '../../steps/outcome.ts';
import { probe, text } from '../probe.ts';
import { SessionPlayer } from './session-player.ts';

/** A session that the package has is played: what a release of a framework did with a plugin. */
export const recordedSession = probe('recorded-session', { session: text }, async (context, { session: name }) => {
  const trace = openTrace(await traceDirectory(sessionFile(name), name));
  const [session, ...more] = trace.processes.flatMap(sessionsOf);
  if (!session || more.length > 0) throw new SuiteFault(`${name} is not one session`);
  new SessionPlayer(context, trace, session).play();
});
