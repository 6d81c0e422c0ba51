import { decodeMessage, messageType } from './message-type.ts';
import { isBytecode } from './mlir/bytecode-header.ts';
import { readSections } from './mlir/bytecode-tables.ts';
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
        signature: { type: 'ProgramShape', id: 4 },
        entryComputationId: { type: 'int64', id: 6 },
        outputs: { type: 'Sharding', id: 12 },
      },
    },
    ProgramShape: { fields: { parameters: { rule: 'repeated', type: 'Shape', id: 1 } } },
    Shape: { fields: { dimensions: { rule: 'repeated', type: 'int64', id: 3 } } },
    // xla.OpSharding, of a tuple with those of its elements.
    Sharding: {
      fields: {
        type: { type: 'int32', id: 1 },
        grid: { rule: 'repeated', type: 'int64', id: 3 },
        devices: { rule: 'repeated', type: 'int64', id: 4 },
        elements: { rule: 'repeated', type: 'Sharding', id: 5 },
        lastCopies: { type: 'bool', id: 6 },
        lastKinds: { rule: 'repeated', type: 'int32', id: 8 },
        iota: { rule: 'repeated', type: 'int64', id: 9 },
        turned: { rule: 'repeated', type: 'int32', id: 10 },
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

interface ShardingMessage {
  type?: number;
  grid?: string[];
  devices?: string[];
  elements?: ShardingMessage[];
  lastCopies?: boolean;
  lastKinds?: number[];
  iota?: string[];
  turned?: number[];
}

interface ModuleMessage {
  hloModule?: {
    computations?: ComputationMessage[];
    signature?: { parameters?: { dimensions?: string[] }[] };
    entryComputationId?: string;
    outputs?: ShardingMessage;
  };
}

/** The shapes that each device has of the parameters; undefined if the module does not say it. @throws ProgramError */
export function parameterShapes(format: string, code: Uint8Array): number[][] | undefined {
  if (format !== 'hlo_with_config') return undefined;
  const { hloModule }: ModuleMessage = decodeMessage(moduleType, 'an HloModuleProtoWithConfig', code, String);
  return hloModule?.signature?.parameters?.map(({ dimensions = [] }) => dimensions.map(Number));
}

/** How the compiler has cut a result, in the notation of mhlo.sharding; undefined if the module does not say it. @throws ProgramError */
export function outputSharding(format: string, code: Uint8Array, result: number): string | undefined {
  if (format !== 'hlo_with_config') return undefined;
  const { hloModule }: ModuleMessage = decodeMessage(moduleType, 'an HloModuleProtoWithConfig', code, String);
  const { outputs } = hloModule ?? {};
  const own = outputs?.elements ? outputs.elements[result] : outputs;
  if (own?.type === undefined || own.type === 0) return own && '{replicated}';
  const { type, grid = [], devices = [], lastCopies, lastKinds = [], iota, turned } = own;
  if (type !== 3 || lastKinds.some((kind) => kind !== 0)) return undefined;
  const order = iota ? `<=[${iota}]${turned ? `T(${turned})` : ''}` : devices.join(',');
  const kinds = lastKinds.map(() => 'replicated').join(',');
  const last = lastCopies ? ' last_tile_dim_replicate' : kinds && ` last_tile_dims={${kinds}}`;
  return `{devices=[${grid}]${order}${last}}`;
}

/** Checks that an optimized program is what its format says, as far as readers need it. @throws ProgramError */
export function checkOptimizedModule(format: string, code: Uint8Array): void {
  if (format === 'hlo_with_config') checkHlo(code);
  else if (!isBytecode(code)) checkText(code);
  else if (readSections(code, 'MLIR bytecode').sections().size === 0)
    throw new ProgramError('MLIR bytecode without sections');
}

/** XLA's reader needs an entry computation with instructions, one of which is the root. */
function checkHlo(code: Uint8Array): void {
  const message: ModuleMessage = decodeMessage(moduleType, 'an HloModuleProtoWithConfig', code, String);
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
