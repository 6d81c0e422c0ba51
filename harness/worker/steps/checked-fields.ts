import type { Field } from '../../knowledge/abi/index.ts';
import type { Call } from '../pjrt/call.ts';
import type { CaseContext } from './context.ts';
import { CheckFailure } from './outcome.ts';
import { runValidCall } from './run-valid-call.ts';

const POISONS = [0xa5, 0x5a] as const;

/**
 * A call with valid arguments: it works or says that it is not offered, it writes every output, it leaves the inputs as
 * they were. Outputs are poisoned with two patterns in turn, so that a value that looks like one of them does not count.
 */
export function checkFields(context: CaseContext, name: string): void {
  const unwritten: string[][] = [];
  for (const poison of POISONS) {
    const found = runPoisoned(context, name, poison);
    if (found === undefined) return;
    unwritten.push(found);
  }
  const never = unwritten[0]!.filter((field) => unwritten[1]!.includes(field));
  if (never.length > 0) {
    throw new CheckFailure({
      type: 'pjrt.OutputMissing',
      message: `${name} succeeded without writing ${never.join(', ')}`,
      call: name,
      requirements: ['ABI-ARGS-009'],
    });
  }
}

/** @returns outputs that still hold the poison, or undefined when the call failed */
function runPoisoned(context: CaseContext, name: string, poison: number): string[] | undefined {
  const unwritten: string[] = [];
  let changed: readonly string[] = [];
  let changedInputs = (): readonly string[] => [];
  const { error } = runValidCall(context, name, {
    before: (call, given) => {
      for (const field of call.layout.outputs) if (!given.has(field.name)) call.fieldBytes(field.name).fill(poison);
      changedInputs = watchInputs(call);
    },
    after: (call, failed) => {
      changed = changedInputs();
      if (failed) return;
      // Looked at before any is settled: whether a list is empty is in another field.
      const empty = call.layout.outputs.filter((field) => isEmptyList(call, field));
      for (const field of call.layout.outputs)
        settleOutput(call, field, poison, empty.includes(field) ? [] : unwritten);
    },
  });
  reportChanged(context, name, changed);
  if (!error) return unwritten;
  if (error.codeName !== 'UNIMPLEMENTED') {
    context.report({
      type: 'pjrt.WrongError',
      level: 'should',
      message: `${name} returned ${error.codeName} to valid arguments; only UNIMPLEMENTED means not offered`,
      detail: `message: ${error.text}`,
      call: name,
      code: error.codeName,
      requirements: ['ABI-SLOT-002'],
    });
  }
  return undefined;
}

/** The input fields of a call as they are now. @returns those that have changed when it is called */
export function watchInputs(call: Call): () => string[] {
  const before = call.layout.inputs.map(({ name }) => [name, call.fieldBytes(name).slice()] as const);
  return () => before.flatMap(([name, bytes]) => (Buffer.compare(call.fieldBytes(name), bytes) === 0 ? [] : [name]));
}

/** Reports input fields that a call has changed. */
export function reportChanged(context: CaseContext, name: string, changed: readonly string[]): void {
  if (changed.length === 0) return;
  context.report({
    type: 'pjrt.InputModified',
    level: 'should',
    message: `${name} changed its inputs: ${changed.join(', ')}`,
    call: name,
    requirements: ['ABI-ARGS-010'],
  });
}

/** Whether the plugin says that a list has no elements; where it is then means nothing. */
const isEmptyList = (call: Call, { count }: Field): boolean =>
  count !== undefined && call.layout.has(count) && call.fieldBytes(count).every((b) => b === 0);

/** Takes note of an output that was not written, and zeroes it: nobody may take the poison for a handle. */
function settleOutput(call: Call, field: Field, poison: number, unwritten: string[]): void {
  const bytes = call.fieldBytes(field.name);
  if (bytes.every((b) => b === poison)) {
    // Without its flag the value means nothing: whether it was written does not matter.
    if (field.flag === undefined) unwritten.push(field.name);
    bytes.fill(0);
  } else if (field.type === 'bool' && bytes[0]! > 1) unwritten.push(`${field.name} (neither true nor false)`);
}
