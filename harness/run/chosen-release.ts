import { type Chosen, parseRelease, ReleaseError } from '../frameworks/spec.ts';
import { UsageError } from '../usage-error.ts';

/** The release that an option names. @throws UsageError */
export function chosenRelease(option: string, spec: string): Chosen {
  try {
    return parseRelease(spec);
  } catch (error) {
    if (!(error instanceof ReleaseError)) throw error;
    throw new UsageError(`${option} ${spec}: ${error.message}`);
  }
}
