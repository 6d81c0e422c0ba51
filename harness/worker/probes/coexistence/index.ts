import type { Probe } from '../../steps/steps.ts';
import { processOfAll } from '../process/fresh-process.ts';
import { clientsSideBySide } from './clients-side-by-side.ts';
import { resultsAsAlone } from './results-as-alone.ts';
import { stateByPlugin } from './state-by-plugin.ts';

/** Probes of this area by the name that suites use. */
export const PROBES: Readonly<Record<string, Probe>> = {
  'clients-side-by-side': clientsSideBySide,
  'process-of-all': processOfAll,
  'results-as-alone': resultsAsAlone,
  'state-by-plugin': stateByPlugin,
};
