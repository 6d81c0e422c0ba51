import { expect, test } from 'vitest';
import { Abi } from '../abi/index.ts';
import { RecordedStruct } from './arguments.ts';
import { describeFields } from './describe.ts';
import type { Memory } from './format.ts';

const MINOR = 100;
const abi = Abi.at(MINOR);
const about = { minor: MINOR, object: (type: string) => type };
const [OPTIONS, NAME] = [0x1000n, 0x2000n];

/** Arguments with one option, whose list is said to have so many, and has these bytes. */
function options(count: number, bytes: number): Record<string, unknown> {
  const value = abi.struct('PJRT_NamedValue');
  const option = Buffer.alloc(value.size);
  option.writeBigUInt64LE(NAME, value.field('name').offset);
  option.writeBigUInt64LE(3n, value.field('name_size').offset);
  option.writeInt32LE(1, value.field('type').offset);
  option.writeBigInt64LE(42n, value.field('string_value').offset);
  const layout = abi.argsOf('PJRT_Client_Create');
  const args = Buffer.alloc(layout.size);
  args.writeBigUInt64LE(OPTIONS, layout.field('create_options').offset);
  args.writeBigUInt64LE(BigInt(count), layout.field('num_options').offset);
  const memory = (address: bigint, data: Buffer): Memory => ({
    ...{ address, bytes: data.length, form: 'inline', what: 'arguments', data },
  });
  const struct = new RecordedStruct(layout, args, [
    memory(OPTIONS, option.subarray(0, bytes)),
    memory(NAME, Buffer.from('two')),
  ]);
  return describeFields(struct, 'inputs', about);
}

test('options are names with values', () => {
  const { size } = abi.struct('PJRT_NamedValue');
  expect(options(1, size)).toMatchObject({ create_options: [{ name: 'two', value: 42 }] });
});

test('options that a damaged list has no room for have no values', () => {
  const { size } = abi.struct('PJRT_NamedValue');
  expect(options(3, size)).toMatchObject({ create_options: [{ value: null }, { value: null }, { value: null }] });
});
