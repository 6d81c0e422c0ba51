import { PjrtError } from '../../pjrt/errors.ts';
import { compileOptions } from '../../steps/compile-options.ts';
import { expectArray } from '../../steps/expect.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { probe, text } from '../probe.ts';
import { filled } from '../support/checks.ts';
import { runOnce } from '../support/sample-run.ts';

/** Tag of HloModuleProtoWithConfig.hlo_module, a length-delimited field 1. */
const MODULE_TAG = 0x0a;

/**
 * A serialized HLO module, f32[4] plus one, alone or inside an HloModuleProtoWithConfig: compiled, it computes that;
 * a clean refusal is just as right.
 */
export const hloProgram = probe('hlo-program', { module: text, format: text }, (context, { module: hex, format }) => {
  const module = Buffer.from(hex.replace(/\s/g, ''), 'hex');
  const code = format === 'hlo' ? module : Buffer.concat([Buffer.from([MODULE_TAG]), varint(module.length), module]);
  try {
    const executable = context.scope.own(context.client.compile(context.arena, code, format, compileOptions(context)));
    const [output] = runOnce(context, executable, [filled('f32', [4], 3)]);
    expectArray(context, 'the output', filled('f32', [4], 4), fetchArray(context, output!), 'bits');
  } catch (error) {
    if (error instanceof PjrtError && error.call === 'PJRT_Client_Compile') return;
    throw error;
  }
});

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}
