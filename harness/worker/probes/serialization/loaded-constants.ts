import { generate } from '../../../knowledge/numerics/generate.ts';
import { compileText } from '../../steps/compile.ts';
import { compileOptions } from '../../steps/compile-options.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { number, probe } from '../probe.ts';
import { same } from '../support/checks.ts';
import { runOnce } from '../support/sample-run.ts';
import { loadSerialized, serialize } from './load-serialized.ts';

const LOAD = 'PJRT_Executable_DeserializeAndLoad';

/** A program gives a constant of so many numbers, all different, also when it was serialized and loaded. */
export const loadedConstants = probe('loaded-constants', { count: number }, (context, { count }) => {
  const { arena, client, scope } = context;
  const constant = generate({ hash: { dtype: 'f32', shape: [count], seed: 73 } });
  const type = `tensor<${count}xf32>`;
  const literal = `dense<"0x${Buffer.from(constant.bytes).toString('hex')}">`;
  const text = [
    `func.func public @main() -> ${type} {`,
    `  %0 = stablehlo.constant ${literal} : ${type}`,
    `  return %0 : ${type}`,
    '}',
  ].join('\n');
  const code = new TextEncoder().encode(text);
  const original = scope.own(
    compileText(context, client, code, 'a program with a constant', (bytes) =>
      client.compile(arena, bytes, 'mlir', compileOptions(context)),
    ),
  );
  const loaded = loadSerialized(context, serialize(context, original));
  const [output] = runOnce(context, loaded, []);
  same(`a constant of ${count} numbers`, constant, fetchArray(context, output!), LOAD, 'SER-EXE-002');
});
