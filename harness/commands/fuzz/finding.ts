/** A finding as files: a suite that `run --suites` takes, and its program. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Document, isCollection, visit } from 'yaml';
import { makeDirectory } from '../../base/make-directory.ts';
import { writeNpy } from '../../knowledge/arrays/npy.ts';
import { type HostArray, reader } from '../../knowledge/numerics/array.ts';
import type { Compare } from '../../knowledge/numerics/data.ts';
import type { StepBody } from '../../suite/types.ts';
import { programSteps } from './execute.ts';
import type { Program } from './ir.ts';
import { comparisonOf } from './judge.ts';
import { printProgram } from './print.ts';
import type { Known } from './rule.ts';

/** Most elements of an array that is written into the suite; larger ones have a file. */
const INLINE = 256;

/** What is written about a finding. */
interface FindingFiles {
  /** `SEED-NUMBER` of the program that was found. */
  id: string;
  message: string;
  oracle: string;
  program: Program;
  known: readonly Known[];
  /** What the oracle returns; absent if only running was judged. */
  expected: readonly HostArray[] | undefined;
}

/** Writes the suite of a finding. @param directory the directory of the campaign */
export function writeFinding(directory: string, finding: FindingFiles): string {
  const { id, program, expected } = finding;
  const suites = join(directory, 'suites', id);
  makeDirectory(suites);
  writeFileSync(join(suites, 'program.mlir'), printProgram(program));
  for (const [i, array] of (expected ?? []).entries()) {
    if (isLarge(array)) writeFileSync(join(suites, `out${i}.npy`), writeNpy(array));
  }
  const file = join(suites, 'suite.yaml');
  writeFileSync(file, suiteText(finding));
  return file;
}

const isLarge = ({ bytes, dtype }: HostArray): boolean => bytes.length / dtype.hostBytes > INLINE;

/** The suite as YAML. */
function suiteText({ id, message, oracle, program, known, expected }: FindingFiles): string {
  const checks = (expected ?? []).map((array, i): StepBody => {
    const compare: Compare = comparisonOf(known[program.results[i]!]!.fact);
    const equals = expectedData(array, i);
    return { verb: 'expect', actual: `$out${i}`, equals, ...(compare === 'bits' ? {} : { compare }) };
  });
  const steps = [...programSteps(program, { program: './program.mlir' }), ...checks].map(({ verb, ...rest }) => ({
    [verb]: rest,
  }));
  const judged = expected ? `returns what ${oracle} returns` : `runs, as it does on ${oracle}`;
  const suite = {
    suite: `${id}/suite`,
    description: `Found by fuzzing, program ${id}.`,
    cases: [{ id: 'program', description: `A program ${judged}.`, covers: ['NUM-PRG-001'], steps }],
  };
  const comment = message
    .split('\n')
    .map((line) => `# ${line}`.trimEnd())
    .join('\n');
  const document = new Document(suite);
  // A step is a line.
  visit(document, {
    Pair: (_, { value }, path) => {
      if (isCollection(value) && path.length > DEPTH_OF_STEPS) value.flow = true;
    },
  });
  return `${comment}\n${document.toString({ lineWidth: 0, flowCollectionPadding: false })}`;
}

/** Collections within steps are deeper than this in the tree of the document. */
const DEPTH_OF_STEPS = 7;

function expectedData(array: HostArray, i: number): unknown {
  const { dtype, shape } = array;
  if (isLarge(array)) return { file: { path: `./out${i}.npy`, dtype: dtype.name } };
  const read = reader(array);
  const count = array.bytes.length / dtype.hostBytes;
  const part = dtype.component;
  const digits = (bits: bigint, width: number): string => bits.toString(16).padStart(width / 4, '0');
  const of = Array.from({ length: count }, (_, at) => {
    const bits = BigInt(read(at));
    if (!part) return digits(bits, Math.max(dtype.bits, 4));
    const width = BigInt(part.bits);
    return `${digits(bits & ((1n << width) - 1n), part.bits)},${digits(bits >> width, part.bits)}`;
  });
  return { bits: { dtype: dtype.name, shape, of } };
}
