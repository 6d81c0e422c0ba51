import { checkOptimizedModule } from '../../../knowledge/programs/optimized-module.ts';
import { ProgramError } from '../../../knowledge/programs/program.ts';
import type { Block } from '../../ffi/memory.ts';
import { compareCanary, fillCanary } from '../../pjrt/canary.ts';
import type { Executable } from '../../pjrt/executable.ts';
import { textOf } from '../../pjrt/strings.ts';
import { compileProgram } from '../../steps/compile.ts';
import type { CaseContext } from '../../steps/context.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import { probe, program } from '../probe.ts';

const CALL = 'PJRT_Executable_OptimizedProgram';
const POISON = 0xcd;
const TWO_GIB = 2 ** 31;

/** The two calls for an optimized program: first its size and format, then its bytes, exactly as many. */
export const optimizedProgram = probe('optimized-program', { program }, (context, { program }) => {
  const executable = context.scope.own(compileProgram(context, program).getExecutable());
  const { size, format } = askSize(context, executable);
  const fail = (
    message: string,
    requirement: string,
    type: 'pjrt.AssertionFailed' | 'pjrt.MemoryOverrun' = 'pjrt.AssertionFailed',
  ) => {
    throw new CheckFailure({ type, message: `${CALL} ${message}`, call: CALL, requirements: [requirement] });
  };
  if (size === 0) fail('says that the program has no bytes', 'EXE-OPP-001');
  if (size >= TWO_GIB) fail(`says that the program has ${size} bytes; frameworks abort from 2 GiB on`, 'EXE-OPP-005');
  if (!['hlo_with_config', 'mlir'].includes(format))
    fail(
      `says that the format is ${JSON.stringify(format)}; frameworks read "hlo_with_config" and "mlir"`,
      'EXE-OPP-004',
    );
  const code = poisoned(context, size);
  const answer = ask(context, executable, code.address, size);
  if (!compareCanary(code, size))
    fail(`wrote after the ${size} bytes it had asked for`, 'EXE-OPP-002', 'pjrt.MemoryOverrun');
  if (code.bytes.subarray(0, size).every((b) => b === POISON)) fail('wrote nothing into the buffer', 'EXE-OPP-002');
  const wrong = notAProgram(format, code.bytes.subarray(0, size));
  if (wrong !== undefined) fail(`gives what is no program in the format ${format}: ${wrong}`, 'EXE-OPP-006');
  if (answer.size !== size || askSize(context, executable).size !== size)
    fail(`gives a different size than ${size} when called again`, 'EXE-OPP-005');
  const other = context.scope.own(compileProgram(context, OTHER).getExecutable());
  if (askSize(context, executable).size !== size)
    fail(`gives a different size than ${size} when another program has been compiled`, 'EXE-OPP-005');
  const { size: otherSize } = askSize(context, other);
  const otherCode = poisoned(context, otherSize);
  ask(context, other, otherCode.address, otherSize);
  const again = poisoned(context, size);
  ask(context, executable, again.address, size);
  const isOther = otherSize <= size && same(again, otherCode, otherSize) && !same(code, otherCode, otherSize);
  if (isOther) fail('gives the program of another executable, whose size was asked for meanwhile', 'EXE-OPP-002');
});

const same = (a: Block, b: Block, size: number): boolean =>
  Buffer.compare(a.bytes.subarray(0, size), b.bytes.subarray(0, size)) === 0;

const OTHER = 'args/none';

/** Why the code is not what its format says. */
function notAProgram(format: string, code: Uint8Array): string | undefined {
  try {
    checkOptimizedModule(format, code);
    return undefined;
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error;
    return error.message;
  }
}

/** Asks for size and format with a null code pointer. */
export const askSize = (context: CaseContext, executable: Executable): { size: number; format: string } =>
  ask(context, executable, 0n, 0);

/** One call; the format pointer of the struct holds rubbish before, because frameworks leave it uninitialised. */
export function ask(
  context: CaseContext,
  executable: Executable,
  code: bigint,
  size: number,
): { size: number; format: string } {
  const { api, arena } = context;
  const rubbish = arena.text('????');
  const program = api.make(arena, 'PJRT_Program');
  const view = program.at(0);
  view.setWord('code', code);
  view.setSize('code_size', size);
  view.setWord('format', rubbish.address);
  view.setSize('format_size', 4);
  api.invoke(CALL, (call) => {
    call.setWord('executable', executable.pointer);
    call.setWord('program', program.address);
  });
  return { size: view.size('code_size'), format: textOf(view, 'format') };
}

/** A poisoned buffer with a canary behind it. */
export function poisoned(context: CaseContext, size: number): Block {
  const block = context.arena.alloc(size + 4096, 64);
  block.bytes.fill(POISON);
  fillCanary(block, size);
  return block;
}
