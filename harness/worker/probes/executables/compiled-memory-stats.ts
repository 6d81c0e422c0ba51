import { dtype } from '../../../knowledge/numerics/dtypes.ts';
import { loadProgram } from '../../../knowledge/programs/programs.ts';
import { compileProgram } from '../../steps/compile.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import { probe, program } from '../probe.ts';

const CALL = 'PJRT_Executable_GetCompiledMemoryStats';
/** What fields hold before the call: a size that no program of ours has. */
const UNSET = 0x5b5b5b5b5b5b5b5bn;

/** What PJRT_Executable_SizeOfGeneratedCodeInBytes gives where the size is not known, which XLA puts into the struct. */
const UNKNOWN = -1n;

/**
 * Every field that the caller's struct has is set and not negative; arguments and outputs should have at least their bytes. What they
 * say is in the log.
 */
export const compiledMemoryStats = probe('compiled-memory-stats', { program }, (context, { program: name }) => {
  const program = loadProgram(name);
  const executable = context.scope.own(compileProgram(context, program.name).getExecutable());
  const stats = context.api.invoke(
    CALL,
    (call) => {
      call.setWord('executable', executable.pointer);
      for (const field of call.layout.fields) if (field.out) call.setWord(field.name, UNSET);
    },
    (call) => new Map(call.layout.fields.filter((f) => f.out).map((f) => [f.name, call.int64(f.name)])),
  );
  const fail = (message: string) => {
    throw new CheckFailure({ type: 'pjrt.AssertionFailed', message: `${CALL}: ${message}`, call: CALL });
  };
  for (const [name, value] of stats) {
    if (value === UNSET) fail(`${name} was not set`);
    if (value < 0n && !(value === UNKNOWN && name.includes('generated_code_size'))) fail(`${name} is ${value}`);
  }
  const bytes = (arrays: readonly { dtype: string; shape: readonly number[] }[]) =>
    arrays.reduce((sum, a) => sum + a.shape.reduce((x, y) => x * y, 1) * dtype(a.dtype).hostBytes, 0);
  for (const [name, least] of [
    ['argument_size_in_bytes', bytes(program.inputs)],
    ['output_size_in_bytes', bytes(program.outputs)],
  ] as const) {
    if (stats.get(name)! >= BigInt(least)) continue;
    const message = `${CALL}: ${name} is ${stats.get(name)} for ${least} bytes of arrays`;
    context.report({ type: 'pjrt.AssertionFailed', level: 'should', message, call: CALL });
  }
  context.programMemory.push({ program: program.name, bytes: countsOf(stats) });
});

/** Sizes that a log can hold; no program needs more. */
const countsOf = (stats: ReadonlyMap<string, bigint>): Record<string, number> =>
  Object.fromEntries(
    [...stats]
      .filter(([name, value]) => name.endsWith('_bytes') && value >= 0n && value <= MOST)
      .map(([name, value]) => [name, Number(value)]),
  );

const MOST = 10n ** 14n;
