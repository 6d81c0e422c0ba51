import { decodeCompileOptions, decodeDeviceAssignment } from '../../knowledge/programs/compile-options.ts';
import { ProgramError } from '../../knowledge/programs/program.ts';
import { decodeShape } from '../../knowledge/programs/shape.ts';
import type { Message, MessageFact, StepBody } from '../../suite/types.ts';
import type { CaseContext } from './context.ts';
import type { Origin } from './origin.ts';
import { CheckFailure, SuiteFault } from './outcome.ts';

/** `decode`: what a message says that the plugin serialized. */
export function decode(context: CaseContext, step: Extract<StepBody, { verb: 'decode' }>): void {
  const bytes = context.resolve(step.of);
  if (!(bytes instanceof Uint8Array)) throw new SuiteFault(`${step.of} is not bytes`);
  const origins = context.originsOf(step.of);
  const facts = factsOf(step.message, bytes, origins);
  for (const [name, fact] of Object.entries(step.as)) {
    if (!(fact in facts)) throw new SuiteFault(`${step.message} has no ${fact}`);
    context.bind(
      name,
      facts[fact],
      origins.map((origin) => ({ ...origin, text: `${fact} in ${origin.text}`, field: undefined })),
    );
  }
}

function factsOf(
  message: Message,
  bytes: Uint8Array,
  origins: readonly Origin[],
): Partial<Record<MessageFact, unknown>> {
  try {
    return MESSAGES[message](bytes);
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error;
    const [origin] = origins;
    const message = `${origin?.text ?? 'what the plugin serialized'} cannot be parsed: ${error.message}`;
    throw new CheckFailure({ type: 'pjrt.BadData', message, call: origin?.call });
  }
}

const MESSAGES: Readonly<Record<Message, (bytes: Uint8Array) => Partial<Record<MessageFact, unknown>>>> = {
  'compile-options': (bytes) => {
    const { numReplicas, numPartitions, deviceAssignment, portable, debug, overrides } = decodeCompileOptions(bytes);
    return {
      num_replicas: numReplicas,
      num_partitions: numPartitions,
      device_assignment: deviceAssignment?.flat() ?? [],
      portable,
      debug: debug ?? {},
      overrides,
    };
  },
  'device-assignment': (bytes) => {
    const rows = decodeDeviceAssignment(bytes);
    return { num_replicas: rows.length, num_partitions: rows[0]?.length ?? 0, device_assignment: rows.flat() };
  },
  shape: (bytes) => {
    const { elementType, dimensions, minorToMajor } = decodeShape(bytes);
    return { element_type: elementType, dimensions, minor_to_major: minorToMajor };
  },
};
