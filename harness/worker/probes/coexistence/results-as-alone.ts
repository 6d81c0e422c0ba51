import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../../../base/make-directory.ts';
import { fromBytes, type HostArray } from '../../../knowledge/numerics/array.ts';
import { compareArrays } from '../../../knowledge/numerics/compare.ts';
import { dtype } from '../../../knowledge/numerics/dtypes.ts';
import { generate } from '../../../knowledge/numerics/generate.ts';
import { loadProgram } from '../../../knowledge/programs/programs.ts';
import { POISON } from '../../pjrt/buffer.ts';
import type { Client } from '../../pjrt/client.ts';
import type { LoadedExecutable } from '../../pjrt/executable.ts';
import type { CaseContext, Subject } from '../../steps/context.ts';
import { mismatchText } from '../../steps/judge-numbers.ts';
import { NotSupported, SuiteFault } from '../../steps/outcome.ts';
import { list, probe, program } from '../probe.ts';
import { compileFor, download, upload } from '../support/client-work.ts';
import { clientOf, type Member, onBehalf, othersOf } from './company.ts';

const ROUNDS = 3;

/** What is known of the results of a program in processes without company. */
type Kept = { outputs: { dtype: string; shape: number[]; base64: string }[] } | { differs: string };

/**
 * Runs programs on all plugins by turns: each gives the bits that it gives alone, where that is known, and the same bits in
 * every round. A plugin alone keeps its results; what differs alone, in rounds or processes, is not compared in company.
 */
export const resultsAsAlone = probe('results-as-alone', { programs: list(program) }, (context, { programs }) => {
  if (!Array.isArray(programs)) throw new SuiteFault('the probe needs the option programs');
  const members: Member[] = [];
  for (const subject of context.subjects) {
    onBehalf(context, subject, `creating a client beside ${othersOf(context, subject)}`, () => {
      const client = clientOf(context, subject);
      if (client) members.push({ subject, client: context.scope.own(client) });
    });
  }
  if (members.length === 0) throw new NotSupported('no plugin creates a client');
  for (const program of programs as string[]) compareProgram(context, members, program);
});

function compareProgram(context: CaseContext, members: readonly Member[], program: string): void {
  const runs = members.flatMap(({ subject, client }) => {
    const run = prepared(context, subject, client, program);
    return run ? [{ subject, run, earlier: keptOf(subject, program), rounds: 0 }] : [];
  });
  const violated = new Set<Subject>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const line of round % 2 === 0 ? runs : [...runs].reverse()) {
      if (violated.has(line.subject)) continue;
      onBehalf(context, line.subject, `running ${program}`, () => {
        // What follows a failure follows from it.
        violated.add(line.subject);
        const outputs = line.run();
        const where = line.rounds++ === 0 ? 'alone' : 'in the round before';
        if (line.earlier && 'differs' in line.earlier) return;
        if (line.earlier && !judged(context, line.subject, program, line.earlier.outputs, outputs, where)) return;
        line.earlier = { outputs: outputs.map(packed) };
        violated.delete(line.subject);
      });
    }
  }
  for (const { subject, earlier } of runs) if (earlier && subject.setup.alone?.keeps) keep(subject, program, earlier);
}

/** Compiles a program and sends its inputs. @returns a run of it; undefined if the plugin does not offer it */
function prepared(
  context: CaseContext,
  subject: Subject,
  client: Client,
  program: string,
): (() => HostArray[]) | undefined {
  let run: (() => HostArray[]) | undefined;
  onBehalf(context, subject, `compiling ${program}`, () => {
    const executable = context.scope.own(compileFor(context, client, program));
    run = () => outputsOf(context, client, executable, program);
  });
  return run;
}

function outputsOf(context: CaseContext, client: Client, executable: LoadedExecutable, name: string): HostArray[] {
  const { arena } = context;
  const { inputs, outputs } = loadProgram(name);
  const buffers = inputs.map(({ dtype: type, shape, data }, i) =>
    upload(arena, client, generate(data ?? { hash: { dtype: type, shape: [...shape], seed: i + 1, range: 60 } })),
  );
  const ran = executable.execute(arena, [buffers], { events: true });
  for (const event of ran.events) {
    event.await();
    event.destroy();
  }
  const arrays = ran.outputs[0]!.map((buffer, i) => {
    const like = generate({ iota: { dtype: outputs[i]!.dtype, shape: [...outputs[i]!.shape] } });
    return download(arena, buffer, like);
  });
  for (const handle of [...buffers, ...ran.outputs.flat()]) handle.destroy();
  return arrays;
}

/** @returns whether the outputs are those of before */
function judged(
  context: CaseContext,
  subject: Subject,
  program: string,
  earlier: Extract<Kept, { outputs: unknown }>['outputs'],
  outputs: readonly HostArray[],
  where: string,
): boolean {
  for (const [i, actual] of outputs.entries()) {
    const comparison = compareArrays(unpacked(earlier[i]!), actual, 'bits', { poison: POISON });
    if (comparison.ok) continue;
    const { name, alone } = subject.setup;
    if (alone?.keeps) {
      const differs = where === 'alone' ? 'in another process' : 'when it runs again';
      keep(subject, program, { differs });
      const message = `${program} gives other bits ${differs}, without company: it is not compared in company`;
      context.report({ type: 'pjrt.NumericMismatch', level: 'info', message, plugin: name });
      return false;
    }
    const { message, ...more } = mismatchText(`output ${i}`, comparison);
    context.report({
      type: 'pjrt.NumericMismatch',
      message: `${program} on ${name} gives other bits beside ${othersOf(context, subject)} than ${where}: ${message}`,
      ...more,
      call: 'PJRT_LoadedExecutable_Execute',
      plugin: name,
    });
    return false;
  }
  return true;
}

const packed = ({ dtype: type, shape, bytes }: HostArray) => ({
  dtype: type.name,
  shape: [...shape],
  base64: Buffer.from(bytes).toString('base64'),
});

const unpacked = ({ dtype: name, shape, base64 }: ReturnType<typeof packed>): HostArray =>
  fromBytes(dtype(name), shape, new Uint8Array(Buffer.from(base64, 'base64')));

const fileOf = (directory: string, program: string): string => join(directory, `${program.replaceAll('/', '.')}.json`);

function keptOf({ setup: { alone } }: Subject, program: string): Kept | undefined {
  const file = alone && fileOf(alone.directory, program);
  return file !== undefined && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Kept) : undefined;
}

function keep({ setup: { alone } }: Subject, program: string, kept: Kept): void {
  makeDirectory(alone!.directory);
  writeFileSync(fileOf(alone!.directory, program), JSON.stringify(kept));
}
