import type { Probe } from '../../steps/steps.ts';
import { jobAlone, jobCollective, jobPair } from './collectives.ts';
import {
  jobGarbledStore,
  jobLateNode,
  jobLostNode,
  jobLostWhileMeeting,
  jobMissingNode,
  jobOtherIdea,
  jobSlowStore,
  jobTwins,
  jobWithoutStore,
} from './faults.ts';
import {
  jobAddressable,
  jobAgain,
  jobDevices,
  jobEnd,
  jobProcesses,
  jobProcessIndex,
  jobStore,
  jobTopology,
} from './start.ts';

/** Probes of this area, by the names of names.ts. */
export const PROBES: Readonly<Record<string, Probe>> = {
  'job-process-index': jobProcessIndex,
  'job-devices': jobDevices,
  'job-addressable': jobAddressable,
  'job-topology': jobTopology,
  'job-store': jobStore,
  'job-processes': jobProcesses,
  'job-end': jobEnd,
  'job-again': jobAgain,
  'job-alone': jobAlone,
  'job-collective': jobCollective,
  'job-pair': jobPair,
  'job-slow-store': jobSlowStore,
  'job-without-store': jobWithoutStore,
  'job-garbled-store': jobGarbledStore,
  'job-late-node': jobLateNode,
  'job-missing-node': jobMissingNode,
  'job-lost-while-meeting': jobLostWhileMeeting,
  'job-lost-node': jobLostNode,
  'job-twins': jobTwins,
  'job-other-idea': jobOtherIdea,
};
