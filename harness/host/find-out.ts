import { endOf, killedFromOutside } from './blame.ts';
import { inEffect } from './deadlines.ts';
import type { LiveWorker } from './live-worker.ts';
import type { PluginKnowledge } from './plugin-knowledge.ts';
import { queryOf, type RunNotes } from './run-notes.ts';
import type { RunContext } from './run-plan.ts';
import { INSPECTIONS } from './wire/protocol.ts';
import type { Workers } from './workers.ts';

/** Attempts to start the first worker when something else kills it. */
const MAX_STARTS = 3;

const FIRST = { round: 1, quarantine: false } as const;

interface Parts {
  knowledge: PluginKnowledge;
  workers: Workers;
  notes: RunNotes;
}

/**
 * Starts the first worker to find out what the plugins are and whether clients can be created.
 * @returns that worker, or its replacement, if one is alive
 */
export async function findOut(context: RunContext, parts: Parts): Promise<LiveWorker | undefined> {
  const { clients, signal } = context.plan;
  const { knowledge, workers, notes } = parts;
  for (let attempt = 1; !signal.aborted; attempt++) {
    const start = await workers.start({ clients, ...FIRST });
    if (signal.aborted) return start.live;
    knowledge.learn(start.facts);
    // Something else killed it, which says nothing about the plugin.
    if (start.death && killedFromOutside(start.death) && attempt < MAX_STARTS) continue;
    if (start.live) await notes.output(start.live, 'load');
    return knowledge.conclude(start.death === undefined) ? inspect(context, parts, start.live) : start.live;
  }
  return undefined;
}

/** Queries everything that reports show about the plugins. A query that ends the process loses only its own result. */
async function inspect(
  { plan: { signal, deadlines } }: RunContext,
  { knowledge, workers, notes }: Parts,
  first: LiveWorker | undefined,
): Promise<LiveWorker | undefined> {
  let live = first;
  for (const part of INSPECTIONS) {
    if (signal.aborted) break;
    if (!live) {
      const start = await workers.start({ clients: knowledge.clients, ...FIRST });
      if (start.live && start.facts.some((f) => f.failure)) await workers.stop(start.live);
      else live = start.live;
      if (!live) break;
    }
    live.facts = knowledge.facts;
    const end = await live.ask({ type: 'inspect', part }, inEffect(deadlines));
    const what = queryOf(part);
    if (end.type === 'death') {
      workers.reportEnd(live, end.death);
      if (!signal.aborted) {
        const breach = end.death.fault === undefined && !killedFromOutside(end.death);
        const reason = endOf(end.death);
        const { stderr } = live.process.outputSoFar(0);
        notes.warn(`${what}: ${reason}`, { breach, stderr, fact: { kind: 'query', part, reason } });
      }
      live = undefined;
      continue;
    }
    await notes.output(live, part);
    notes.closedStreams(live, what);
    if (end.problem === undefined) continue;
    const { unanswered, reason } = end.problem;
    const from = unanswered === undefined ? '' : `it returned nothing for ${unanswered}: `;
    notes.warn(`${what}: ${from}${reason}`, { fact: { kind: 'query', part, reason } });
  }
  return live;
}
