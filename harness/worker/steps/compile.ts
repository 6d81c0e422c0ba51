import { createHash } from 'node:crypto';
import { isBytecode } from '../../knowledge/programs/mlir/bytecode-header.ts';
import { isProgramFile } from '../../knowledge/programs/program-file.ts';
import { loadProgram } from '../../knowledge/programs/programs.ts';
import { newestAcceptable } from '../../knowledge/programs/stablehlo-version.ts';
import type { CompileOptions, StepBody } from '../../suite/types.ts';
import type { Calls } from '../pjrt/calls.ts';
import type { Client } from '../pjrt/client.ts';
import { errorOf, PjrtError } from '../pjrt/errors.ts';
import type { LoadedExecutable } from '../pjrt/executable.ts';
import type { Plugin } from '../pjrt/plugin.ts';
import { Topology } from '../pjrt/topology.ts';
import { assembledFor, saidToText } from './assembled.ts';
import { compileOptions } from './compile-options.ts';
import type { CaseContext } from './context.ts';
import { compileDeclared } from './declared.ts';
import { expectingError } from './expected-error.ts';
import { answerOf, causeOf, isRefusal, NotSupported, SuiteFault } from './outcome.ts';
import { overwriting } from './overwritten.ts';
import { sharedProgram } from './shared-programs.ts';

type Compile = Extract<StepBody, { verb: 'compile' }>;

/** `compile`: a program becomes a loaded executable of a client, or, for a topology, one that is not loaded. */
export function* compile(context: CaseContext, written: Compile): Calls<void> {
  const { program } = written;
  const step = program === undefined ? written : { ...written, program: context.programOf(program) };
  if (step.topology !== undefined) return yield* compileAhead(context, step);
  const client = context.resolveClient(step.client);
  const code = programBytes(context.subjects.find((s) => s.plugin.api === client.api)!.plugin, step);
  const options = compileOptions(context, step.options, { program: step.program, client });
  const again = overwriting(context.arena, step.overwritten, client.compiling(context.arena, code, 'mlir', options));
  const make = function* (): Calls<LoadedExecutable> {
    const plain = step.error === undefined && !step.overwritten && !context.isLane;
    return plain ? executableFor(context, client, step, code, options) : context.scope.own(yield* again);
  };
  const outcome = yield* expectingError(context, step.error, 'PJRT_Client_Compile', make());
  if ('value' in outcome && step.as !== undefined) context.bind(step.as, outcome.value);
}

/** Compiles for a topology, where no device need be: the executable is not loaded. */
function* compileAhead(context: CaseContext, step: Compile): Calls<void> {
  const topology = context.resolveAs(step.topology!, Topology, 'a topology');
  const code = programBytes(context.subjects.find((s) => s.plugin.api === topology.api)!.plugin, step);
  const client = step.client === undefined ? undefined : context.resolveClient(step.client);
  const options = compileOptions(context, step.options, { program: step.program, topology });
  const calls = overwriting(
    context.arena,
    step.overwritten,
    topology.compiling(context.arena, code, 'mlir', options, client),
  );
  const outcome = yield* expectingError(context, step.error, 'PJRT_Compile', calls);
  if (!('value' in outcome)) return;
  context.scope.own(outcome.value);
  if (step.as !== undefined) context.bind(step.as, outcome.value);
}

/**
 * A committed program, compiled as frameworks send it: for this case, whose scope owns the executable, or, where the case
 * says `programs: shared`, for all cases of the client.
 */
export function compileProgram(context: CaseContext, program: string, options: CompileOptions = {}): LoadedExecutable {
  const code = programBytes(context.plugin, { program });
  return executableOf(context, context.client, program, code, compileOptions(context, options, { program }));
}

/** The same for a program that only keeps the device busy and that no case is about: compiled once for a client. */
export function compileTool(context: CaseContext, program: string): LoadedExecutable {
  const code = programBytes(context.plugin, { program });
  const bytes = compileOptions(context, {}, { program });
  return sharedExecutable(context, context.client, program, code, bytes);
}

/** The same for a case that does to its executable what no other may see. */
export function compileAgain(context: CaseContext, program: string): LoadedExecutable {
  const code = programBytes(context.plugin, { program });
  const bytes = compileOptions(context, {}, { program });
  return context.scope.own(context.client.compile(context.arena, code, 'mlir', bytes));
}

/** A text of the suite's or of the user's is sent as an artifact if the plugin reads nothing else. */
function executableFor(
  context: CaseContext,
  client: Client,
  step: Compile,
  code: Uint8Array,
  options: Uint8Array,
): LoadedExecutable {
  const { program } = step;
  const compile = (bytes: Uint8Array): LoadedExecutable => {
    try {
      return executableOf(context, client, program, bytes, options);
    } catch (error) {
      throw withoutNeed(program, error);
    }
  };
  return isOwnText(step, code) ? compileText(context, client, code, program ?? 'the text', compile) : compile(code);
}

/**
 * Compiles a text, as an artifact if the plugin reads nothing else.
 * @param name the file of the text, for messages
 */
export function compileText(
  context: CaseContext,
  client: Client,
  text: Uint8Array,
  name: string,
  compile: (code: Uint8Array) => LoadedExecutable,
): LoadedExecutable {
  let said = saidToText(client);
  try {
    if (!said) return compile(text);
  } catch (error) {
    said = withoutText(context, client, error);
    if (!said) throw error;
  }
  return compile(assembledFor(context, client, text, name, said));
}

/**
 * A user's program may need what no plugin has to have: targets of custom calls, which frameworks register, and dimensions
 * of unknown size.
 */
function withoutNeed(program: string | undefined, error: unknown): unknown {
  const needs = program !== undefined && isProgramFile(program) ? loadProgram(program).needs : undefined;
  const custom = needs?.ops.includes('custom_call');
  if (!custom && !needs?.dynamic) return error;
  const refused = isRefusal(error) || (error instanceof PjrtError && error.codeName === 'NOT_FOUND');
  const what = custom ? 'a custom call' : 'dimensions of unknown size';
  return refused
    ? new NotSupported(`the plugin refuses a program with ${what}: ${answerOf(error)}`, causeOf(error))
    : error;
}

/** Whether a text of the suite's or of the user's is sent, and its form is not what the case is about. */
const isOwnText = ({ program, text, format }: Compile, code: Uint8Array): boolean =>
  text !== undefined || (program !== undefined && format === undefined && isProgramFile(program) && !isBytecode(code));

function executableOf(
  context: CaseContext,
  client: Client,
  program: string | undefined,
  code: Uint8Array,
  options: Uint8Array,
): LoadedExecutable {
  return context.case.programs === 'shared' && program !== undefined
    ? sharedExecutable(context, client, program, code, options)
    : context.scope.own(compiled(context, client, program, code, options));
}

/** An executable of the client for all cases; the case's own where the client is. */
function sharedExecutable(
  context: CaseContext,
  client: Client,
  program: string,
  code: Uint8Array,
  options: Uint8Array,
): LoadedExecutable {
  const compile = () => compiled(context, client, program, code, options);
  if (!context.subjects.some((subject) => subject.client === client)) return context.scope.own(compile());
  const hash = createHash('sha256').update(code).update(options).digest('hex');
  return sharedProgram(client, `${program} ${hash}`, compile);
}

const compiled = (
  context: CaseContext,
  client: Client,
  program: string | undefined,
  code: Uint8Array,
  options: Uint8Array,
): LoadedExecutable => compileDeclared(context, program, () => client.compile(context.arena, code, 'mlir', options));

/** What a plugin that reads no text at all is asked to compile instead: as plain as programs get. */
const PLAIN = 'misc/add_one';

/**
 * What to throw instead of the error of a program that was sent as text, where the plugin reads artifacts only: then the
 * error is about the form, whatever its code (a parser of artifacts calls text a damaged one).
 * @returns undefined where the plugin reads text, and where it compiles nothing any more
 */
export function withoutText(context: CaseContext, client: Client, error: unknown): NotSupported | undefined {
  if (!(error instanceof PjrtError) || readsText.has(client)) return undefined;
  const refused = plainError(context, client, 'text');
  if (refused === undefined) readsText.add(client);
  if (refused === undefined || plainError(context, client, 'portable') !== undefined) return undefined;
  return new NotSupported(`the plugin reads no StableHLO text: ${answerOf(refused)}`, causeOf(refused));
}

/** Clients that have compiled a text, of which that need not be found out again. */
const readsText = new WeakSet<Client>();

function plainError(context: CaseContext, client: Client, format: 'text' | 'portable'): PjrtError | undefined {
  const { plugin } = context.subjects.find((subject) => subject.plugin.api === client.api)!;
  return errorOf(() => {
    const code = programBytes(plugin, { program: PLAIN, format });
    client.compile(context.arena, code, 'mlir', compileOptions(context, {}, { program: PLAIN, client })).destroy();
  });
}

/** The bytes to send: text, an exact artifact, or the newest artifact that the plugin says it accepts. */
export function programBytes(
  plugin: Plugin,
  what: Pick<Compile, 'program' | 'text' | 'format' | 'version'>,
): Uint8Array {
  if (what.text !== undefined) return Buffer.from(what.text, 'utf8');
  if (what.program === undefined) throw new SuiteFault('compile needs `program` or `text`');
  const program = loadProgram(what.program);
  if (what.format === 'text' && program.hasText) return Buffer.from(program.text(), 'utf8');
  if (what.format === 'text' || program.artifacts.length === 0) return program.bytes();
  if (what.version !== undefined) return program.artifact(what.version);
  const current = plugin.stablehloVersion('current');
  const minimum = plugin.stablehloVersion('minimum');
  const artifact = newestAcceptable(program, current, minimum);
  if (!artifact) {
    // A user's program may be there in both forms. Of a committed one, what is not in older artifacts is too new as text too.
    if (what.version === undefined && program.hasText) return Buffer.from(program.text(), 'utf8');
    const hint = program.hasText === false ? '; with its text beside it, NAME.mlir, that would be sent' : '';
    throw new NotSupported(
      `no portable artifact of ${what.program} is old enough for the plugin's stablehlo_current_version ${current?.join('.')}${hint}`,
    );
  }
  return program.artifact(artifact.version);
}
