/** Judges the callers of a recording, and their plugins. */

import { callbackIn, endIn, pluginIn } from '../../knowledge/trace/bodies.ts';
import { demandAllCalls } from '../../knowledge/trace/demand-all-calls.ts';
import { ENDINGS, KIND } from '../../knowledge/trace/format.ts';
import { namedRecords } from '../../knowledge/trace/named-records.ts';
import { type ObservedCall, observed, returned } from '../../knowledge/trace/observed-call.ts';
import type { Trace, TraceProcess } from '../../knowledge/trace/open-trace.ts';
import { CallerJudge } from './caller-judge.ts';
import type { Mistake } from './mistake.ts';
import { PluginJudge } from './plugin-judge.ts';
import { type PluginRule, SHOULD } from './plugin-rules.ts';
import type { Rule } from './rules.ts';

/** What a process did. */
export interface CheckedProcess {
  /** `pid-42`. */
  process: string;
  /** Paths of its plugins. */
  plugins: string[];
  calls: number;
  mistakes: Mistake<Rule>[];
  /** Call sites of a rule that are not shown. */
  more: Partial<Record<Rule, number>>;
  /** What its plugins did and must not do. */
  ofPlugin: { mistakes: Mistake<PluginRule>[]; more: Partial<Record<PluginRule, number>> };
  /** Whether the recording goes to the end of the process: otherwise what was left undone is not known. */
  whole: boolean;
}

/** Whether nobody made a mistake that counts. */
export const keptTheRules = ({ mistakes, ofPlugin }: CheckedProcess): boolean =>
  mistakes.length === 0 && ofPlugin.mistakes.every(({ rule }) => SHOULD.has(rule));

/** Checks the calls of each process of a trace. @param shown its path for messages @throws TraceError for one without all calls */
export function checkTrace(trace: Trace, shown: string): CheckedProcess[] {
  demandAllCalls(trace.manifest, shown, 'to check the caller');
  return trace.processes.map((process) => checked(process, () => trace.notes.cut.length === 0));
}

function checked(process: TraceProcess, isUncut: () => boolean): CheckedProcess {
  const judges = [new CallerJudge(), new PluginJudge()] as const;
  const [caller, plugin] = judges;
  const calls = new Map<number, ObservedCall>();
  /** Registrations whose callback was called. */
  const calledBack = new Set<number>();
  const plugins: string[] = [];
  let count = 0;
  let ended = false;
  for (const named of namedRecords(process)) {
    const { record } = named;
    if (record.kind === KIND.plugin) plugins.push(pluginIn(record).path);
    else if (record.kind === KIND.enter) {
      const call = observed(named);
      if (!call) continue;
      count++;
      calls.set(record.order, call);
      for (const judge of judges) judge.entered(call);
    } else if (record.kind === KIND.leave) {
      const call = calls.get(record.of);
      if (!call) continue;
      const left = returned(call, record);
      for (const judge of judges) judge.left(left);
      if (call.function !== 'PJRT_Event_OnReady') calls.delete(record.of);
    } else if (record.kind === KIND.callbackEnter) {
      const call = calls.get(record.of);
      if (call) for (const judge of judges) judge.calledBack(call, callbackIn(record).handle);
      else if (calledBack.has(record.of)) plugin.calledBackAgain(record);
      calledBack.add(record.of);
      calls.delete(record.of);
    } else if (record.kind === KIND.end) ended = endIn(record) === ENDINGS[0];
  }
  const whole = ended && isUncut();
  return { process: process.name, plugins, calls: count, ...caller.end(whole), ofPlugin: plugin.end(), whole };
}
