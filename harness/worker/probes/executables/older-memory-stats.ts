import { Abi } from '../../../knowledge/abi/index.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import { compileProgram } from '../../steps/compile.ts';
import { CheckFailure, NotSupported } from '../../steps/outcome.ts';
import { probe, program } from '../probe.ts';

const CALL = 'PJRT_Executable_GetCompiledMemoryStats';
/** The function came with 0.40. */
const SINCE = 40;
const BEHIND = 0xa7;

/**
 * Callers of earlier versions have smaller structs and say so in struct_size. Refusing them is allowed, writing behind
 * their struct is not.
 */
export const olderMemoryStats = probe('older-memory-stats', { program }, (context, { program }) => {
  const { api } = context;
  const now = api.abi.argsOf(CALL);
  const sizes = new Map<number, number>();
  for (let minor = SINCE; minor < api.abi.minor; minor++) {
    const { structSize } = Abi.at(minor).argsOf(CALL);
    if (structSize < now.structSize) sizes.set(structSize, minor);
  }
  if (sizes.size === 0) throw new NotSupported(`no earlier version has a smaller ${CALL}_Args`);
  const executable = context.scope.own(compileProgram(context, program).getExecutable());
  for (const [size, minor] of sizes) {
    const call = api.begin(CALL);
    try {
      call.reset(size);
      call.setWord('executable', executable.pointer);
      call.bytes.fill(BEHIND, size);
      try {
        call.run();
      } catch (error) {
        if (!(error instanceof PjrtError)) throw error;
      }
      const written = now.fields.filter((f) => f.offset >= size && call.fieldBytes(f.name).some((b) => b !== BEHIND));
      if (written.length === 0) continue;
      throw new CheckFailure({
        type: 'pjrt.MemoryOverrun',
        message: `${CALL} writes ${written.map((f) => f.name).join(', ')} after the ${size} bytes that a caller of 0.${minor} has`,
        call: CALL,
      });
    } finally {
      api.finish(call);
    }
  }
});
