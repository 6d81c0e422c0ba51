/** Makes a failing program smaller, step by step, as long as it fails in the same way. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readNpy, writeNpy } from '../../knowledge/arrays/npy.ts';
import type { HostArray } from '../../knowledge/numerics/array.ts';
import { type Cut, cutOf, type Edited, sizeOf, typeOf } from './edited.ts';
import { type Edit, edit } from './editor.ts';
import type { Candidate, Judge, Outcome } from './judge.ts';
import { fewestOps } from './search.ts';
import { cropped, plainer } from './simpler-data.ts';

/** A program as it is now, with its data. */
export interface State {
  program: Edited;
  /** Its text, in a file of its own; and how it is sent, if not as text. */
  text: string;
  artifact: string | undefined;
  /** Files of the parameters, by the ends of their names; without any they are generated. */
  data: ReadonlyMap<string, string>;
}

/** What is going on, for who waits. */
export interface Progress {
  phase: 'programs' | 'operations' | 'sizes' | 'data';
  /** Operations that are left. */
  operations?: number;
  /** Programs that were run so far. */
  tried: number;
}

/** What the steps have in common. */
export interface Course {
  judge: Judge;
  /** What programs must have in common to fail alike. */
  likeness: string;
  settings: string | undefined;
  /** The StableHLO version of artifacts; absent: programs are sent as text. */
  version: string | undefined;
  signal: AbortSignal;
  progress(progress: Progress): void;
}

/** Rounds after which sizes are no longer made smaller. */
const MOST_ROUNDS = 40;
/** Results of a program at most, where values of another are computed. */
const VALUES_AT_ONCE = 256;
/** Operations whose results StableHLO leaves open for some data: plain ones, such as zeros, could be among these. */
const OPEN_FOR_SOME = /^stablehlo\.(divide|remainder|power|sort|scatter|select_and_scatter|rng|custom_call)$/;

/** A failing program, and how it is made smaller. */
export class Reduction {
  readonly #course: Course;
  #state: State;

  constructor(course: Course, state: State) {
    this.#course = course;
    this.#state = state;
  }

  get state(): State {
    return this.#state;
  }

  /** The program with its data, as the command `programs` reads it. */
  candidate({ text, artifact, data }: State = this.#state): Candidate {
    const code = artifact === undefined ? (['.mlir', text] as const) : (['.mlirbc', artifact] as const);
    return { files: new Map([code, ...data]), settings: this.#course.settings };
  }

  /** Whether a program fails as the first one did. */
  #alike(outcome: Outcome): boolean {
    return outcome.kind === 'failed' && outcome.likeness === this.#course.likeness;
  }

  /** What becomes of the program now, and whether that is the failure. */
  async outcome(): Promise<{ outcome: Outcome; alike: boolean }> {
    const [outcome] = await this.#course.judge.outcomes([this.candidate()]);
    return { outcome: outcome!, alike: this.#alike(outcome!) };
  }

  /** Leaves out what can be left out, then makes arrays smaller and plainer. */
  async run(): Promise<void> {
    await this.#fewerOps();
    await this.#simplerRegions();
    await this.#smallerSizes();
    if (await this.#plainerData()) await this.#smallerSizes();
  }

  #report(phase: Progress['phase']): void {
    const { judge, progress } = this.#course;
    progress({ phase, operations: sizeOf(this.#state.program), tried: judge.programs });
  }

  /** Programs that are made of the present one; undefined where there is none. */
  async #edited(edits: readonly Edit[]): Promise<(Omit<State, 'data'> | undefined)[]> {
    const { version } = this.#course;
    const directory = this.#course.judge.directory('edited');
    const jobs = edits.map((one, i) => {
      const output = join(directory, `${i}.mlir`);
      const artifact = version === undefined ? {} : { artifact: `${output}bc`, version };
      return { ...one, program: this.#state.text, output, ...artifact };
    });
    const answers = await edit(jobs, this.#course.signal);
    return answers.map((program, i) =>
      'error' in program ? undefined : { program, text: jobs[i]!.output, artifact: jobs[i]!.artifact },
    );
  }

  /** Those of these programs that fail as the first one did. */
  async #failing(states: readonly (State | undefined)[]): Promise<boolean[]> {
    const made = states.flatMap((state) => state ?? []);
    const outcomes = await this.#course.judge.outcomes(made.map((state) => this.candidate(state)));
    let next = 0;
    return states.map((state) => state !== undefined && this.#alike(outcomes[next++]!));
  }

  /** The first of these programs that fails becomes the present one. */
  async #take(states: readonly (State | undefined)[]): Promise<boolean> {
    const failing = await this.#failing(states);
    const found = states[failing.indexOf(true)];
    if (found) this.#state = found;
    return found !== undefined;
  }

  async #fewerOps(): Promise<void> {
    for (;;) {
      this.#report('operations');
      const values = await this.#values();
      const { program } = this.#state;
      const inputs = program.values.slice(0, program.parameters).map((_, i) => values.get(i));
      if (inputs.every((file) => file !== undefined)) this.#state = { ...this.#state, data: dataOf(inputs) };
      const ops = await fewestOps(program, async (cuts) => this.#failing(await this.#cuts(cuts, values)));
      const cut = cutOf(program, ops);
      const [smaller] = cut ? await this.#cuts([cut], values) : [];
      if (smaller) this.#state = smaller;
      if (!(await this.#opened())) return;
    }
  }

  /** Parts of the program, with values of the whole as parameters. */
  async #cuts(cuts: readonly Cut[], values: ReadonlyMap<number, string>): Promise<(State | undefined)[]> {
    const made = await this.#edited(cuts.map((cut) => ({ kind: 'cut', ...cut })));
    return made.map((one, i) => {
      const inputs = cuts[i]!.parameters.map((value) => values.get(value));
      return one && inputs.every((file) => file !== undefined) ? { ...one, data: dataOf(inputs) } : undefined;
    });
  }

  /** Every value of the program that an array can hold, as the oracle computes it. */
  async #values(): Promise<Map<number, string>> {
    const { program, data } = this.#state;
    const numbers = program.values.flatMap((value, i) => (typeOf(value) ? [i] : []));
    const parameters = program.values.slice(0, program.parameters).map((_, i) => i);
    const keep = program.ops.map((_, op) => op);
    const parts = Array.from({ length: Math.ceil(numbers.length / VALUES_AT_ONCE) }, (_, i) =>
      numbers.slice(i * VALUES_AT_ONCE, (i + 1) * VALUES_AT_ONCE),
    );
    const made = await this.#edited(parts.map((results) => ({ kind: 'cut', keep, parameters, results })));
    const asked = made.flatMap((one, i) => (one ? [{ state: { ...one, data }, results: parts[i]! }] : []));
    const answers = await this.#course.judge.expected(asked.map(({ state }) => this.candidate(state)));
    return new Map(
      answers.flatMap((answer, i) =>
        'outputs' in answer ? asked[i]!.results.map((value, k) => [value, answer.outputs[k]!] as const) : [],
      ),
    );
  }

  /** A loop, a branch or a composite replaced by what it does once. */
  async #opened(): Promise<boolean> {
    const { program, data } = this.#state;
    const edits = program.ops.flatMap(({ name, regions }, op) =>
      regionsOf(name, regions).map((region): Edit => ({ kind: 'open', op, region })),
    );
    if (edits.length === 0) return false;
    const made = await this.#edited(edits);
    return this.#take(made.map((one) => one && { ...one, data }));
  }

  /** Operations of regions left out, values that loops carry, and results that only they had. */
  async #simplerRegions(): Promise<void> {
    await this.#fewerResults();
    while (this.#state.program.ops.some(({ size }) => size > 1)) {
      this.#report('operations');
      const { program, data } = this.#state;
      const edits = program.ops.flatMap(({ name, size, results }, op): Edit[] => [
        ...(name === 'stablehlo.while' ? results.map((_, value): Edit => ({ kind: 'uncarry', op, value })) : []),
        ...Array.from({ length: size - 1 }, (_, inner): Edit => ({ kind: 'bypass', op, inner })),
      ]);
      const made = await this.#edited(edits);
      const states = made
        .flatMap((one) => (one ? [{ ...one, data }] : []))
        .sort((a, b) => sizeOf(a.program) - sizeOf(b.program));
      if (!(await this.#take(states))) break;
    }
    await this.#usedParameters();
  }

  /** A single result, or as many left out as possible. */
  async #fewerResults(): Promise<void> {
    const { results } = this.#state.program;
    if (results.length > 1 && !(await this.#take(await this.#returning(results.map((value) => [value])))))
      for (let i = results.length - 1; i >= 0 && this.#state.program.results.length > 1; i--)
        await this.#take(await this.#returning([this.#state.program.results.toSpliced(i, 1)]));
  }

  /** The same program with other results. */
  async #returning(lists: readonly (readonly number[])[]): Promise<(State | undefined)[]> {
    const { program, data } = this.#state;
    const keep = program.ops.map((_, op) => op);
    const parameters = program.values.slice(0, program.parameters).map((_, i) => i);
    const made = await this.#edited(lists.map((results) => ({ kind: 'cut', keep, parameters, results })));
    return made.map((one) => one && { ...one, data });
  }

  /** Parameters that nothing takes are left out. */
  async #usedParameters(): Promise<void> {
    const { program } = this.#state;
    const used = new Set([...program.ops.flatMap(({ operands }) => operands), ...program.results]);
    const files = this.#files();
    const parameters = files.flatMap((_, i) => (used.has(i) ? [i] : []));
    if (parameters.length === files.length) return;
    const keep = program.ops.map((_, op) => op);
    const [one] = await this.#edited([{ kind: 'cut', keep, parameters, results: program.results }]);
    await this.#take([one && { ...one, data: dataOf(parameters.map((i) => files[i]!)) }]);
  }

  /** One size replaced by a smaller one, everywhere. */
  async #smallerSizes(): Promise<void> {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      this.#report('sizes');
      const changes = smallerSizes(this.#state.program);
      const made = await this.#edited(changes.map((change) => ({ kind: 'resize', ...change })));
      const directory = this.#course.judge.directory('cropped');
      const states = made.map((one, i) => {
        if (!one) return undefined;
        const files = this.#files().map((file, p) => {
          const array = this.#array(p);
          const { shape = [] } = one.program.values[p]!;
          if (String(shape) === String(array.shape)) return file;
          return written(join(directory, `${i}-${p}.npy`), cropped(array, shape));
        });
        return { ...one, data: dataOf(files) };
      });
      if (!(await this.#take(states))) return;
    }
  }

  /** Plain contents for all parameters, or for one after the other. @returns whether any became plainer */
  async #plainerData(): Promise<boolean> {
    this.#report('data');
    const { program } = this.#state;
    if (program.ops.some(({ name }) => OPEN_FOR_SOME.test(name))) return false;
    const loops = program.ops.some(({ name }) => name === 'stablehlo.while');
    const files = this.#files();
    const directory = this.#course.judge.directory('plain');
    const plain = files.map((_, p) => {
      const array = this.#array(p);
      // It may be what a loop counts by, or to.
      if (loops && array.shape.length === 0) return [];
      return plainer(array).map((one, k) => written(join(directory, `${p}-${k}.npy`), one));
    });
    const most = Math.max(0, ...plain.map(({ length }) => length));
    const all = Array.from({ length: most }, (_, k) => ({
      ...this.#state,
      data: dataOf(files.map((file, p) => plain[p]![k] ?? file)),
    }));
    if (await this.#take(all)) return true;
    if (files.length < 2) return false;
    let changed = false;
    for (const [p, some] of plain.entries()) {
      const now = this.#files();
      if (await this.#take(some.map((file) => ({ ...this.#state, data: dataOf(now.with(p, file)) })))) changed = true;
    }
    return changed;
  }

  /** Files of the parameters. */
  #files(): string[] {
    return Array.from({ length: this.#state.program.parameters }, (_, p) => this.#state.data.get(`.arg${p}.npy`)!);
  }

  /** What a parameter is now. */
  #array(parameter: number): HostArray {
    const file = this.#files()[parameter]!;
    return readNpy(readFileSync(file), file, typeOf(this.#state.program.values[parameter]!));
  }
}

const dataOf = (files: readonly string[]): ReadonlyMap<string, string> =>
  new Map(files.map((file, i) => [`.arg${i}.npy`, file]));

function written(file: string, array: HostArray): string {
  writeFileSync(file, writeNpy(array));
  return file;
}

/** Regions that an operation may be replaced by: the body of a loop, each branch, what a composite consists of. */
function regionsOf(name: string, regions: number): number[] {
  if (name === 'stablehlo.while') return [1];
  if (name === 'stablehlo.composite') return [0];
  return name === 'stablehlo.if' || name === 'stablehlo.case' ? Array.from({ length: regions }, (_, i) => i) : [];
}

/** Sizes, and smaller ones that may do; the largest first, and for each the smallest. */
export function smallerSizes({ values }: Edited): { from: number; to: number }[] {
  const sizes = new Set(values.flatMap(({ shape = [] }) => shape));
  return [...sizes]
    .sort((a, b) => b - a)
    .flatMap((from) =>
      [...new Set([1, 2, 3, from >> 1, from - 1])]
        .filter((to) => to > 0 && to < from)
        .sort((a, b) => a - b)
        .map((to) => ({ from, to })),
    );
}
