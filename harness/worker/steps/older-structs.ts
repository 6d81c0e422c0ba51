import { Abi } from '../../knowledge/abi/index.ts';
import type { Call } from '../pjrt/call.ts';
import type { CaseContext } from './context.ts';
import { CheckFailure, NotSupported } from './outcome.ts';
import { resizedLayout } from './resized-layout.ts';
import { control, runValidCall } from './run-valid-call.ts';

const DAY_MS = 86_400_000;
const WINDOW_DAYS = 84;

/**
 * The sizes that the struct had in older versions of the API, each in a block that ends right there. Those of the twelve
 * weeks before the plugin's own version should be accepted; older ones may be refused.
 */
export function tryOlderStructs(context: CaseContext, name: string): void {
  const { abi } = context.api;
  const older = olderSizes(abi, `${name}_Args`);
  if (older.length === 0) throw new NotSupported(`${name}_Args has always had the size it has in 0.${abi.minor}`);
  control(context, name);
  for (const { bytes, lastMinor, lastDate } of older) {
    // First with memory behind it, where a write is seen and survived; then in a block that really ends there.
    runValidCall(context, name, {
      structSize: bytes,
      before: (call) => call.bytes.fill(PADDING, bytes),
      after: (call) => expectPadding(call, bytes),
    });
    const answer = runValidCall(context, name, {
      layout: resizedLayout(abi.argsOf(name), bytes),
      structSize: bytes,
    });
    const days = (Date.parse(abi.date) - Date.parse(lastDate)) / DAY_MS;
    if (answer.error && days <= WINDOW_DAYS) {
      context.report({
        type: 'pjrt.WrongError',
        level: 'should',
        message: `${name} refused struct_size ${bytes}, current until 0.${lastMinor}, ${Math.round(days)} days before 0.${abi.minor}`,
        detail: `message: ${answer.error.text}`,
        call: name,
        requirements: ['ABI-ARGS-004'],
      });
    }
  }
}

interface OlderSize {
  bytes: number;
  lastMinor: number;
  /** Day of the last commit with that minor. */
  lastDate: string;
}

/** Sizes that a struct had before, newest first. */
function olderSizes(abi: Abi, struct: string): OlderSize[] {
  const own = abi.struct(struct).structSize;
  const found = new Map<number, OlderSize>();
  for (let minor = abi.minor - 1; minor >= 31; minor--) {
    const then = Abi.at(minor);
    if (!then.hasStruct(struct)) break;
    const bytes = then.struct(struct).structSize;
    if (bytes < own && !found.has(bytes)) found.set(bytes, { bytes, lastMinor: then.minor, lastDate: then.lastDate });
  }
  return [...found.values()];
}

const PADDING = 0xa7;

function expectPadding(call: Call, from: number): void {
  const behind = call.bytes.subarray(from);
  const whole = behind.every((b) => b === PADDING);
  // Nobody may take the pattern for a handle.
  behind.fill(0);
  if (whole) return;
  throw new CheckFailure({
    type: 'pjrt.MemoryOverrun',
    message: `${call.name} wrote past the struct_size of ${from} that it was given`,
    call: call.name,
    requirements: ['ABI-ARGS-002'],
  });
}
