import { type Argument, Command, Help, InvalidArgumentError, type Option } from 'commander';
import { didYouMean, suggestion } from '../base/did-you-mean.ts';
import type { CommandEnvironment } from '../base/environment.ts';
import { TOOL } from '../base/tool.ts';
import { UsageError } from '../base/usage-error.ts';
import { addBundle } from './commands/bundle.ts';
import { addCoexist } from './commands/coexist.ts';
import { addCompare } from './commands/compare.ts';
import { addCompat } from './commands/compat.ts';
import { addCompletion } from './commands/completion.ts';
import { addCorpus } from './commands/corpus.ts';
import { addCoverage } from './commands/coverage.ts';
import { addDiscover } from './commands/discover.ts';
import { addDoctor } from './commands/doctor.ts';
import { addExplore } from './commands/explore.ts';
import { addExport } from './commands/export.ts';
import { addFuzz } from './commands/fuzz.ts';
import { addHelp } from './commands/help.ts';
import { addInit } from './commands/init.ts';
import { addInspect } from './commands/inspect.ts';
import { addList } from './commands/list.ts';
import { addOpen } from './commands/open.ts';
import { type Done, helpText } from './commands/options.ts';
import { addPrograms } from './commands/programs.ts';
import { addRecord } from './commands/record.ts';
import { addReduce } from './commands/reduce.ts';
import { addReplay } from './commands/replay.ts';
import { addReport } from './commands/report.ts';
import { addResults } from './commands/results.ts';
import { addRun } from './commands/run.ts';
import { addTrace } from './commands/trace.ts';
import { addTrend } from './commands/trend.ts';
import { addValidate } from './commands/validate.ts';
import { addVerify } from './commands/verify.ts';

/**
 * Parses the command line and runs the command.
 * @returns the exit code
 */
export async function runProgram(environment: CommandEnvironment): Promise<number> {
  let code = 0;
  const program = createProgram(environment, (exitCode) => {
    code = exitCode;
  });
  checkFirstWord(program, environment.argv[0]);
  await program.parseAsync([...environment.argv], { from: 'user' });
  return code;
}

/** All commands with their options and help. */
export function createProgram(environment: CommandEnvironment, done: Done): Command {
  const program = new Command(TOOL.name)
    .description(
      'Conformance tests for any PJRT plugin: loads it, runs the suites, survives crashes and hangs, writes a JUnit report.',
    )
    .version(TOOL.version)
    .exitOverride()
    .configureOutput({
      writeOut: (s) => environment.stdout.write(s),
      writeErr: (s) => environment.stderr.write(s),
      outputError: (message, write) => write(inOwnWords(message)),
    })
    .showSuggestionAfterError()
    .showHelpAfterError('(--help shows all options)')
    .configureHelp({ formatHelp });

  addRun(program, environment, done);
  addPrograms(program, environment, done);
  addReplay(program, environment, done);
  addCorpus(program, environment, done);
  addReport(program, environment, done);
  addOpen(program, environment);
  addCompare(program, environment, done);
  addTrend(program, environment);
  addBundle(program, environment);
  addVerify(program, environment, done);
  addResults(program, environment, done);
  addList(program, environment);
  addValidate(program, environment, done);
  addCoverage(program, environment);
  addCompat(program, environment, done);
  addInspect(program, environment, done);
  addFuzz(program, environment, done);
  addExplore(program, environment, done);
  addExport(program, environment, done);
  addReduce(program, environment, done);
  addRecord(program, environment, done);
  addTrace(program, environment, done);
  addCoexist(program, environment, done);
  addDoctor(program, environment, done);
  addDiscover(program, environment);
  addInit(program, environment);
  addCompletion(program, environment);
  addHelp(program, environment);
  for (const command of program.commands) {
    for (const slot of [...command.options, ...command.registeredArguments]) suggestChoice(slot);
  }
  return program;
}

/** The overview has a text of its own, because a list of all commands and options is no help to a newcomer. */
const formatHelp: Help['formatHelp'] = (command, helper) =>
  command.parent ? Help.prototype.formatHelp.call(helper, command, helper) : helpText('overview');

/** The library's `(Did you mean one of --a, --b?)` on a line of its own, as all other suggestions are written. */
const inOwnWords = (message: string): string =>
  message.replace(/\n\(Did you mean (?:one of )?(.*)\?\)(?=\n)/, (_, names: string) => {
    const quoted = names.split(', ').map((name) => JSON.stringify(name));
    return `; did you mean ${quoted.join(' or ')}?`;
  });

/** Suggests the nearest choice for a misspelt one. */
function suggestChoice(slot: Option | Argument): void {
  const { argChoices: choices } = slot;
  if (!choices) return;
  slot.argParser((value: string) => {
    if (choices.includes(value)) return value;
    throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}${suggestion(value, choices) || '.'}`);
  });
}

/**
 * The first word must be an option or a command: the default command would only report an excess argument.
 * @throws UsageError
 */
function checkFirstWord(program: Command, word: string | undefined): void {
  if (word === undefined || word.startsWith('-')) return;
  const names = program.commands.map((command) => command.name());
  if (names.includes(word)) return;
  const hint = didYouMean(word, names) ?? `to test a plugin: --plugin ${word}; --help lists all commands`;
  throw new UsageError(`there is no command ${word}; ${hint}`);
}
