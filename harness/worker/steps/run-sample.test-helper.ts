import { readSample, sampleCase } from '../../suite/sample-suite.test-helper.ts';
import { Instrument } from '../pjrt/instrument.ts';
import { CaseContext, type Subject } from './context.ts';
import { type Probe, runStep } from './steps.ts';

/**
 * Runs the steps of a case that needs no plugin.
 * @param ready sees the context before the first step
 * @throws what a step throws, or the problems of the suite
 */
export async function runSample(
  body: string,
  probes: Readonly<Record<string, Probe>> = {},
  ready: (context: CaseContext) => void = () => {},
): Promise<CaseContext> {
  const { cases, errors } = readSample(sampleCase(body));
  if (errors !== '') throw new Error(errors);
  const subject = { plugin: { api: { live: new Set() } }, setup: {} } as unknown as Subject;
  const context = new CaseContext(cases[0]!, [subject], new Instrument());
  ready(context);
  for (const step of cases[0]!.steps) await runStep(context, step, async (name) => probes[name]);
  return context;
}
