import { didYouMean } from '../base/did-you-mean.ts';
import type { CheckContext } from './check-case.ts';
import type { CheckedCase } from './expand.ts';
import type { DocumentPath } from './located-yaml.ts';
import { nameOfMember, namesOf, referencedNames, renamed } from './member-names.ts';
import { type SuiteProblem, show } from './problem.ts';
import type { RawTogether } from './raw.ts';
import { levelOf, type Requirements } from './requirements.ts';
import { EXECUTABLE } from './run-step.ts';
import type { Case, Requires, Step } from './types.ts';

/** What the steps of a member become in the case that runs it with others. */
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
  const members: Case[] = [];
  const parts: Part[] = [];
  const order: { program: string; member: string; at: DocumentPath }[] = [];
  for (const [i, id] of raw.together.entries()) {
    const at = [...path, 'together', i];
    const known = casesOf?.(id.replace(/:.*/s, '')) ?? [];
    const member = known.find((one) => one.id === id);
    if (!member) {
      const expected = 'the id of a case, with all of its parameters: suite:case[key=value]';
      const help = didYouMean(
        id,
        known.map((one) => one.id),
      );
      problems.push(document.problem(at, `no case ${show(id)}`, { expected, help }));
      continue;
    }
    const part = unfit(member, requirements) ?? partOf(member, i, document.at(at).line);
    if (typeof part === 'string') {
      const help = 'leave it out, or write its steps so that one program can run them with those of others';
      problems.push(document.problem(at, `${id} cannot run together with others: it has ${part}`, { help }));
      continue;
    }
    members.push(member);
    parts.push(part);
    order.push(...part.programs.map((program) => ({ program, member: id, at })));
  }
  if (problems.length === 0) problems.push(...checkOrder());
  const covers = [...new Set(members.flatMap((member) => member.covers))];
  const steps = merged(raw.program, parts, document.at([...path, 'program']).line);
  return {
    raw: { ...raw, covers, requires: allRequired(members), steps: [] },
    path,
    combinations: [{ params: {}, covers }],
    merged: { members: members.map(({ id }) => id), steps },
    problems,
  };

  /** The programs of the members must be those of which the program consists. */
  function checkOrder(): SuiteProblem[] {
    if (!vocabulary.members) return [];
    const expected = vocabulary.members.get(raw.program);
    const inProgram = [...path, 'program'];
    if (!expected) {
      const help = didYouMean(raw.program, vocabulary.members.keys());
      return [document.problem(inProgram, `${show(raw.program)} is no program that consists of others`, { help })];
    }
    const wrong = order.findIndex(({ program }, i) => program !== expected[i]);
    const help = 'keep the order of MEMBERS in tools/programs/catalogue/together.py';
    if (wrong >= 0) {
      const { program, member, at } = order[wrong]!;
      const message = `${member} is not at its place in ${raw.program}`;
      const said = { expected: expected[wrong] ?? 'nothing more', got: program, help };
      return [document.problem(at, `${message}: part ${wrong + 1}`, said)];
    }
    if (order.length === expected.length) return [];
    const message = `no case runs part ${order.length + 1} of ${raw.program}, ${expected[order.length]}`;
    return [document.problem([...path, 'together'], message, { help })];
  }
}

/** Of what a member requires, what many can require together. */
const CARRIED: readonly string[] = ['dtypes', 'shapes'];

/** What keeps a case from running with others, besides its steps. */
function unfit(member: Case, requirements: Requirements): string | undefined {
  const { requires, levels, isolation, client, demands, deadline } = member;
  const other = Object.keys(requires).find((key) => !CARRIED.includes(key));
  if (other !== undefined) return `\`requires.${other}\``;
  if (isolation !== 'worker') return `\`isolation: ${isolation}\``;
  if (client !== 'shared') return `\`client: ${client}\``;
  if (demands) return '`demands`';
  if (Object.keys(deadline).length > 0) return '`deadline`';
  return Object.entries(levels).some(([id, level]) => level !== levelOf(id, requirements)) ? '`level`' : undefined;
}

const allRequired = (members: readonly Case[]): Requires => {
  const dtypes = [...new Set(members.flatMap(({ requires }) => requires.dtypes ?? []))].sort();
  const shapes = members.flatMap(({ requires }) => requires.shapes ?? []);
  const distinct = new Map(shapes.map((shape) => [shape.join(), shape]));
  return { ...(dtypes.length > 0 ? { dtypes } : {}), ...(shapes.length > 0 ? { shapes: [...distinct.values()] } : {}) };
};

/** The steps of a member, in the names of the case that runs it; or what it has that no case among others can have. */
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
    if (body.verb === 'compile') programs.set(`$${body.as}`, body.program!);
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

/** What the one compilation and the one execution can do for all. */
const TAKEN: Readonly<Record<string, readonly string[]>> = {
  compile: ['verb', 'as', 'program'],
  execute: ['verb', 'as', 'executable', 'args'],
};

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
