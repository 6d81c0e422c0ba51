import { Abi, NEWEST_MINOR } from '../../../knowledge/abi/index.ts';
import type { Call } from '../../pjrt/call.ts';
import { CheckFailure, NotSupported } from '../../steps/outcome.ts';
import { flag, fn, number, optional, probe } from '../probe.ts';
import { resizedLayout } from './resized-layout.ts';
import { control, runValidCall, type ValidAnswer } from './run-valid-call.ts';

/** A struct of a newer caller: larger by zeroed bytes that this plugin knows nothing of. */
export const callLargerStruct = probe(
  'call-larger-struct',
  { function: fn, bytes: optional(number, 64) },
  (context, { function: name, bytes: more }) => {
    control(context, name);
    const { abi, pluginAbi, version } = context.api;
    const known = [abi.argsOf(name), pluginAbi.argsOf(name)].reduce((a, b) => (b.size > a.size ? b : a));
    const bytes = known.size + more;
    const answer = runValidCall(context, name, {
      layout: resizedLayout(known, bytes),
      structSize: bytes,
      after: (call) => {
        // What a plugin beyond the tables knows of its own structs, nobody here does.
        if (version.minor <= NEWEST_MINOR) expectZeros(call, known.size, bytes);
      },
    });
    expectSuccess(name, answer, `struct_size ${bytes}, as a newer caller declares`);
  },
);

/** The size with the padding at the end, as sizeof gives it, instead of the end of the last field. */
export const callPaddedStruct = probe('call-padded-struct', { function: fn }, (context, { function: name }) => {
  const { size, structSize } = context.api.abi.argsOf(name);
  if (size === structSize) throw new NotSupported(`in this version ${name}_Args has no padding at its end`);
  control(context, name);
  expectSuccess(name, runValidCall(context, name, { structSize: size }), `struct_size ${size}, which is sizeof`);
});

/** A size that is too small: an error, or the plugin does not look; never a crash. */
export const callSmallStruct = probe(
  'call-small-struct',
  { function: fn, size: optional(number, 16), guarded: optional(flag, false) },
  (context, { function: name, size: bytes, guarded }) => {
    const layout = context.api.abi.argsOf(name);
    if (layout.structSize <= bytes) throw new NotSupported(`${name}_Args is not larger than ${bytes} bytes`);
    control(context, name);
    // With `guarded` the memory really ends where the caller says so: reading on is a crash.
    runValidCall(context, name, {
      structSize: bytes,
      ...(guarded ? { layout: resizedLayout(layout, bytes) } : {}),
    });
  },
);

const DAY_MS = 86_400_000;
const WINDOW_DAYS = 84;

/**
 * The sizes that the struct had in older versions of the API, each in a block that ends right there. Those of the twelve
 * weeks before the plugin's own version should be accepted; older ones may be refused.
 */
export const callOlderStruct = probe('call-older-struct', { function: fn }, (context, { function: name }) => {
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
});

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
  if (!whole) throw overrun(call, from);
}

function expectZeros(call: Call, from: number, to: number): void {
  if (call.bytes.subarray(from, to).every((b) => b === 0)) return;
  throw new CheckFailure({
    type: 'pjrt.MemoryOverrun',
    message: `${call.name} wrote into fields that it does not know, behind its own ${from} bytes`,
    call: call.name,
    requirements: ['ABI-ARGS-002'],
  });
}

const overrun = (call: Call, bytes: number): CheckFailure =>
  new CheckFailure({
    type: 'pjrt.MemoryOverrun',
    message: `${call.name} wrote past the struct_size of ${bytes} that it was given`,
    call: call.name,
    requirements: ['ABI-ARGS-002'],
  });

function expectSuccess(name: string, { error }: ValidAnswer, what: string): void {
  if (!error) return;
  throw new CheckFailure({
    type: 'pjrt.UnexpectedError',
    message: `${name} returned ${error.codeName} to ${what}; with the usual size it succeeds`,
    detail: `message: ${error.text}`,
    call: name,
  });
}
