import { readBytes } from '../../ffi/memory.ts';
import { Client } from '../../pjrt/client.ts';
import { type NamedValue, readNamedValues } from '../../pjrt/named-values.ts';
import type { CaseContext } from '../../steps/context.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { wordOption } from './probe-options.ts';

const NAME = 'PJRT_Plugin_Attributes';
const COMMON = ['xla_version', 'stablehlo_current_version', 'stablehlo_minimum_version'] as const;

/** What PJRT_Plugin_Attributes says: `keys`, `versions`, `lifetime` (across a client's life), `repeat`, `old-size`. */
export const pluginAttributes: Probe = (context, options) => {
  const checks = { keys, versions, repeat, lifetime, 'old-size': oldSize };
  checks[wordOption(options, 'aspect', ['keys', 'versions', 'repeat', 'lifetime', 'old-size'])](context);
};

const fail = (message: string, requirement?: string): never => {
  throw new CheckFailure({
    type: 'pjrt.BadAttributes',
    message,
    call: NAME,
    ...(requirement ? { requirements: [requirement] } : {}),
  });
};

function keys(context: CaseContext): void {
  const names = context.plugin.attributes().map((v) => v.name);
  const missing = COMMON.filter((key) => !names.includes(key));
  if (missing.length > 0) fail(`the plugin's attributes lack ${missing.join(', ')}`);
}

/** Versions are lists that frameworks index without a look at the length. */
function versions(context: CaseContext): void {
  const attributes = context.plugin.attributes();
  const version = (key: string): number[] | undefined => {
    const found = attributes.find((v) => v.name === key);
    if (!found) return undefined;
    const { value } = found;
    if (found.type !== 2 || !Array.isArray(value)) fail(`${key} is no list of int64`, 'PLG-ATT-005');
    if ((value as number[]).length < 3)
      fail(`${key} has ${(value as number[]).length} elements, expected at least 3`, 'PLG-ATT-005');
    return value as number[];
  };
  const current = version('stablehlo_current_version');
  const minimum = version('stablehlo_minimum_version');
  version('sdy_current_version');
  if (!current || !minimum) return;
  const order = current.map((n, i) => Math.sign(n - (minimum[i] ?? 0))).find((sign) => sign !== 0) ?? 0;
  if (order < 0) {
    context.report({
      type: 'pjrt.BadAttributes',
      level: 'should',
      message: `stablehlo_minimum_version ${minimum.join('.')} is newer than stablehlo_current_version ${current.join('.')}`,
      call: NAME,
      requirements: ['PLG-ATT-007'],
    });
  }
}

interface Image {
  pointer: bigint;
  count: number;
  values: NamedValue[];
}

const image = (context: CaseContext): Image =>
  context.api.invoke(
    NAME,
    () => {},
    (call) => {
      const pointer = call.word('attributes');
      const count = call.size('num_attributes');
      return { pointer, count, values: readNamedValues(context.api, pointer, count) };
    },
  );

const text = (values: readonly NamedValue[]): string =>
  JSON.stringify(values, (_, v) => (typeof v === 'bigint' ? `${v}n` : v));

function repeat(context: CaseContext): void {
  const first = image(context);
  const bytes = readBytes(first.pointer, first.count * context.api.pluginStruct('PJRT_NamedValue').size);
  for (let i = 0; i < 10; i++) {
    if (text(image(context).values) !== text(first.values)) fail('the attributes differ from call to call');
    // After each call: a plugin that changes between two arrays has the first one right again every other time.
    const now = readBytes(first.pointer, bytes.length);
    if (now.some((b, at) => b !== bytes[at])) fail('the array that the first call gave has changed');
  }
}

/** The first array is still good when a client has come and gone, and a new call says the same. */
function lifetime(context: CaseContext): void {
  const first = image(context);
  const client = Client.create(context.api, context.arena, context.seats[0]!.setup.options);
  const during = text(image(context).values);
  client.destroy();
  const after = text(image(context).values);
  const again = text(readNamedValues(context.api, first.pointer, first.count));
  if (during !== text(first.values)) fail('the attributes change while there is a client');
  if (after !== text(first.values)) fail('the attributes change after a client was destroyed');
  if (again !== text(first.values)) fail('the array of the first call is not what it was once a client was destroyed');
}

/** Frameworks built before June 2025 declare 24 bytes, because the header did, and read the count all the same. */
function oldSize(context: CaseContext): void {
  const expected = context.plugin.attributes().length;
  const call = context.api.begin(NAME);
  try {
    call.reset(24);
    call.run();
    const count = call.size('num_attributes');
    if (count !== expected) fail(`with struct_size 24 num_attributes is ${count}, expected ${expected}`);
  } finally {
    context.instrument.breadcrumb?.idle();
    context.api.finish(call);
  }
}
