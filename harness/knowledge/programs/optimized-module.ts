import { messageType } from './message-type.ts';
import { ProgramError } from './program.ts';

// Field numbers of XLA's HloModuleProtoWithConfig and of what it holds; what is left out here is skipped.
const moduleType = messageType('ModuleWithConfig', {
  nested: {
    Instruction: {
      fields: { opcode: { type: 'string', id: 2 }, id: { type: 'int64', id: 35 } },
    },
    Computation: {
      fields: {
        instructions: { rule: 'repeated', type: 'Instruction', id: 2 },
        id: { type: 'int64', id: 5 },
        rootId: { type: 'int64', id: 6 },
      },
    },
    Module: {
      fields: {
        computations: { rule: 'repeated', type: 'Computation', id: 3 },
        entryComputationId: { type: 'int64', id: 6 },
      },
    },
    ModuleWithConfig: { fields: { hloModule: { type: 'Module', id: 1 } } },
  },
});

interface ComputationMessage {
  instructions?: { opcode?: string; id?: string }[];
  id?: string;
  rootId?: string;
}

interface ModuleMessage {
  hloModule?: { computations?: ComputationMessage[]; entryComputationId?: string };
}

const BYTECODE_MAGIC = Buffer.from('ML\xefR', 'latin1');

/** Checks that an optimized program is what its format says, as far as readers need it. @throws ProgramError */
export function checkOptimizedModule(format: string, code: Uint8Array): void {
  if (format === 'hlo_with_config') checkHlo(code);
  else if (Buffer.compare(code.subarray(0, BYTECODE_MAGIC.length), BYTECODE_MAGIC) === 0) checkBytecode(code);
  else checkText(code);
}

/** XLA's reader needs an entry computation with instructions, one of which is the root. */
function checkHlo(code: Uint8Array): void {
  let message: ModuleMessage;
  try {
    const type = moduleType();
    message = type.toObject(type.decode(code), { longs: String });
  } catch (error) {
    throw new ProgramError(`not an HloModuleProtoWithConfig (${code.length} bytes): ${(error as Error).message}`);
  }
  const { computations = [], entryComputationId = '0' } = message.hloModule ?? {};
  const entry = computations.find(({ id = '0' }) => id === entryComputationId);
  if (!entry)
    throw new ProgramError(`an HLO module of ${computations.length} computations without the one it begins with`);
  const { instructions = [], rootId = '0' } = entry;
  if (instructions.some(({ opcode }) => !opcode))
    throw new ProgramError('an HLO module with an instruction without opcode');
  if (!instructions.some(({ id = '0' }) => id === rootId)) {
    throw new ProgramError(`an HLO computation of ${instructions.length} instructions without its root`);
  }
}

/** The container of MLIR bytecode: version, producer, and sections that end where the code ends. */
function checkBytecode(code: Uint8Array): void {
  let at = BYTECODE_MAGIC.length;
  const cut = (): never => {
    throw new ProgramError('MLIR bytecode that ends in the middle of a section');
  };
  // A number whose first byte says by its trailing zeros how many bytes follow.
  const number = (): number => {
    const first = code[at++] ?? cut();
    if (first === 0) {
      if (at + 8 > code.length) cut();
      at += 8;
      return Number(Buffer.from(code.subarray(at - 8, at)).readBigUInt64LE());
    }
    const more = 31 - Math.clz32(first & -first);
    let value = BigInt(first);
    for (let i = 1; i <= more; i++) value |= BigInt(code[at++] ?? cut()) << BigInt(8 * i);
    return Number(value >> BigInt(more + 1));
  };
  number();
  const producerEnd = code.indexOf(0, at);
  if (producerEnd < 0) cut();
  at = producerEnd + 1;
  let sections = 0;
  for (; at < code.length; sections++) {
    const aligned = (code[at++]! & 0x80) !== 0;
    const length = number();
    if (aligned) {
      const alignment = number();
      if (alignment > 0) at = Math.ceil(at / alignment) * alignment;
    }
    at += length;
    if (at > code.length) cut();
  }
  if (sections === 0) throw new ProgramError('MLIR bytecode without sections');
}

/** The text of a module begins with its operation, or with aliases and comments before it. */
function checkText(code: Uint8Array): void {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(code);
  } catch {
    throw new ProgramError(`neither MLIR bytecode nor text (${code.length} bytes)`);
  }
  if (text.replace(/\0$/, '').includes('\0')) throw new ProgramError('text with NULs in it');
  const operations = text.replace(/\/\/.*$/gm, '');
  if (!/(?:^|[\s"])(?:builtin\.)?module\b|\bfunc\.func\b/.test(operations) || !operations.includes('{')) {
    throw new ProgramError(`text without a module: ${JSON.stringify(text.slice(0, 40))}`);
  }
}
