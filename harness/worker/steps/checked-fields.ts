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
  const changed: string[] = [];
  let inputs = new Map<string, Uint8Array>();
  const { error } = runValidCall(context, name, {
    before: (call, given) => {
      for (const field of call.layout.outputs) if (!given.has(field.name)) call.fieldBytes(field.name).fill(poison);
      inputs = new Map(call.layout.inputs.map((f) => [f.name, call.fieldBytes(f.name).slice()]));
    },
    after: (call, failed) => {
      for (const [field, before] of inputs) {
        if (call.fieldBytes(field).some((b, i) => b !== before[i])) changed.push(field);
      }
      if (failed) return;
      for (const field of call.layout.outputs) settleOutput(call, field, poison, unwritten);
    },
  });
  if (changed.length > 0) {
    context.report({
      type: 'pjrt.InputModified',
      level: 'should',
      message: `${name} changed its inputs: ${changed.join(', ')}`,
      call: name,
      requirements: ['ABI-ARGS-010'],
    });
  }
  if (!error) return unwritten;
  if (error.codeName !== 'UNIMPLEMENTED') {
    context.report({
      type: 'pjrt.WrongError',
      level: 'should',
      message: `${name} returned ${error.codeName} to valid arguments; only UNIMPLEMENTED means not offered`,
      detail: `message: ${error.text}`,
      call: name,
      requirements: ['ABI-SLOT-002'],
    });
  }
  return undefined;
}

/** Takes note of an output that was not written, and zeroes it: nobody may take the poison for a handle. */
function settleOutput(call: Call, field: Field, poison: number, unwritten: string[]): void {
  const bytes = call.fieldBytes(field.name);
  if (bytes.every((b) => b === poison)) {
    // Without its flag the value means nothing: whether it was written does not matter.
    if (field.flag === undefined) unwritten.push(field.name);
    bytes.fill(0);
  } else if (field.type === 'bool' && bytes[0]! > 1) unwritten.push(`${field.name} (neither true nor false)`);
}
