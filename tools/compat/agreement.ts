import { MOMENTS, type Prediction } from '../../harness/verdict/frameworks/prediction.ts';
import type { Observation } from './observation.ts';

/** Whether a prediction agrees with an observation; each difference in words. */
export type Agreement = { agrees: true } | { agrees: false; differences: string[] };

/** Prediction for the common workload: limits concern what it does not do. */
const promised = ({ outcome }: Prediction): string => (outcome === 'limits' ? 'works' : outcome);

/** Meaning of a prediction on this machine: if no client can be created, the plugin's error comes first. */
function here(prediction: Prediction): Prediction {
  const { outcome, moment, noClient } = prediction;
  if (noClient === undefined) return prediction;
  const earlier = moment !== undefined && MOMENTS.indexOf(moment) <= MOMENTS.indexOf('client creation');
  if (earlier && outcome !== 'unknown') return prediction;
  return { ...prediction, outcome: 'refuses', moment: 'client creation', message: noClient };
}

/**
 * They agree if the class of the outcome is the same (wrong results: wherever they show), a refusal or death occurs in the same phase, and the predicted message
 * of a refusal is in the one that the user saw. A plugin that could not be loaded (no prediction) must not give a client in
 * JAX either.
 */
export function compare(general: Prediction | undefined, observation: Observation): Agreement {
  const differences: string[] = [];
  if (general === undefined) {
    const early = observation.moment === 'import' || observation.moment === 'client creation';
    return early
      ? { agrees: true }
      : { agrees: false, differences: [`it cannot be loaded, but it ${happened(observation)}`] };
  }
  const prediction = here(general);
  const outcome = promised(prediction);
  if (outcome !== observation.outcome) {
    differences.push(`${said(prediction)}, but it ${happened(observation)}`);
  } else if (outcome !== 'works' && outcome !== 'wrong') {
    if (prediction.moment !== observation.moment)
      differences.push(`${said(prediction)}, but it ${happened(observation)}`);
    if (outcome === 'refuses') differences.push(...messageDifference(prediction, observation));
  }
  return differences.length === 0 ? { agrees: true } : { agrees: false, differences };
}

const said = ({ outcome, moment, reason }: Prediction): string =>
  `predicted: ${outcome}${moment === undefined ? '' : ` at ${moment}`} (${reason})`;

const happened = ({ outcome, moment, message }: Observation): string =>
  `${outcome}${moment === undefined ? '' : ` at ${moment}`}${message === undefined ? '' : ` (${message})`}`;

function messageDifference({ message }: Prediction, seen: Observation): string[] {
  if (message === undefined) return [`no message was predicted, and users see: ${seen.message}`];
  return seen.message?.includes(message) ? [] : [`predicted the message: ${message}; users see: ${seen.message}`];
}
