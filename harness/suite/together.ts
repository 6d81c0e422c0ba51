import { didYouMean } from '../base/did-you-mean.ts';
import type { CheckContext } from './check-case.ts';
import { type CheckedCase, mergeRequires } from './expand.ts';
import type { DocumentPath } from './located-yaml.ts';
import { nameOfMember, namesOf, referencedNames, renamed } from './member-names.ts';
import { type SuiteProblem, show } from './problem.ts';
import type { RawTogether } from './raw.ts';
import { levelOf, type Requirements } from './requirements.ts';
import { EXECUTABLE } from './run-step.ts';
import type { Case, Step } from './types.ts';

/** A case among those that run together, and where its id stands. */
interface Member {
  testCase: Case;
  at: DocumentPath;
  part: Part;
}

/** What its steps become. */
interface Part {
  /** Data, and its transfer to the device. */
  before: Step[];
  /** The programs that it runs, their arguments and their results. */
  programs: string[];
  args: string[];
  outputs: string[];
  /** What is read and checked. */
  after: Step[];
  /** What a plugin need not compile, and need not run. */
  excuses: Record<'compile' | 'execute', Excuse[]>;
}

type Excuse = Pick<Step, 'refusable' | 'precondition'>;

/** Checks an entry that runs other cases in one program, and makes it a case: what it covers and needs is what they do. */
export function checkTogether(
  raw: RawTogether,
  path: DocumentPath,
  { document, requirements, vocabulary, casesOf }: CheckContext,
): CheckedCase & { problems: SuiteProblem[] } {
  const problems: SuiteProblem[] = [];
  const members = raw.together.flatMap((id, place): Member | [] => {
    const at = [...path, 'together', place];
    const ids = new Map((casesOf?.(id.replace(/:.*/s, '')) ?? []).map((one) => [one.id, one]));
    const testCase = ids.get(id);
    if (!testCase) {
      const expected = 'a case of a suite in the same directories, with all of its parameters: suite:case[key=value]';
      problems.push(document.problem(at, `no case ${show(id)}`, { expected, help: didYouMean(id, ids.keys()) }));
      return [];
    }
    const part = unfit(testCase, requirements) ?? partOf(testCase, place, document.at(at).line);
    if (typeof part !== 'string') return { testCase, at, part };
    problems.push(document.problem(at, `${id} cannot run with others: it has ${part}`, { help: 'leave it out' }));
    return [];
  });
  if (problems.length === 0) problems.push(...checkOrder());
  const cases = members.map(({ testCase }) => testCase);
  const parts = members.map(({ part }) => part);
  const covers = [...new Set(cases.flatMap((one) => one.covers))];
  const steps = merged(raw.program, parts, document.at([...path, 'program']).line);
  return {
    raw: { ...raw, covers, requires: cases.map(({ requires }) => requires).reduce(mergeRequires, {}), steps: [] },
    path,
    combinations: [{ params: {}, covers }],
    merged: { members: raw.together, steps },
    problems,
  };

  /** The programs of the members must be those of which the program consists. */
  function checkOrder(): SuiteProblem[] {
    const expected = vocabulary.members?.get(raw.program);
    if (!expected) {
      const help = didYouMean(raw.program, vocabulary.members?.keys() ?? []);
      const message = `${show(raw.program)} is no program that consists of others`;
      return vocabulary.members ? [document.problem([...path, 'program'], message, { help })] : [];
    }
    const found = members.flatMap(({ part, at }) => part.programs.map((program) => ({ program, at })));
    const place = Array.from({ length: Math.max(found.length, expected.length) }).findIndex(
      (_, i) => found[i]?.program !== expected[i],
    );
    if (place < 0) return [];
    const { at = [...path, 'together'], program = 'nothing' } = found[place] ?? {};
    const help = `bring these cases and the members of ${raw.program} (tools/programs/catalogue/together.py) into one order`;
    const said = { expected: expected[place] ?? 'nothing', got: program, help };
    return [document.problem(at, `not what is at place ${place + 1} of ${raw.program}`, said)];
  }
}

/** What keeps a case from running with others, besides its steps. */
function unfit(testCase: Case, requirements: Requirements): string | undefined {
  const { requires, levels, isolation, client, demands, deadline } = testCase;
  const { dtypes: _, shapes: __, ...others } = requires;
  if (Object.keys(others).length > 0) return `\`requires: ${show(others)}\``;
  if (isolation !== 'worker') return `\`isolation: ${isolation}\``;
  if (client !== 'shared') return `\`client: ${client}\``;
  if (demands) return '`demands`';
  if (Object.keys(deadline).length > 0) return 'a `deadline`';
  return Object.entries(levels).some(([id, level]) => level !== levelOf(id, requirements)) ? 'a `level`' : undefined;
}

/** The keys of steps that several cases can have in one. */
const TAKEN: Readonly<Record<string, readonly string[]>> = {
  put: ['verb', 'as', 'data'],
  compile: ['verb', 'as', 'program'],
  execute: ['verb', 'as', 'executable', 'args'],
  get: ['verb', 'as', 'buffer'],
};

/** The steps of a case in the names of the one that runs it; or what it has that no case among others can have. */
function partOf({ steps, covers }: Case, place: number, line: number): Part | string {
  const excuses: Part['excuses'] = { compile: [], execute: [] };
  const part: Part = { before: [], programs: [], args: [], outputs: [], after: [], excuses };
  const programs = new Map<string, string>();
  const names = new Set(steps.flatMap(namesOf));
  /** Names that have a value only after the execution. */
  const late = new Set<string>();
  for (const step of steps) {
    const { line: _, breaks = covers, refusable, precondition, ...body } = step;
    const isLate = referencedNames(body).some((name) => late.has(name));
    const own = { ...renamed({ ...step, line }, names, place), breaks: [...breaks] };
    const other = Object.keys(body).find((key) => TAKEN[body.verb]?.includes(key) === false);
    if (other !== undefined) return `\`${other}\` in a step \`${body.verb}\``;
    if (isLate && (body.verb === 'put' || body.verb === 'execute')) return 'an argument that depends on a result';
    if (body.verb === 'compile') programs.set(`$${body.as}`, body.program ?? '');
    else if (body.verb === 'execute') {
      if (!Array.isArray(body.as)) return 'results without names';
      part.programs.push(programs.get(body.executable)!);
      part.args.push(...renamed([body.args ?? []].flat(), names, place));
      part.outputs.push(...body.as.map((name) => nameOfMember(place, name)));
    } else if (body.verb === 'get' || body.verb === 'expect' || (body.verb === 'data' && isLate)) part.after.push(own);
    else if (body.verb === 'data' || body.verb === 'put' || body.verb === 'program') part.before.push(own);
    else return `a step \`${body.verb}\``;
    if (body.verb === 'compile' || body.verb === 'execute') excuses[body.verb].push({ refusable, precondition });
    if (isLate || body.verb === 'execute' || body.verb === 'get') for (const name of namesOf(step)) late.add(name);
  }
  return part;
}

/** One compilation and one execution between what the members need and what they check. */
function merged(program: string, parts: readonly Part[], line: number): Step[] {
  const args = parts.flatMap((part) => part.args);
  const as = parts.flatMap((part) => part.outputs);
  return [
    ...parts.flatMap(({ before }) => before),
    { verb: 'compile', as: EXECUTABLE, program, line, ...excuse('compile') },
    { verb: 'execute', executable: `$${EXECUTABLE}`, args, as, line, ...excuse('execute') },
    ...parts.flatMap(({ after }) => after),
  ];

  function excuse(verb: keyof Part['excuses']): Excuse {
    const all = parts.flatMap(({ excuses }) => excuses[verb]);
    const texts = (key: keyof Excuse): string[] => [...new Set(all.flatMap((one) => one[key] ?? []))];
    const [refusable, precondition] = [texts('refusable').join(' or '), texts('precondition').join(' and ')];
    // A refusal violates a precondition too.
    return precondition !== '' ? { precondition } : refusable !== '' ? { refusable } : {};
  }
}
